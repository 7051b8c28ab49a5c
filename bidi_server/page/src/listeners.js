// Which elements listen for clicks, as the page's own realm tells: see ../listen.js.

import {isElement} from './dom.js';
import {closestTo, parentNode, selectAll} from './native.js';
import {oncePerPass} from './pass.js';
import {askedBy} from './secret.js';

const heard = oncePerPass((/** @type {Document} */ asked) => {
  /** @type {Set<Element>} */
  const found = new Set();
  const secret = askedBy();
  if (!secret) return found;
  const hear = (/** @type {Event} */ event) => {
    const {target} = event;
    if (target instanceof Node && isElement(target)) found.add(target);
  };
  addEventListener(secret, hear, true);
  asked.dispatchEvent(new Event(secret));
  removeEventListener(secret, hear, true);
  return found;
});

/** Elements with `aria-hidden` in which something listens for clicks. */
const hiddenAround = oncePerPass((/** @type {Document} */ asked) => {
  /** @type {Set<Element>} */
  const found = new Set();
  for (const element of heard(asked)) {
    for (let each = closestTo(element, '[aria-hidden=true]'); each && !found.has(each); each = parentHidden(each)) found.add(each);
  }
  return found;
});

/** @param {Element} element */
function parentHidden(element) {
  const parent = parentNode(element);
  return parent && isElement(parent) ? closestTo(parent, '[aria-hidden=true]') : null;
}

/** Whether something in an element with `aria-hidden`, or the element itself, listens for clicks. @param {Element} element */
export const hidesListener = (element) => hiddenAround(document).has(element);

/** Whatever is meant to be clicked, or to be said what it is. */
export const controls = 'a[href], button, input, select, textarea, [role], [tabindex], [onclick], [contenteditable]';

/** More elements inside than a thing that one clicks has: such listen for what happens to others. */
const most = 20;

/**
 * Whether the element itself, and not something that it contains, is meant to be clicked.
 * @param {Element} element
 */
export function listensForClicks(element) {
  const listening = heard(document);
  if (listening.size === 0 || !listening.has(element) || element === document.body || element === document.documentElement) return false;
  return selectAll(element, '*').length <= most && selectAll(element, controls).length === 0;
}
