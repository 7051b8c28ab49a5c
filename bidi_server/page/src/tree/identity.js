// Identify an element across reloads.

import {attr, trimmed} from '../dom/attributes.js';
import {isElement, isShadowRoot, scopeOf} from '../dom/dom.js';
import {hash} from '../realm/hash.js';
import {textsOfItems} from './items.js';
import {isNumbered} from './libraries.js';
import {firstChild, hostOf, localName, nextSibling, parentNode, selectAll} from '../realm/native.js';
import {oncePerPass} from '../realm/pass.js';

/** Attributes by which authors identify elements in their tests. */
export const testAttributes = ['data-testid', 'data-test', 'data-test-id', 'data-cy', 'name'];
const testSelector = testAttributes.map((name) => `[${name}]`).join();

/** Number of elements of a tree scope with each ID and each test attribute. */
const countsIn = oncePerPass((/** @type {Node} */ root) => {
  /** @type {Map<string, number>} */
  const counts = new Map();
  const count = (/** @type {string} */ key) => counts.set(key, (counts.get(key) ?? 0) + 1);
  for (const element of selectAll(root, '[id]')) count(`id=${attr(element, 'id')}`);
  for (const element of selectAll(root, testSelector)) {
    for (const name of testAttributes) {
      const key = testKey(element, name);
      if (key) count(key);
    }
  }
  return counts;
});

/** @param {Element} element @param {string} name */
function testKey(element, name) {
  const value = trimmed(element, name);
  if (!value) return '';
  const key = `${name}=${value} ${localName(element)}`;
  const isRadio = name === 'name' && attr(element, 'type')?.toLowerCase() === 'radio';
  return isRadio ? `${key}=${attr(element, 'value')}` : key;
}

/**
 * Return the author's ID or test attribute of the element if it is unique in its tree scope; else ''.
 * @type {(element: Element) => string}
 */
const ownKey = oncePerPass((element) => {
  const id = trimmed(element, 'id');
  if (id && !isNumbered(id) && countsIn(scopeOf(element)).get(`id=${id}`) === 1) return `id=${id}`;
  for (const name of testAttributes) {
    const key = testKey(element, name);
    if (key && countsIn(scopeOf(element)).get(key) === 1) return key;
  }
  return '';
});

/** Position of every child among its siblings of the same name. */
const places = oncePerPass((/** @type {Node} */ parent) => {
  /** @type {Map<Node, number>} */
  const place = new Map();
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (let node = firstChild(parent); node; node = nextSibling(node)) {
    if (!isElement(node)) continue;
    const name = localName(node);
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    place.set(node, count);
  }
  return place;
});

/** @param {Node} parent @param {Element} node */
function placeIn(parent, node) {
  const text = textsOfItems(parent).get(node);
  return text === undefined ? places(parent).get(node) : `"${text}`;
}

/**
 * Hashes of paths, computed from the top down, since recursion would overflow the stack in deep trees.
 * @type {{get: (node: Node) => number | undefined, set: (node: Node, path: number) => void}}
 */
const paths = (() => {
  const cells = oncePerPass((/** @type {Node} */ _node) => ({value: /** @type {number | undefined} */ (undefined)}));
  return {get: (node) => cells(node).value, set: (node, path) => void (cells(node).value = path)};
})();

/**
 * Return a hash of the element's position: a chain of name:nth-of-type through shadow roots, from the nearest ancestor
 * that has a key. Items of lists are identified by their text instead of a number.
 * @param {Element} element
 */
function pathOf(element) {
  /** @type {Element[]} */
  const chain = [];
  let path = 0;
  for (let node = /** @type {Element | null} */ (element); node; ) {
    const known = paths.get(node);
    if (known !== undefined) {
      path = known;
      break;
    }
    chain.push(node);
    const parent = parentNode(node);
    node = isShadowRoot(parent) ? hostOf(parent) : parent && isElement(parent) ? parent : null;
  }
  for (const node of chain.reverse()) {
    const key = ownKey(node);
    const root = scopeOf(node);
    const parent = parentNode(node);
    if (key) path = hash(key, isShadowRoot(root) ? (paths.get(hostOf(root)) ?? 0) : 0);
    else
      path = hash(`${isShadowRoot(parent) ? '#' : ''}${localName(node)}:${parent ? placeIn(parent, node) : 1}`, path);
    paths.set(node, path);
  }
  return path;
}

/**
 * Return the identity of an element, which stays the same after a reload of the same page.
 * @param {Element} element
 * @param {string} role
 * @param {string} name
 */
export function identityOf(element, role, name) {
  const path = pathOf(element);
  const key = ownKey(element);
  return key ? `${path}` : `${role}\n${name}\n${path}`;
}
