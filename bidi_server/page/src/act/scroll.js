// Find out what a turn of the wheel has scrolled: the compositor scrolls asynchronously.

import {flatParent} from '../dom/dom.js';
import {isConnected} from '../realm/native.js';
import {inPass} from '../realm/pass.js';
import {scrolls} from '../dom/style.js';

/** @type {Promise<EventTarget | null> | null} */
let moved = null;

/** The element that was scrolled last, or would have been; null for the document. @type {Element | null} */
let scroller = null;

/**
 * Scroll positions of all elements that the wheel may scroll, before its first turn.
 * @type {Map<Element, {x: number, y: number}>}
 */
let before = new Map();

const pageElement = () => document.scrollingElement ?? document.documentElement;

/** @param {Element} element */
const placeOf = ({scrollLeft: x, scrollTop: y}) => ({x, y});

/**
 * Start to watch what the next turn of the wheel scrolls in this frame.
 * @param {() => Element | null} at returns the element under the wheel
 * @param {boolean} again whether it continues the turn before
 */
export function watchScroll(at, again) {
  if (!again) {
    before = new Map([[pageElement(), placeOf(pageElement())]]);
    for (let element = at(); element; element = flatParent(element)) before.set(element, placeOf(element));
  }
  moved = new Promise((resolve) => {
    document.addEventListener('scroll', ({target}) => resolve(target), {capture: true, once: true, passive: true});
  });
}

/**
 * Wait until something has been scrolled, or for `longest` milliseconds. Resolve to the missing part of the distance,
 * in CSS pixels, as far as there is room for it: Firefox 140 scrolls at most a page per turn of the wheel.
 * @param {number} longest @param {() => Element | null} at @param {{x: number, y: number}} distance
 */
export async function scrolled(longest, at, distance) {
  const late = new Promise((/** @type {(value: null) => void} */ resolve) => setTimeout(resolve, longest, null));
  const target = await Promise.race([moved, late]);
  scroller = target instanceof Element ? target : target ? null : inPass(() => scrollerAt(at()));
  const element = scroller ?? pageElement();
  if (!target || !before.has(element)) return {x: 0, y: 0};
  let last = placeOf(element);
  for (;;) {
    const missing = missingOf(element, distance);
    if (!missing.x && !missing.y) return missing;
    await new Promise((resolve) => setTimeout(resolve, FRAME)); // it may still be scrolling
    const now = placeOf(element);
    if (now.x === last.x && now.y === last.y) return missing;
    last = now;
  }
}

/** Time in which an animation at 60 Hz has moved, in milliseconds. */
const FRAME = 34;

/**
 * Return how far an element has been scrolled since the first turn of the wheel; null if unknown.
 * @param {Element} element
 */
function movedBy(element) {
  const start = before.get(element);
  return start ? {x: element.scrollLeft - start.x, y: element.scrollTop - start.y} : null;
}

/** @param {Element} element @param {{x: number, y: number}} distance */
function missingOf(element, distance) {
  const done = movedBy(element) ?? distance;
  if (!done.x && !done.y) return {x: 0, y: 0};
  const {scrollLeft, scrollTop, scrollWidth, scrollHeight, clientWidth, clientHeight} = element;
  return {
    x: within(distance.x - done.x, distance.x, scrollLeft, scrollWidth - clientWidth - scrollLeft),
    y: within(distance.y - done.y, distance.y, scrollTop, scrollHeight - clientHeight - scrollTop),
  };
}

/**
 * Return the remaining distance; 0 if it is less than a pixel or there is no room.
 * @param {number} left @param {number} all @param {number} back @param {number} forth
 */
const within = (left, all, back, forth) =>
  left * all > 0 && Math.abs(left) >= 1 && (all > 0 ? forth : back) >= 1 ? left : 0;

/** Return the element or its nearest ancestor that can be scrolled. @param {Element | null} inner */
function scrollerAt(inner) {
  for (let element = inner; element; element = flatParent(element)) if (scrolls(element)) return element;
  return null;
}

/**
 * Return the position of the element that was scrolled last, how far it has `moved`, and its maximum position; without
 * `element` it is the document.
 */
export function scrollPlace() {
  const page = pageElement();
  const element = scroller && isConnected(scroller) && scroller !== page ? scroller : null;
  const {scrollLeft, scrollTop, scrollWidth, scrollHeight, clientWidth, clientHeight} = element ?? page;
  const done = movedBy(element ?? page);
  return {
    element,
    moved: done && {x: Math.round(done.x), y: Math.round(done.y)},
    x: Math.round(scrollLeft),
    y: Math.round(scrollTop),
    mostX: Math.max(0, scrollWidth - clientWidth),
    mostY: Math.max(0, scrollHeight - clientHeight),
  };
}
