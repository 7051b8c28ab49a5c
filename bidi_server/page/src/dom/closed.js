// Elements that may host a closed shadow root, which scripts cannot see, but the protocol's serialisation can.

import {adoptRoot, canHost, htmlName, isElement, isText, shadowRootOf} from './dom.js';
import {clientRect, isConnected, isVisible, matchesSelector, nodeValue, rangeHasBoxes} from '../realm/native.js';
import {displayOf} from './style.js';

/** Elements that the protocol has inspected. @type {WeakSet<Element>} */
const checked = new WeakSet();
/**
 * Elements whose children are rendered: no closed root hides them, so no walk needs to check them again.
 * @type {WeakSet<Element>}
 */
const plain = new WeakSet();
/** @type {Set<Element>} */
const waiting = new Set();

const mostWaiting = 500;

/** Forget suspects that have left the document. */
export function forgetGone() {
  for (const element of waiting) if (!isConnected(element)) waiting.delete(element);
}

/**
 * Add a rendered element to the suspects if it may host a closed root and was not inspected.
 * @param {Element} element @param {string} tag @param {Node[]} nodes its children
 */
export function suspect(element, tag, nodes) {
  if (!canHost(tag) || checked.has(element) || plain.has(element) || shadowRootOf(element)) return;
  if (tag.includes('-') && matchesSelector(element, ':defined')) {
    wait(element);
  } else if (nodes.some(isElement)) {
    if (hasUnrenderedChild(nodes)) wait(element);
    else plain.add(element);
  } else if (nodes.some((node) => isText(node) && /\S/.test(nodeValue(node) ?? ''))) {
    if (rangeHasBoxes(element)) plain.add(element);
    else wait(element);
  } else if (clientRect(element).height > 0) {
    wait(element); // a box without contents: either a style sheet or a shadow tree gives it its height
  }
}

/**
 * Whether no child element is rendered although `display` does not hide all of them. Chromium 150 has a computed style
 * for elements that are not in the flat tree; in Chromium 156 and Firefox their `display` is empty, see
 * `suspectParent`.
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
 * Add the parent of an element that is not in the flat tree to the suspects: its shadow root has no slot for the
 * element.
 * @param {Element | null} parent
 */
export function suspectParent(parent) {
  if (parent && canHost(htmlName(parent)) && !checked.has(parent) && !shadowRootOf(parent)) wait(parent);
}

/** @param {Element} element */
function wait(element) {
  if (waiting.size < mostWaiting) waiting.add(element);
}

/** The suspects that were reported last. @type {{id: string, hosts: Element[]}} */
let told = {id: '', hosts: []};

/**
 * Return the suspects for the protocol to inspect, and an id of this list. The suspects of the list `seen` count as
 * inspected and are not reported again.
 * @param {string | undefined} seen id of the last list that the server received
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
