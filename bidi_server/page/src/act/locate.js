// Find the element that a call names by a ref or a selector.

import {hasHandler} from '../tree/affordance.js';
import {isDisabled} from '../spec/focus.js';
import {closestTo, hasBoxes} from '../realm/native.js';
import {inPass} from '../realm/pass.js';
import {aim, controls} from './ready.js';
import {elementOf, wasGiven} from '../tree/refs.js';
import {select} from './select.js';
import {stepsOf, wantedBy} from './selector-steps.js';
import {hasPointer} from '../dom/style.js';
import {isVisible} from '../dom/visible.js';

/** @typedef {{ref?: string, selector?: string}} Target */
/**
 * The match that was chosen if a selector has several.
 * @typedef {{place: number, all: number, clickable: boolean}} Choice `place` counts from 1; `clickable` if it was
 * chosen because those before it can't be clicked
 */

/** @param {Target} target @param {boolean} [forClick] @returns {Element | null} */
export const locate = (target, forClick) => find(target, forClick).element;

/**
 * Return the element that a target names. If several match, it is the first visible one, and for a click the first
 * visible one that can be clicked.
 * @param {Target} target @param {boolean} [forClick] @returns {{element: Element | null, choice?: Choice}}
 */
export function find(target, forClick = false) {
  if (target.ref !== undefined) return {element: elementOf(target.ref)};
  const found = select(target.selector ?? '');
  if (found.length < 2) return {element: found[0] ?? null};
  const matches = visibleOf(found);
  const first = matches.find(hasBoxes) ?? matches[0];
  const element = forClick ? bestForClick(matches) : first;
  if (matches.length < 2) return {element};
  return {element, choice: {place: matches.indexOf(element) + 1, all: matches.length, clickable: element !== first}};
}

/** Return the visible ones of some elements, or all if none is visible. @param {Element[]} found */
export function visibleOf(found) {
  const seen = found.filter(isVisible);
  return seen.length ? seen : found;
}

/** Maximum number of matches to compare for a click. */
const most = 50;

/** @param {Element[]} matches */
function bestForClick(matches) {
  const candidates = matches.slice(0, most);
  const controlled = candidates.filter((element) => inPass(() => takesClicks(element)));
  const others = controlled.length ? controlled : candidates;
  return others.find(canBeClickedNow) ?? others[0];
}

const clickable = `${controls}, label`;

/** Whether a click on the element seems to have an effect. @param {Element} element */
const takesClicks = (element) => closestTo(element, clickable) !== null || hasHandler(element) || hasPointer(element);

/** Whether the element is not disabled, and nothing covers its visible part. @param {Element} element */
function canBeClickedNow(element) {
  if (inPass(() => isDisabled(element))) return false;
  const found = aim(element);
  return 'point' in found || found.cover === null;
}

/** Return why there is no element. @param {Target} target @returns {{missing: 'gone' | 'unknown'}} */
export const missing = (target) => ({missing: target.ref !== undefined && wasGiven(target.ref) ? 'gone' : 'unknown'});

/** Return the role and text that the author of a selector is looking for, as a JSON string. @param {string} selector */
export const wanted = (selector) => JSON.stringify(wantedBy(stepsOf(selector)));
