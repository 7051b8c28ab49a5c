// The part of an action that runs in the page: find the element, describe it, make it ready, change it.

import {walk} from '../tree/answer.js';
import {describe} from '../tree/describe.js';
import {endDrag, movedBy, watchDrag} from './drag.js';
import {drawnOn, orDrawn} from './drawn.js';
import {choose, controlKind, focusSlider, heldBy, insert, pasteDrawn} from './edit.js';
import {locate, wanted} from './locate.js';
import {quickLocatorsOf} from './locators.js';
import {useTestId} from './locator-syntax.js';
import {on} from './on.js';
import {inPass} from '../realm/pass.js';
import {isReachable} from '../tree/reach.js';
import {elementAt, grab, ready, scrollTo} from './ready.js';
import {scrolled, scrollPlace, watchScroll} from './scroll.js';
import {isHidden} from '../dom/style.js';

/** @typedef {import('./on.js').Target} Target */

/**
 * The actions. Each returns a JSON string; one that needs an element returns `{missing}` if there is none, and otherwise
 * `{element, changed}` in addition to its own result. It does nothing to an element that has changed significantly since
 * the agent saw it.
 */
export const act = {
  /** Return the element itself, so that the protocol can refer to it. @param {Target} target */
  element: (target) => locate(target),
  wanted,
  /** @param {Target} target */
  look: (target) =>
    on(target, (element) => ({
      ...controlKind(element),
      hidden: inPass(() => isHidden(element) && !drawnOn(element) && !isReachable(element)),
    })),
  /** @param {Target} target @param {import('./ready.js').Waiting & {enabled: boolean}} options */
  ready: (target, options) =>
    on(target, async (element) => orDrawn(element, await ready(element, options)), options.enabled),
  /** @param {Target} target @param {import('./ready.js').Point | null} [offset] */
  scrollTo: (target, offset) => on(target, (element) => scrollTo(element, offset)),
  /** @param {Target} target @param {Target | null} to @param {import('./ready.js').Offsets & import('./ready.js').Waiting} options */
  grab: (target, to, options) =>
    on(target, (element) => {
      watchDrag(element);
      return grab(element, to && locate(to), options).then((state) => orDrawn(element, state));
    }),
  /** End a drag that the browser left open. */
  endDrag,
  /** Return how far a drag has moved its element, as a JSON string. */
  movedBy: () => JSON.stringify(movedBy()),
  /**
   * Return the size of the viewport, its scroll position and the size of its contents, in CSS pixels, as a JSON
   * string.
   */
  viewport: () => {
    const {scrollWidth, scrollHeight} = document.scrollingElement ?? document.documentElement;
    return JSON.stringify({
      width: innerWidth,
      height: innerHeight,
      scrollX: Math.round(scrollX),
      scrollY: Math.round(scrollY),
      scrollWidth,
      scrollHeight,
      devicePixelRatio,
    });
  },
  /** @param {{x: number, y: number}} point @param {boolean} again */
  watchScroll: (point, again) => watchScroll(() => elementAt(point), again),
  /**
   * Return the distance that is still missing, as a JSON string.
   * @param {number} longest @param {{x: number, y: number}} point @param {{x: number, y: number}} distance
   */
  scrolled: async (longest, point, distance) =>
    JSON.stringify(await scrolled(longest, () => elementAt(point), distance)),
  /** Return the scroll position of the element that the wheel scrolled, as a JSON string. */
  scrollPlace: () => {
    const {element, ...place} = scrollPlace();
    return JSON.stringify({...place, element: element && JSON.parse(describe(element))});
  },
  /** Scroll the page to its end. */
  scrollToEnd: () => {
    const page = document.scrollingElement ?? document.documentElement;
    page.scrollTo({top: page.scrollHeight, behavior: 'instant'});
  },
  /**
   * Return the element that a click at a point would hit, as a JSON string; null if there is none.
   * @param {{x: number, y: number}} point
   */
  at: (point) => {
    const element = elementAt(point);
    return JSON.stringify({element: element && JSON.parse(describe(element)), viewport: [innerWidth, innerHeight]});
  },
  /** @param {Target} target @param {string} text @param {{clear: boolean, keys?: import('./edit.js').Keys}} options */
  insert: (target, text, options) => on(target, (element) => insert(element, text, options)),
  /** @param {Target} target @param {string} text */
  pasteDrawn: (target, text) => on(target, (element) => pasteDrawn(element, text)),
  /** @param {Target} target @param {string} text @param {{clear: boolean}} options */
  heldBy: (target, text, options) => on(target, (element) => heldBy(element, text, options)),
  /** @param {Target} target */
  focusSlider: (target) => on(target, (element) => focusSlider(element)),
  /** @param {Target} target @param {string[]} wanted */
  choose: (target, wanted) => on(target, (element) => choose(element, wanted)),
  /** Wait for one turn of the page's event loop. */
  turn: () =>
    new Promise((/** @type {(value?: unknown) => void} */ resolve) => {
      setTimeout(resolve);
    }),
  /**
   * Call `walk` for the element that the target names; return the empty list if there is none.
   * @param {Parameters<typeof walk>[0]} options @param {Target} target
   */
  walkAt: (options, target) => {
    const scope = locate(target);
    return scope ? walk(options, scope) : [];
  },
  useTestId,
};

/**
 * Let the browser compile what each action calls first, while the page is idle. The first action of a document takes
 * 1 ms less in Firefox 153.
 */
export function warmUp() {
  if (document.documentElement) quickLocatorsOf(document.documentElement);
}
