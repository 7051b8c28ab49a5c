// What custom elements say in their ElementInternals, which only the page's own realm can read: see ../listen.js.
// https://html.spec.whatwg.org/multipage/custom-elements.html#accessibility-semantics

import {hostOf, localName, rootOf} from './native.js';
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

/**
 * @typedef {object} Internals
 * @property {Map<string, string>} attributes role and ARIA attributes, by the attributes' names
 * @property {Map<string, Element[]>} elements those that the attributes name, where a script has set them
 */

/** @type {(element: Element) => Internals | null} */
const read = oncePerPass((element) => {
  const secret = askedBy();
  /** @type {Internals | null} */
  let found = null;
  /** @type {Map<string, Element[]>} */
  const elements = new Map();
  const hear = (/** @type {Event} */ event) => {
    if (!(event instanceof MessageEvent)) return;
    const parts = String(event.data).split('\0');
    const attributes = new Map();
    for (let index = 0; index + 1 < parts.length; index += 2) attributes.set(parts[index], parts[index + 1]);
    found = {attributes, elements};
  };
  const hearOf = (/** @type {Event} */ event) => {
    if (!(event instanceof MessageEvent && event.target instanceof Element)) return;
    const name = String(event.data);
    elements.set(name, [...(elements.get(name) ?? []), event.target]);
  };
  const roots = rootsAround(element);
  element.addEventListener(`${secret} said`, hear);
  for (const root of roots) root.addEventListener(`${secret} named`, hearOf, true);
  element.dispatchEvent(new Event(`${secret} internals`));
  for (const root of roots) root.removeEventListener(`${secret} named`, hearOf, true);
  element.removeEventListener(`${secret} said`, hear);
  return found;
});

/** The tree that the element is in, and those around it: what its attributes may name. @param {Element} element */
function rootsAround(element) {
  const roots = [rootOf(element)];
  for (let root = roots[0]; root instanceof ShadowRoot; roots.push(root)) root = rootOf(hostOf(root));
  return roots;
}

/**
 * Role and ARIA attributes that a custom element has where its markup says nothing else, by the attributes' names; null
 * for none.
 * @param {Element} element
 */
export function internalsOf(element) {
  return internalsAt(element)?.attributes ?? null;
}

/** Elements that an attribute of its internals names. @param {Element} element @param {string} attribute */
export const elementsOfInternals = (element, attribute) => internalsAt(element)?.elements.get(attribute) ?? [];

/** @param {Element} element */
function internalsAt(element) {
  attached.anywhere ??= areAnywhere();
  return attached.anywhere && localName(element).includes('-') ? read(element) : null;
}
