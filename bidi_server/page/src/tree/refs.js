// Refs: short names by which agents refer to elements. An element keeps its ref for its lifetime.

import {hash} from '../realm/hash.js';
import {identityOf} from './identity.js';
import {isConnected} from '../realm/native.js';

/** @type {WeakMap<Element, string>} */
const refs = new WeakMap();
/** @type {Map<string, WeakRef<Element>>} */
const elements = new Map();
/** Part of every hash, to distinguish this frame from others. */
const frame = {prefix: ''};

const longest = 6;
/** Number of refs at which those of dead elements are removed. */
const limit = {refs: 50_000};

/** @param {string} prefix */
export function setPrefix(prefix) {
  frame.prefix = prefix;
}

/** Return the element with the ref, if it is still in the document. @param {string} ref @returns {Element | null} */
export function elementOf(ref) {
  const element = elements.get(ref)?.deref();
  return element && isConnected(element) ? element : null;
}

/** Whether the ref was assigned in this frame and `forgetDead` has not removed it. @param {string} ref */
export const wasGiven = (ref) => elements.has(ref);

/** Return the element's ref, '' if it has none. @param {Element} element */
export function refAt(element) {
  const ref = refs.get(element);
  return ref !== undefined && elementOf(ref) === element ? ref : '';
}

/**
 * Return the element's ref; assign one if it has none.
 * @param {Element} element
 * @param {string} role
 * @param {string} name
 * @param {Set<string>} [taken] refs in use in other frames
 */
export function giveRef(element, role, name, taken) {
  const had = refAt(element);
  if (had) return had;
  const number = hash(`${frame.prefix}\n${identityOf(element, role, name)}`);
  for (let attempt = 0; ; attempt++) {
    const ref = candidate(number, attempt);
    if (taken?.has(ref) || elementOf(ref)) continue;
    if (elements.size >= limit.refs) forgetDead();
    refs.set(element, ref);
    elements.set(ref, new WeakRef(element));
    return ref;
  }
}

/** Forget refs of garbage-collected elements: a page that is open for days creates many. */
function forgetDead() {
  for (const [ref, element] of elements) if (!element.deref()) elements.delete(ref);
  // If most elements are alive, checking all of them for each new one would take minutes.
  limit.refs = Math.max(limit.refs, 2 * elements.size);
}

/**
 * Return a candidate for a ref: four characters, then five, then six, then the next numbers with six.
 * @param {number} number @param {number} attempt
 */
function candidate(number, attempt) {
  const space = 36 ** longest;
  const length = Math.min(4 + attempt, longest);
  const value = (number + Math.max(0, attempt - 2)) % space;
  return `e${value.toString(36).padStart(longest, '0').slice(0, length)}`;
}
