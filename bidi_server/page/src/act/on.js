// Call a function with the element of a target, unless that has changed since the agent saw it.

import {change} from '../tree/changed.js';
import {find, missing} from './locate.js';
import {quickLocatorsOf} from './locators.js';
import {takeLeaving} from '../realm/leaving.js';
import {markOf} from './ready.js';
import {foreignPlace} from './secrets.js';
import {describe, rowsOf} from '../tree/describe.js';

/**
 * `was` is the role and name that the agent saw with the ref, `bound` a secret that is to be entered.
 * @typedef {import('./locate.js').Target & {was?: {role: string, name: string}, bound?: import('./secrets.js').Bound}} Target
 */
/**
 * Return how the element has changed since the agent saw it. Its name can depend on the elements around it: before an
 * action is refused, a walk of the whole document shows what a new snapshot would contain.
 * @param {Element} element @param {{role: string, name: string}} was @param {{role: string, name: string}} known
 */
function changeOf(element, was, known) {
  const seen = change(was, known);
  return seen === 'significant' && rowsOf(element).some((row) => change(was, row) !== seen) ? 'same' : seen;
}

/** @param {string} kind */
const refusal = (kind) => ({blocked: 'not-for-secret', kind});

/**
 * @param {Target} target @param {(element: Element) => object | Promise<object>} act @param {boolean} [forClick]
 * @returns {Promise<string>}
 */
export async function on(target, act, forClick) {
  const {element, choice} = find(target, forClick);
  if (!element) return JSON.stringify(missing(target));
  takeLeaving();
  const known = JSON.parse(describe(element));
  const changed = target.was ? changeOf(element, target.was, known) : 'same';
  if (changed === 'significant') return JSON.stringify({element: known, changed});
  const foreign = target.bound && foreignPlace(element, target.bound);
  if (foreign) return JSON.stringify({element: known, changed, choice, ...refusal(foreign)});
  known.locators = quickLocatorsOf(element); // before the action changes the element
  const {cover, ...result} = /** @type {{cover?: Element | null}} */ (await act(element));
  return JSON.stringify({
    element: known,
    changed,
    choice,
    ...result,
    ...(cover ? {cover: {...JSON.parse(describe(cover)), mark: markOf(cover)}} : {}),
  });
}
