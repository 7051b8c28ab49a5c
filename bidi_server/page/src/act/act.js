// The part of an action that runs in the page: find the element, describe it, make it ready, change it. Evaluated when
// the first action is called.

import {audit, hasAxe, useAxe} from './audit.js';
import {change} from '../tree/changed.js';
import {pastedText, watchClipboard} from './clipboard.js';
import {readTime, turnClock} from './clock.js';
import {endDrag, movedBy, watchDrag} from './drag.js';
import {dropAt, dropInput} from './drop.js';
import {drawnOn, orDrawn} from './drawn.js';
import {choose, controlKind, focusForTyping, focusSlider, heldBy, insert, pasteDrawn} from './edit.js';
import {takeLeaving} from '../realm/leaving.js';
import {freeze, unfreeze} from './freeze.js';
import {find, locate, matches, missing, wanted} from './locate.js';
import {useTestId} from './locator-syntax.js';
import {locatorsOf, quickLocatorsOf} from './locators.js';
import {inPass} from '../realm/pass.js';
import {storage} from '../realm/storage.js';
import {masked} from './mask.js';
import {picture} from './picture.js';
import {findElements, reads, selectorAt} from './read.js';
import {isReachable} from '../tree/reach.js';
import {elementAt, grab, markOf, ready, scrollTo} from './ready.js';
import {scrolled, scrollPlace, watchScroll} from './scroll.js';
import {sourceMaps} from './source-maps.js';
import {untilSelector, untilState, untilText} from './wait.js';
import {walk} from '../tree/answer.js';
import {describe, rowsOf} from '../tree/describe.js';
import {isHidden} from '../dom/style.js';
import {fileInput, fileInputs, takesFiles} from './upload.js';
import {verify} from './verify.js';
import {vitals} from './vitals.js';

/**
 * `was` is the role and name that the agent saw with the ref.
 * @typedef {import('./locate.js').Target & {was?: {role: string, name: string}}} Target
 */
/**
 * Return how the element has changed since the agent saw it. Its name can depend on the elements around it: before an
 * action is refused, a walk of the whole document shows what a new snapshot would contain.
 * @param {Element} element @param {{role: string, name: string}} was @param {{role: string, name: string}} known
 */
function changeOf(element, was, known) {
  const seen = change(was, known);
  return seen === 'significant' && rowsOf(element).some((row) => change(was, row) !== seen) ? 'same' : seen;
}

/**
 * @param {Target} target @param {(element: Element) => object | Promise<object>} act @param {boolean} [forClick]
 * @returns {Promise<string>}
 */
async function on(target, act, forClick) {
  const {element, choice} = find(target, forClick);
  if (!element) return JSON.stringify(missing(target));
  takeLeaving();
  const known = JSON.parse(describe(element));
  const changed = target.was ? changeOf(element, target.was, known) : 'same';
  if (changed === 'significant') return JSON.stringify({element: known, changed});
  known.locators = quickLocatorsOf(element); // before the action changes the element
  const {cover, ...result} = /** @type {{cover?: Element | null}} */ (await act(element));
  return JSON.stringify({
    element: known,
    changed,
    choice,
    ...result,
    ...(cover ? {cover: {...JSON.parse(describe(cover)), mark: markOf(cover)}} : {}),
  });
}

/**
 * The actions. Each returns a JSON string; one that needs an element returns `{missing}` if there is none, and otherwise
 * `{element, changed}` in addition to its own result. It does nothing to an element that has changed significantly since
 * the agent saw it.
 */
export const act = {
  /** Return the element itself, so that the protocol can refer to it. @param {Target} target */
  element: (target) => locate(target),
  wanted,
  matches,
  /** @param {Target} target */
  look: (target) =>
    on(target, (element) => ({
      ...controlKind(element),
      hidden: inPass(() => isHidden(element) && !drawnOn(element) && !isReachable(element)),
    })),
  /** @param {Target} target @param {keyof typeof reads} what @param {any} options */
  read: (target, what, options) => on(target, (element) => reads[what](element, options)),
  /** @param {Target} target */
  locators: (target) => on(target, (element) => ({locators: locatorsOf(element)})),
  /** @param {Target} target @param {import('./ready.js').Waiting & {enabled: boolean}} options */
  ready: (target, options) =>
    on(target, async (element) => orDrawn(element, await ready(element, options)), options.enabled),
  /** @param {Target} target @param {import('./ready.js').Point | null} [offset] */
  scrollTo: (target, offset) => on(target, (element) => scrollTo(element, offset)),
  /** @param {Target} target */
  picture: (target) =>
    on(target, (element) => {
      scrollTo(element);
      return picture(element);
    }),
  /** @param {Target} target @param {Target | null} to @param {import('./ready.js').Offsets & import('./ready.js').Waiting} options */
  grab: (target, to, options) =>
    on(target, (element) => {
      watchDrag(element);
      return grab(element, to && locate(to), options).then((state) => orDrawn(element, state));
    }),
  /** End a drag that the browser left open. */
  endDrag,
  sourceMaps,
  /** Return how far a drag has moved its element, as a JSON string. */
  movedBy: () => JSON.stringify(movedBy()),
  /** @param {Target} target */
  takesFiles: (target) => on(target, (element) => takesFiles(element)),
  /** Return descriptions of the frame's file inputs, as a JSON string. */
  fileInputs: () => JSON.stringify({inputs: fileInputs().map((element) => JSON.parse(describe(element)))}),
  /** Return a description of the frame's only file input, if there is exactly one, and keep it for `fileInput`. */
  onlyFileInput: () => {
    const inputs = fileInputs();
    if (inputs.length !== 1) return JSON.stringify({missing: 'unknown'});
    return JSON.stringify({element: JSON.parse(describe(inputs[0])), changed: 'same', ...takesFiles(inputs[0])});
  },
  /** Return the input that `takesFiles` or `onlyFileInput` found, so that the protocol can refer to it. */
  fileInput,
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
  /** @param {Target} target @param {{clear: boolean}} options */
  focusForTyping: (target, options) => on(target, (element) => focusForTyping(element, options)),
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
  masked,
  freeze,
  unfreeze,
  waitForText: untilText,
  waitForSelector: untilSelector,
  waitForState: untilState,
  verify,
  findElements,
  useTestId,
  selectorAt,
  storage,
  vitals,
  hasAxe,
  useAxe,
  audit,
  dropInput,
  watchClipboard,
  pastedText: () => JSON.stringify(pastedText()),
  /** @param {Parameters<typeof turnClock>} given */
  turnClock: async (...given) => JSON.stringify(await turnClock(...given)),
  /** @param {string} text */
  readTime: (text) => JSON.stringify(readTime(text)),
  /** @param {Parameters<typeof dropAt>} drop */
  dropAt: (...drop) => JSON.stringify({took: dropAt(...drop)}),
};
