// ARIA properties in the ElementInternals of custom elements, which only the page's own realm can read: see
// ../../listen.js.
// https://html.spec.whatwg.org/multipage/custom-elements.html#accessibility-semantics

import {hostOf, localName, rootOf} from '../realm/native.js';
import {onEndOfPass, oncePerPass} from '../realm/pass.js';
import {ask, askedBy} from '../realm/secret.js';

// Whether any element of the document has ElementInternals; null until this is needed.
const attached = {anywhere: /** @type {boolean | null} */ (null)};
onEndOfPass(() => {
  attached.anywhere = null;
});

/**
 * @typedef {object} Internals
 * @property {Map<string, string>} attributes values of role and ARIA attributes, by name
 * @property {Map<string, Element[]>} elements elements that a script has set for an attribute, by its name
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

/**
 * Return the roots of the element's tree and of those around it, to whose elements its attributes may refer.
 * @param {Element} element
 */
function rootsAround(element) {
  const roots = [rootOf(element)];
  for (let root = roots[0]; root instanceof ShadowRoot; roots.push(root)) root = rootOf(hostOf(root));
  return roots;
}

/**
 * Return the default role and ARIA attributes of a custom element, which its markup overrides, by name; null if there
 * are none.
 * @param {Element} element
 */
export function internalsOf(element) {
  return internalsAt(element)?.attributes ?? null;
}

/**
 * Return the elements to which an attribute of the element's internals refers.
 * @param {Element} element @param {string} attribute
 */
export const elementsOfInternals = (element, attribute) => internalsAt(element)?.elements.get(attribute) ?? [];

/** @param {Element} element */
function internalsAt(element) {
  attached.anywhere ??= ask('internals').isCancelled;
  return attached.anywhere && localName(element).includes('-') ? read(element) : null;
}
