// Keep a document from changing while pictures are taken of it: animations, the caret, fonts and images.

import {focusedElement, knownRoots} from '../dom/dom.js';
import {
  clientRect,
  fontsOf,
  hasAttributeAt,
  removeAttributeOf,
  selectAll,
  styleOf,
  timelineOf,
} from '../realm/native.js';
import {nextFrame} from './settle.js';

/** Paused animations without an end, and the times at which they were. @type {Map<Animation, CSSNumberish | null>} */
const paused = new Map();

/**
 * The style that hides a caret. WebKitGTK 2.50 keeps showing the one of an empty field until it blinks, or until another
 * property has the field painted anew: this one has the value that it has anyway.
 */
const HIDING = [
  ['caret-color', 'transparent'],
  ['accent-color', 'AccentColor'],
];

/**
 * The element whose caret is hidden, and its own style before: names, values and priorities of properties.
 * @type {{element: HTMLElement, before: string[][], hasStyle: boolean} | null}
 */
let hidden = null;

const roots = () => [document, ...knownRoots()];

/**
 * Put a running animation at its end, or at its beginning if it has no end. An animation that follows a scroll position
 * stays: it moves only with that.
 * @param {Animation} animation
 */
function stop(animation) {
  if (animation.playState !== 'running' || animation.timeline !== timelineOf(document)) return;
  const {endTime} = animation.effect?.getComputedTiming() ?? {};
  if (animation.playbackRate === 0) return;
  if (Number.isFinite(endTime) || animation.playbackRate < 0) {
    animation.finish();
    return;
  }
  if (!paused.has(animation)) paused.set(animation, animation.currentTime);
  animation.pause();
  animation.currentTime = 0;
}

function showCaret() {
  if (!hidden) return;
  const {element, before, hasStyle} = hidden;
  hidden = null;
  const style = styleOf(element);
  for (const [name, value, priority] of before) {
    if (value) style.setProperty(name, value, priority);
    else style.removeProperty(name);
  }
  // Chromium 156 writes the attribute when it is read, and before that there is nothing to remove.
  if (!hasStyle && hasAttributeAt(element, 'style')) removeAttributeOf(element, 'style');
}

/** Hide the caret. A style sheet would need the page's content security policy to allow it. */
function hideCaret() {
  const element = focusedElement();
  if (element === hidden?.element) return;
  showCaret();
  if (!(element instanceof HTMLElement)) return;
  const style = styleOf(element);
  const before = HIDING.map(([name]) => [name, style.getPropertyValue(name), style.getPropertyPriority(name)]);
  hidden = {element, before, hasStyle: hasAttributeAt(element, 'style')};
  for (const [name, value] of HIDING) style.setProperty(name, value, 'important');
}

/** Whether an image is still being loaded. One that is lazy is loaded when the viewport comes near. */
const isLoading = (/** @type {HTMLImageElement} */ image) => {
  if (image.complete) return false;
  const {top, bottom, left, right} = clientRect(image);
  return image.loading !== 'lazy' || (bottom > 0 && top < innerHeight && right > 0 && left < innerWidth);
};

const loadingImages = () =>
  roots().flatMap((root) => /** @type {HTMLImageElement[]} */ ([...selectAll(root, 'img')]).filter(isLoading)).length;

/**
 * Put animations at their end, hide the caret, and wait for fonts and images. Return, as a JSON string, what is still
 * being loaded. May be called again, for what has begun meanwhile, before `unfreeze`.
 * @param {number} longest time to wait, in milliseconds
 */
export async function freeze(longest) {
  hideCaret(); // before the animations: a transition may delay it
  for (const root of roots()) for (const animation of root.getAnimations()) stop(animation);
  const start = performance.now();
  const frame = () => new Promise((/** @type {(value?: unknown) => void} */ resolve) => nextFrame(() => resolve()));
  // Fonts begin to load with the layout, and events of ended animations come with the next frame.
  await frame();
  await frame();
  const state = () => ({fonts: fontsOf(document).status === 'loading', images: loadingImages()});
  let now = state();
  while ((now.fonts || now.images > 0) && performance.now() - start < longest) {
    await frame();
    now = state();
  }
  return JSON.stringify(now);
}

/** Undo what `freeze` did: show the caret, and go on with the animations that have no end. */
export function unfreeze() {
  showCaret();
  for (const [animation, time] of paused) {
    if (animation.playState !== 'paused') continue;
    animation.currentTime = time;
    animation.play();
  }
  paused.clear();
}
