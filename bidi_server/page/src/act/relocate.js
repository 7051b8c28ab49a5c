// Find the element of a plan again, by the first of its locators that still names it.

import {describe} from '../tree/describe.js';
import {visibleOf} from './locate.js';
import {select} from './select.js';
import {until} from './wait.js';

/**
 * A locator with the number of its matches when the step ran; `isPositional` if it may match another element after a
 * change of the page's structure.
 * @typedef {{selector: string, matches: number, isPositional: boolean}} Planned
 */
/** @typedef {{role: string, name: string, locators: Planned[]}} Wanted */

/**
 * Return the place of the locator and a description of the element that it names; null if none names it.
 *
 * A locator by role, name, test id or id counts if its only visible match has the element's role; one by the place among
 * others also needs the name. So a button in the place of another one is not taken for it.
 * @param {Wanted} wanted
 */
function find({role, name, locators}) {
  for (const [place, {selector, matches, isPositional}] of locators.entries()) {
    const found = visibleOf(select(selector));
    if (!found.length || (found.length !== 1 && found.length !== matches)) continue;
    const element = JSON.parse(describe(found[0]));
    if (element.role === role && (!isPositional || element.name === name)) return {place, element};
  }
  return null;
}

/** Return what `find` does, as a JSON string. @param {Wanted} wanted */
export const relocated = (wanted) => JSON.stringify({found: find(wanted)});

/** Wait until a locator names the element. @param {Wanted & {timeout: number}} options */
export const untilRelocated = ({timeout, ...wanted}) => until(() => find(wanted) !== null, timeout);
