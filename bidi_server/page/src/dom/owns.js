// Elements that `aria-owns` moves. https://www.w3.org/TR/wai-aria-1.2/#aria-owns

import {flatParent, scopeOf} from './dom.js';
import {containsNode, selectAll} from '../realm/native.js';
import {oncePerPass} from '../realm/pass.js';
import {referenced} from './reference.js';

/** Owners of the elements that `aria-owns` moves inside of one tree scope. */
export const ownersIn = oncePerPass((/** @type {Node} */ root) => {
  /** @type {Map<Element, Element>} */
  const owners = new Map();
  for (const owner of selectAll(root, '[aria-owns]')) {
    for (const target of referenced(owner, 'aria-owns')) {
      if (owners.has(target) || containsNode(target, owner) || ownedAbove(owner, target, owners)) continue;
      owners.set(target, owner);
    }
  }
  return owners;
});

/**
 * Whether `target` is above `owner` after the moves so far.
 * @param {Element} owner
 * @param {Element} target
 * @param {Map<Element, Element>} owners
 */
function ownedAbove(owner, target, owners) {
  for (let node = /** @type {Element | null} */ (owner), steps = 0; node && steps < 10_000; steps++) {
    if (node === target) return true;
    node = owners.get(node) ?? flatParent(node);
  }
  return false;
}

/** Return the element that owns `element` by `aria-owns`, or null. @param {Element} element */
export const ownerOf = (element) => ownersIn(scopeOf(element)).get(element) ?? null;

/**
 * Return the elements that `element` owns by `aria-owns`, unless another element owns them already.
 * @param {Element} element
 */
export const ownedBy = (element) =>
  [...new Set(referenced(element, 'aria-owns'))].filter((target) => ownerOf(target) === element);
