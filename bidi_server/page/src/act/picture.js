// The part of an element that a screenshot can show.

import {flatParent} from '../dom/dom.js';
import {clientRect} from '../realm/native.js';

/**
 * Whether the overflow of the element applies to the viewport.
 * https://drafts.csswg.org/css-overflow/#overflow-propagation
 * @param {Element} element
 */
const isViewport = (element) =>
  element === document.documentElement ||
  (element === document.body && getComputedStyle(document.documentElement).overflow === 'visible');

/** Return the boxes of the element's ancestors that clip it. @param {Element} element @returns {DOMRect[]} */
function clips(element) {
  const found = [];
  let {position} = getComputedStyle(element);
  for (let each = flatParent(element); each && position !== 'fixed'; each = flatParent(each)) {
    const style = getComputedStyle(each);
    if (position === 'absolute' && style.position === 'static') continue;
    position = style.position;
    const cutsOff = style.overflow !== 'visible' && style.display !== 'inline' && style.display !== 'contents';
    if (cutsOff && !isViewport(each)) found.push(clientRect(each));
  }
  return found;
}

/** @param {DOMRect} a @param {DOMRect} b @returns {DOMRect} the intersection */
function common(a, b) {
  const [x, y] = [Math.max(a.left, b.left), Math.max(a.top, b.top)];
  return new DOMRect(x, y, Math.max(0, Math.min(a.right, b.right) - x), Math.max(0, Math.min(a.bottom, b.bottom) - y));
}

/** @param {DOMRect} a @param {DOMRect} b whether they have the same size, except for rounding */
const isWhole = (a, b) => Math.abs(a.width - b.width) < 1 && Math.abs(a.height - b.height) < 1;

/** Return the part of the element that its ancestors do not clip. @param {Element} element @returns {DOMRect} */
export const seenPart = (element) => clips(element).reduce(common, clientRect(element));

/**
 * Return the part of the element that a screenshot can show: its box, relative to the viewport, or to the document if
 * the viewport does not show the whole element; `cut` if the box is only a part of the element.
 * @param {Element} element @returns {{box: DOMRect, origin: 'viewport' | 'document', cut: boolean}}
 */
export function picture(element) {
  const whole = clientRect(element);
  const {scrollWidth, scrollHeight} = document.documentElement;
  const page = new DOMRect(-scrollX, -scrollY, scrollWidth, scrollHeight);
  const seen = common(seenPart(element), page);
  const cut = !isWhole(seen, whole);
  if (!cut && isWhole(common(whole, new DOMRect(0, 0, innerWidth, innerHeight)), whole))
    return {box: whole, origin: 'viewport', cut};
  return {box: new DOMRect(seen.x + scrollX, seen.y + scrollY, seen.width, seen.height), origin: 'document', cut};
}
