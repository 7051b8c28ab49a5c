// Elements that listen for clicks, as recorded in the page's own realm: see ../../listen.js.

import {isElement} from '../dom/dom.js';
import {bodyOf, closestTo, documentElement, parentNode, selectAll} from '../realm/native.js';
import {oncePerPass} from '../realm/pass.js';
import {askedBy} from '../realm/secret.js';

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

/** Elements with `aria-hidden` that listen for clicks or contain an element that does. */
const hiddenAround = oncePerPass((/** @type {Document} */ asked) => {
  /** @type {Set<Element>} */
  const found = new Set();
  for (const element of heard(asked)) {
    for (let each = closestTo(element, '[aria-hidden=true]'); each && !found.has(each); each = parentHidden(each))
      found.add(each);
  }
  return found;
});

/** @param {Element} element */
function parentHidden(element) {
  const parent = parentNode(element);
  return parent && isElement(parent) ? closestTo(parent, '[aria-hidden=true]') : null;
}

/** Whether an element with `aria-hidden`, or an element inside of it, listens for clicks. @param {Element} element */
export const hidesListener = (element) => hiddenAround(document).has(element);

/** Selector of elements that are meant to be clicked, or that have a role. */
export const controls = 'a[href], button, input, select, textarea, [role], [tabindex], [onclick], [contenteditable]';

/** Maximum number of elements inside of a clickable element; larger ones listen for clicks on their descendants. */
const most = 20;

/**
 * Whether the element itself, rather than a descendant, is meant to be clicked.
 * @param {Element} element
 */
export function listensForClicks(element) {
  const listening = heard(document);
  if (
    listening.size === 0 ||
    !listening.has(element) ||
    element === bodyOf(document) ||
    element === documentElement(document)
  )
    return false;
  return selectAll(element, '*').length <= most && selectAll(element, controls).length === 0;
}
