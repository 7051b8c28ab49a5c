// From what a call names, a ref or a selector, to the element.

import {hasHandler} from './affordance.js';
import {isDisabled} from './focus.js';
import {closestTo, hasBoxes} from './native.js';
import {inPass} from './pass.js';
import {aim, controls} from './ready.js';
import {elementOf, wasGiven} from './refs.js';
import {select} from './select.js';
import {stepsOf, wantedBy} from './selector-steps.js';
import {hasPointer} from './style.js';
import {isVisible} from './visible.js';

/** @typedef {{ref?: string, selector?: string}} Target */
/**
 * Which of several matches of a selector was taken.
 * @typedef {{place: number, all: number, clickable: boolean}} Choice `place` counts from 1; `clickable` when those before
 * it can't be clicked
 */

/** @param {Target} target @param {boolean} [forClick] @returns {Element | null} */
export const locate = (target, forClick) => find(target, forClick).element;

/**
 * The element that a target names. Of several matches that is the first which can be seen, for a click the first of these
 * that can be clicked.
 * @param {Target} target @param {boolean} [forClick] @returns {{element: Element | null, choice?: Choice}}
 */
export function find(target, forClick = false) {
  if (target.ref !== undefined) return {element: elementOf(target.ref)};
  const found = select(target.selector ?? '');
  if (found.length < 2) return {element: found[0] ?? null};
  const seen = found.filter(isVisible);
  const matches = seen.length ? seen : found;
  const first = matches.find(hasBoxes) ?? matches[0];
  const element = forClick ? bestForClick(matches) : first;
  if (matches.length < 2) return {element};
  return {element, choice: {place: matches.indexOf(element) + 1, all: matches.length, clickable: element !== first}};
}

/** Matches that are compared for a click. */
const most = 50;

/** @param {Element[]} matches */
function bestForClick(matches) {
  const candidates = matches.slice(0, most);
  const controlled = candidates.filter((element) => inPass(() => takesClicks(element)));
  const others = controlled.length ? controlled : candidates;
  return others.find(canBeClickedNow) ?? others[0];
}

const clickable = `${controls}, label`;

/** Whether a click on the element does something, as far as that can be told. @param {Element} element */
const takesClicks = (element) => closestTo(element, clickable) !== null || hasHandler(element) || hasPointer(element);

/** Whether nothing covers the element or what of it is in view, and it is not disabled. @param {Element} element */
function canBeClickedNow(element) {
  if (inPass(() => isDisabled(element))) return false;
  const found = aim(element);
  return 'point' in found || found.cover === null;
}

/** Why there is no element. @param {Target} target @returns {{missing: 'gone' | 'unknown'}} */
export const missing = (target) => ({missing: target.ref !== undefined && wasGiven(target.ref) ? 'gone' : 'unknown'});

/** What the author of a selector is looking for, as a JSON string. @param {string} selector */
export const wanted = (selector) => JSON.stringify(wantedBy(stepsOf(selector)));
