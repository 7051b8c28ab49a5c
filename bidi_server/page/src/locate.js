// From what a call names, a ref or a selector, to the element.

import {hasBoxes} from './native.js';
import {elementOf, wasGiven} from './refs.js';
import {select} from './select.js';

/** @typedef {{ref?: string, selector?: string}} Target */

/** The first element that is rendered, or else the first. @param {Target} target @returns {Element | null} */
export function locate(target) {
  if (target.ref !== undefined) return elementOf(target.ref);
  const found = select(target.selector ?? '');
  return found.find(hasBoxes) ?? found[0] ?? null;
}

/** Why there is no element. @param {Target} target @returns {{missing: 'gone' | 'unknown'}} */
export const missing = (target) => ({missing: target.ref !== undefined && wasGiven(target.ref) ? 'gone' : 'unknown'});
