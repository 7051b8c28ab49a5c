// Knowing what a turn of the wheel has moved: the compositor does that when it comes to it.

import {flatParent} from './dom.js';
import {isConnected} from './native.js';
import {inPass} from './pass.js';
import {scrolls} from './style.js';

/** @type {Promise<EventTarget | null> | null} */
let moved = null;

/** What was scrolled last, or would have been; null for the document. @type {Element | null} */
let scroller = null;

/** Where all that the wheel may scroll was before its first turn. @type {Map<Element, {x: number, y: number}>} */
let before = new Map();

const pageElement = () => document.scrollingElement ?? document.documentElement;

/** @param {Element} element */
const placeOf = ({scrollLeft: x, scrollTop: y}) => ({x, y});

/**
 * Begins to look for what the next turn of the wheel scrolls in this frame.
 * @param {() => Element | null} at what the wheel is turned over @param {boolean} again whether that goes on with the turn before
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
 * Waits until something has been scrolled, or so many milliseconds. Resolves to what is missing of the distance, in CSS pixels, where
 * there is room for it: Firefox 140 scrolls at most a page at a turn of the wheel.
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
    await new Promise((resolve) => setTimeout(resolve, FRAME)); // it may be on its way yet
    const now = placeOf(element);
    if (now.x === last.x && now.y === last.y) return missing;
    last = now;
  }
}

/** Milliseconds in which what moves at 60 Hz has moved. */
const FRAME = 34;

/** How far an element has been scrolled since the wheel was turned first; null if that is not known. @param {Element} element */
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

/** What is left of a way, unless that is less than a pixel or there is no room. @param {number} left @param {number} all @param {number} back @param {number} forth */
const within = (left, all, back, forth) => (left * all > 0 && Math.abs(left) >= 1 && (all > 0 ? forth : back) >= 1 ? left : 0);

/** The innermost element around one that can be scrolled. @param {Element | null} inner */
function scrollerAt(inner) {
  for (let element = inner; element; element = flatParent(element)) if (scrolls(element)) return element;
  return null;
}

/** How far what was scrolled last is scrolled now, by how much it `moved`, and how far it can be; without an element that is the document. */
export function scrollPlace() {
  const page = pageElement();
  const element = scroller && isConnected(scroller) && scroller !== page ? scroller : null;
  const {scrollLeft, scrollTop, scrollWidth, scrollHeight, clientWidth, clientHeight} = element ?? page;
  const done = movedBy(element ?? page);
  return {
    element,
    moved: done && {x: Math.round(done.x), y: Math.round(done.y)},
    x: Math.round(scrollLeft), y: Math.round(scrollTop),
    mostX: Math.max(0, scrollWidth - clientWidth), mostY: Math.max(0, scrollHeight - clientHeight),
  };
}
