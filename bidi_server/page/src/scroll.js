// Knowing what a turn of the wheel has moved: the compositor does that when it comes to it.

import {flatParent} from './dom.js';
import {isConnected} from './native.js';
import {inPass} from './pass.js';
import {scrolls} from './style.js';

/** @type {Promise<EventTarget | null> | null} */
let moved = null;

/** What was scrolled last, or would have been; null for the document. @type {Element | null} */
let scroller = null;

/** Begins to look for what the next turn of the wheel scrolls in this frame. */
export function watchScroll() {
  moved = new Promise((resolve) => {
    document.addEventListener('scroll', ({target}) => resolve(target), {capture: true, once: true, passive: true});
  });
}

/**
 * Waits until something has been scrolled, or so many milliseconds.
 * @param {number} longest @param {() => Element | null} at what the wheel was turned over
 */
export async function scrolled(longest, at) {
  const late = new Promise((/** @type {(value: null) => void} */ resolve) => setTimeout(resolve, longest, null));
  const target = await Promise.race([moved, late]);
  scroller = target instanceof Element ? target : target ? null : inPass(() => scrollerAt(at()));
}

/** The innermost element around one that can be scrolled. @param {Element | null} inner */
function scrollerAt(inner) {
  for (let element = inner; element; element = flatParent(element)) if (scrolls(element)) return element;
  return null;
}

/** How far what was scrolled last is scrolled now, and how far it can be; without an element that is the document. */
export function scrollPlace() {
  const page = document.scrollingElement ?? document.documentElement;
  const element = scroller && isConnected(scroller) && scroller !== page ? scroller : null;
  const {scrollLeft, scrollTop, scrollWidth, scrollHeight, clientWidth, clientHeight} = element ?? page;
  return {
    element,
    x: Math.round(scrollLeft), y: Math.round(scrollTop),
    mostX: Math.max(0, scrollWidth - clientWidth), mostY: Math.max(0, scrollHeight - clientHeight),
  };
}
