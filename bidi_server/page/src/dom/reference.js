// Elements to which an attribute refers: by ID, by the reference target of a shadow root, or set by a script.

import {attr, has, tokens} from './attributes.js';
import {scopeOf, shadowRootOf} from './dom.js';
import {elementsOfInternals} from './internals.js';
import {elementById} from '../realm/native.js';

/** @typedef {'aria-activedescendant' | 'aria-describedby' | 'aria-labelledby' | 'aria-owns'} Reference */

/** Attributes whose elements a script can set, https://www.w3.org/TR/wai-aria-1.3/#ARIAMixin. */
const reflections = {
  'aria-activedescendant': 'ariaActiveDescendantElement',
  'aria-describedby': 'ariaDescribedByElements',
  'aria-labelledby': 'ariaLabelledByElements',
  'aria-owns': 'ariaOwnsElements',
};

/** @param {object} prototype @param {string} name @returns {((this: unknown) => any) | undefined} */
const getter = (prototype, name) => Object.getOwnPropertyDescriptor(prototype, name)?.get;

const readReferenceTarget = getter(ShadowRoot.prototype, 'referenceTarget');

/** Whether the browser supports reference targets: an element in a shadow tree that replaces the host in references. */
export const knowsTargets = readReferenceTarget !== undefined;

/**
 * Return the reference target of a host, or the element itself if it has none.
 * https://github.com/WICG/webcomponents/blob/gh-pages/proposals/reference-target-explainer.md
 * @param {Element} element
 * @returns {Element | null} null if the target does not exist
 */
export function targetOf(element) {
  if (!readReferenceTarget) return element;
  let target = element;
  for (let root = shadowRootOf(target); root; root = shadowRootOf(target)) {
    const id = /** @type {string | null} */ (readReferenceTarget.call(root));
    if (id === null) break;
    const inner = elementById(root, id);
    if (!inner) return null;
    target = inner;
  }
  return target;
}

/**
 * Return the elements to which an IDREF attribute refers, in its order.
 * @param {Element} element
 * @param {Reference} attribute
 * @returns {Element[]}
 */
export function referenced(element, attribute) {
  if (!has(element, attribute)) return [];
  const scope = scopeOf(element);
  const ids = tokens(element, attribute);
  const named = ids.length ? ids.map((id) => elementById(scope, id)) : setByScript(element, attribute);
  return named.map((each) => each && targetOf(each)).filter((target) => target !== null);
}

/**
 * Return the elements that a script has set: the attribute is then present and empty, or part of the element's
 * internals.
 * https://html.spec.whatwg.org/multipage/common-dom-interfaces.html#reflecting-content-attributes-in-idl-attributes:element-2
 * @param {Element} element
 * @param {Reference} attribute
 * @returns {Element[]}
 */
function setByScript(element, attribute) {
  if (attr(element, attribute) !== '') return [];
  /** @type {Element | Element[] | null | undefined} */
  const set = getter(Element.prototype, reflections[attribute])?.call(element);
  if (!set) return elementsOfInternals(element, attribute);
  return Array.isArray(set) ? set : [set];
}
