// Refs: short names of elements that agents use. An element keeps its ref as long as it lives.

import {hash} from './hash.js';
import {identityOf} from './identity.js';
import {isConnected} from './native.js';

/** @type {WeakMap<Element, string>} */
const refs = new WeakMap();
/** @type {Map<string, WeakRef<Element>>} */
const elements = new Map();
/** Part of every hash: tells this frame from others. */
const frame = {prefix: ''};

const longest = 6;
/** How many refs there may be before those of elements that are gone are looked for. */
const limit = {refs: 50_000};

/** @param {string} prefix */
export function setPrefix(prefix) {
  frame.prefix = prefix;
}

/** The element that has the ref, if it is still in the document. @param {string} ref @returns {Element | null} */
export function elementOf(ref) {
  const element = elements.get(ref)?.deref();
  return element && isConnected(element) ? element : null;
}

/** Whether the ref was ever handed out here. @param {string} ref */
export const wasGiven = (ref) => elements.has(ref);

/** The ref that the element has, '' for none. @param {Element} element */
export function refAt(element) {
  const ref = refs.get(element);
  return ref !== undefined && elementOf(ref) === element ? ref : '';
}

/**
 * The element's ref, given now if it has none.
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

/** Forgets refs of elements that no longer exist anywhere: a page that lives for days makes many. */
function forgetDead() {
  for (const [ref, element] of elements) if (!element.deref()) elements.delete(ref);
  // Where most of them are alive, a look at all for each new one would take minutes.
  limit.refs = Math.max(limit.refs, 2 * elements.size);
}

/** Four characters, five, six, and then the next free six. @param {number} number @param {number} attempt */
function candidate(number, attempt) {
  const space = 36 ** longest;
  const length = Math.min(4 + attempt, longest);
  const value = (number + Math.max(0, attempt - 2)) % space;
  return `e${value.toString(36).padStart(longest, '0').slice(0, length)}`;
}
