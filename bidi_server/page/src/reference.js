// Elements that an element names: by id, through what a shadow root stands for, or set by script.

import {attr, has, tokens} from './attributes.js';
import {scopeOf, shadowRootOf} from './dom.js';
import {elementsOfInternals} from './internals.js';
import {elementById} from './native.js';

/** @typedef {'aria-activedescendant' | 'aria-describedby' | 'aria-labelledby' | 'aria-owns'} Reference */

/** Attributes whose elements script can set, https://www.w3.org/TR/wai-aria-1.3/#ARIAMixin. */
const reflections = {
  'aria-activedescendant': 'ariaActiveDescendantElement',
  'aria-describedby': 'ariaDescribedByElements',
  'aria-labelledby': 'ariaLabelledByElements',
  'aria-owns': 'ariaOwnsElements',
};

/** @param {object} prototype @param {string} name @returns {((this: unknown) => any) | undefined} */
const getter = (prototype, name) => Object.getOwnPropertyDescriptor(prototype, name)?.get;

const readReferenceTarget = getter(ShadowRoot.prototype, 'referenceTarget');

/** Whether the browser lets an element stand for its shadow's host at all. */
export const knowsTargets = readReferenceTarget !== undefined;

/**
 * The element that stands for a host in references to it.
 * https://github.com/WICG/webcomponents/blob/gh-pages/proposals/reference-target-explainer.md
 * @param {Element} element
 * @returns {Element | null} null when it names an element that does not exist
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
 * Elements that an IDREF attribute names, in its order.
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
 * Where script sets the elements the attribute is there and empty, or is that of the element's internals.
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
