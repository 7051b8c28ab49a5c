// From what a call names, a ref or a selector, to the element.

import {knownRoots} from './dom.js';
import {hasBoxes} from './native.js';
import {elementOf, wasGiven} from './refs.js';

/** @typedef {{ref?: string, selector?: string}} Target */

/** Elements of a CSS selector in the document, or else in the shadow trees that were walked. @param {string} selector @returns {Element[]} */
function query(selector) {
  const found = [...document.querySelectorAll(selector)];
  return found.length ? found : knownRoots().flatMap((root) => [...root.querySelectorAll(selector)]);
}

/** The first element that is rendered, or else the first. @param {Target} target @returns {Element | null} */
export function locate(target) {
  if (target.ref !== undefined) return elementOf(target.ref);
  const found = query(target.selector ?? '');
  return found.find(hasBoxes) ?? found[0] ?? null;
}

/** Why there is no element. @param {Target} target @returns {{missing: 'gone' | 'unknown'}} */
export const missing = (target) => ({missing: target.ref !== undefined && wasGiven(target.ref) ? 'gone' : 'unknown'});
