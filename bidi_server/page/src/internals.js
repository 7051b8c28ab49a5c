// What custom elements say in their ElementInternals, which only the page's own realm can read: see ../listen.js.
// https://html.spec.whatwg.org/multipage/custom-elements.html#accessibility-semantics

import {localName} from './native.js';
import {onEndOfPass, oncePerPass} from './pass.js';
import {askedBy} from './secret.js';

// Whether any element of the document has them, null while nobody asked.
const attached = {anywhere: /** @type {boolean | null} */ (null)};
onEndOfPass(() => {
  attached.anywhere = null;
});

function areAnywhere() {
  const secret = askedBy();
  return secret !== '' && !document.dispatchEvent(new Event(`${secret} internals`, {cancelable: true}));
}

/** @type {(element: Element) => Map<string, string> | null} */
const read = oncePerPass((element) => {
  const secret = askedBy();
  /** @type {Map<string, string> | null} */
  let found = null;
  const hear = (/** @type {Event} */ event) => {
    if (!(event instanceof MessageEvent)) return;
    const parts = String(event.data).split('\0');
    found = new Map();
    for (let index = 0; index + 1 < parts.length; index += 2) found.set(parts[index], parts[index + 1]);
  };
  element.addEventListener(`${secret} said`, hear);
  element.dispatchEvent(new Event(`${secret} internals`));
  element.removeEventListener(`${secret} said`, hear);
  return found;
});

/**
 * Role and ARIA attributes that a custom element has where its markup says nothing else, by the attributes' names; null
 * for none.
 * @param {Element} element
 */
export function internalsOf(element) {
  attached.anywhere ??= areAnywhere();
  return attached.anywhere && localName(element).includes('-') ? read(element) : null;
}
