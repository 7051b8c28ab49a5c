// Elements that may host a closed shadow root. Script cannot see one, the protocol's serialisation can.

import {adoptRoot, canHost, htmlName, shadowRootOf} from './dom.js';
import {isConnected} from './native.js';

/** Elements that the protocol has looked into. @type {WeakSet<Element>} */
const checked = new WeakSet();
/** @type {Set<Element>} */
const waiting = new Set();

/** Forgets suspects that have left the document. */
export function forgetGone() {
  for (const element of waiting) if (!isConnected(element)) waiting.delete(element);
}

/** Notes the element when it may host a closed root that nobody has looked for. @param {Element} element */
export function suspect(element) {
  const name = htmlName(element);
  if (!canHost(name) || checked.has(element) || shadowRootOf(element)) return;
  if (name.includes('-')) waiting.add(element);
}

/** @returns {Element[]} */
export const uncheckedHosts = () => [...waiting];

/** @param {(Element | ShadowRoot | null)[]} pairs host, root, host, root …; null for a host that has none */
export function adoptRoots(pairs) {
  for (let index = 0; index + 1 < pairs.length; index += 2) {
    const host = /** @type {Element} */ (pairs[index]);
    const root = /** @type {ShadowRoot | null} */ (pairs[index + 1]);
    checked.add(host);
    waiting.delete(host);
    if (root) adoptRoot(host, root);
  }
}
