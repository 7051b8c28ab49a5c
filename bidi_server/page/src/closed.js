// Elements that may host a closed shadow root. Script cannot see one, the protocol's serialisation can.

import {adoptRoot, canHost, htmlName, isElement, isText, shadowRootOf} from './dom.js';
import {clientRect, isConnected, isVisible, matchesSelector, nodeValue, rangeHasBoxes} from './native.js';
import {displayOf} from './style.js';

/** Elements that the protocol has looked into. @type {WeakSet<Element>} */
const checked = new WeakSet();
/**
 * Elements whose children are rendered: nothing hides them, so a look at each walk would be wasted.
 * @type {WeakSet<Element>}
 */
const plain = new WeakSet();
/** @type {Set<Element>} */
const waiting = new Set();

const mostWaiting = 500;

/** Forgets suspects that have left the document. */
export function forgetGone() {
  for (const element of waiting) if (!isConnected(element)) waiting.delete(element);
}

/**
 * Notes a rendered element when it may host a closed root that nobody has looked for.
 * @param {Element} element @param {string} tag @param {Node[]} nodes what it contains
 */
export function suspect(element, tag, nodes) {
  if (!canHost(tag) || checked.has(element) || plain.has(element) || shadowRootOf(element)) return;
  if (tag.includes('-') && matchesSelector(element, ':defined')) {
    wait(element);
  } else if (nodes.length === 0) {
    // A box that nothing fills: a style sheet may have made it, or a shadow tree.
    if (clientRect(element).height > 0) wait(element);
  } else if (nodes.some(isElement)) {
    if (hasUnrenderedChild(nodes)) wait(element);
    else plain.add(element);
  } else if (nodes.some((node) => isText(node) && /\S/.test(nodeValue(node) ?? ''))) {
    if (rangeHasBoxes(element)) plain.add(element);
    else wait(element);
  }
}

/**
 * Whether no child element is rendered although `display` hides not all of them. Chromium 150 has a computed style for
 * elements that are not in the flat tree; in Chromium 156 and Firefox their `display` is empty, see `suspectParent`.
 * @param {Node[]} nodes
 */
function hasUnrenderedChild(nodes) {
  let found = false;
  for (const node of nodes) {
    if (!isElement(node)) continue;
    if (isVisible(node, {})) return false;
    found ||= !/^(none|contents|)$/.test(displayOf(node));
  }
  return found;
}

/**
 * Notes the parent of an element that is not in the flat tree: a root without a slot for it is in the way.
 * @param {Element | null} parent
 */
export function suspectParent(parent) {
  if (parent && canHost(htmlName(parent)) && !checked.has(parent) && !shadowRootOf(parent)) wait(parent);
}

/** @param {Element} element */
function wait(element) {
  if (waiting.size < mostWaiting) waiting.add(element);
}

/** The suspects that were told last. @type {{id: string, hosts: Element[]}} */
let told = {id: '', hosts: []};

/**
 * The suspects, for the protocol to look into, and an id for them. Who has looked into those of an id is told only others.
 * @param {string | undefined} seen the last id that arrived
 */
export function tellSuspects(seen) {
  if (seen && seen === told.id) {
    for (const host of told.hosts) {
      checked.add(host);
      waiting.delete(host);
    }
  }
  told = {id: waiting.size ? String(Math.random()) : '', hosts: [...waiting]};
  return told;
}

/** @param {(Element | ShadowRoot)[]} pairs host, root, host, root … */
export function adoptRoots(pairs) {
  for (let index = 0; index + 1 < pairs.length; index += 2) {
    adoptRoot(/** @type {Element} */ (pairs[index]), /** @type {ShadowRoot} */ (pairs[index + 1]));
  }
}
