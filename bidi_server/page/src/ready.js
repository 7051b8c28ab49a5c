// Making an element ready for the pointer: shown, still, enabled, and not covered.

import {flatContains, flatParent, shadowRootOf} from './dom.js';
import {catchesKeys} from './edit.js';
import {isDisabled} from './focus.js';
import {lacksSummary} from './html-role.js';
import {isItem} from './items.js';
import {
  boxesOf,
  bringIntoView,
  childElements,
  clientRect,
  closestTo,
  containsNode,
  getAttributeOf,
  isConnected,
  labelsOf,
  localName,
  matchesSelector,
} from './native.js';
import {inPass} from './pass.js';
import {restsOnNew, takePressed, watchPress} from './pressed.js';
import {refAt} from './refs.js';

/** @typedef {{x: number, y: number}} Point */

/** @param {Element} element @returns {DOMRect[]} */
const boxes = (element) => boxesOf(element).filter((box) => box.width >= 1 && box.height >= 1);

/** Where along the stroke of a shape the pointer is tried, as fractions of its length. */
const along = [0.5, 0.25, 0.75, 0.1, 0.9];

/**
 * Points on the stroke of an SVG shape, in whole pixels as pointers move: a line that runs straight across has a box
 * without height, and the middle of a ring is not part of it.
 * @param {Element} element @returns {Point[]}
 */
function onStroke(element) {
  if (!(element instanceof SVGGeometryElement) || getComputedStyle(element).stroke === 'none') return [];
  const matrix = element.getScreenCTM();
  const length = element.getTotalLength();
  if (!matrix || !length) return [];
  return along.flatMap((part) => {
    const {x, y} = element.getPointAtLength(length * part).matrixTransform(matrix);
    return [{x: Math.floor(x), y: Math.floor(y)}, {x: Math.ceil(x), y: Math.ceil(y)}];
  });
}

/** @param {Point} point */
const isInViewport = ({x, y}) => x >= 0 && y >= 0 && x < innerWidth && y < innerHeight;

/** Whether the element has a place of its own on the page. @param {Element} element */
const isDrawn = (element) => boxes(element).length > 0 || onStroke(element).length > 0;

/** @param {DOMRect} box @returns {DOMRect | null} the part inside the viewport */
function visiblePart(box) {
  const left = Math.max(box.left, 0);
  const top = Math.max(box.top, 0);
  const right = Math.min(box.right, innerWidth);
  const bottom = Math.min(box.bottom, innerHeight);
  return right - left >= 1 && bottom - top >= 1 ? new DOMRect(left, top, right - left, bottom - top) : null;
}

/** The innermost element at a point, through shadow roots. @param {Point} point @returns {Element | null} */
function hitAt({x, y}) {
  const hit = document.elementFromPoint(x, y);
  return hit && innermostAt(hit, {x, y});
}

/** What is at a point in the shadow tree of an element, which events of closed ones are said to be of. @param {Element} outer @param {Point} point */
function innermostAt(outer, {x, y}) {
  let hit = outer;
  for (let root = shadowRootOf(hit); root; root = shadowRootOf(hit)) {
    const inner = root.elementFromPoint(x, y);
    if (!inner || inner === hit) break;
    hit = inner;
  }
  return hit;
}

/** Whether a click on `hit` is a click on `element`. @param {Element} element @param {Element} hit */
function reaches(element, hit) {
  if (hit === element || flatContains(element, hit)) return true;
  // What ignores the pointer, or lies behind what it is in, lets its ancestor have the click: an icon in a button.
  if (flatContains(hit, element)) {
    const {pointerEvents, zIndex} = getComputedStyle(element);
    if (pointerEvents === 'none' || Number(zIndex) < 0) return true;
  }
  if (labelsOf(element).some((label) => containsNode(label, hit))) return true;
  return localName(element) === 'area' || (localName(element) === 'option' && flatContains(hit, element));
}

/** @param {DOMRect} box @returns {Point[]} the middle first, then places around it, in whole pixels as pointers move */
function candidates(box) {
  const whole = (/** @type {number} */ value, /** @type {number} */ least) => Math.max(Math.ceil(least), Math.trunc(value));
  const at = (/** @type {number} */ fx, /** @type {number} */ fy) => ({x: whole(box.left + box.width * fx, box.left), y: whole(box.top + box.height * fy, box.top)});
  return [at(0.5, 0.5), at(0.25, 0.5), at(0.75, 0.5), at(0.5, 0.25), at(0.5, 0.75), at(0.1, 0.1), at(0.9, 0.1)];
}

/** What does something of its own when it is clicked. */
export const controls = 'a[href], button, input, select, textarea, summary, [contenteditable=""], [contenteditable=true], '
  + 'button link checkbox switch radio tab menuitem menuitemcheckbox menuitemradio option treeitem combobox textbox slider spinbutton'
    .split(' ').map((role) => `[role=${role}]`).join();

/**
 * Whether a click at `hit` is a click on a control inside of the element, which is a control itself. Whatever has a ref
 * is one: its ref is the way to click it.
 * @param {Element} element @param {Element} hit
 */
function isInner(element, hit) {
  const isControl = (/** @type {Element} */ each) => refAt(each) !== '' || matchesSelector(each, controls);
  if (hit === element || !isControl(element) || !flatContains(element, hit)) return false;
  for (let each = /** @type {Element | null} */ (hit); each && each !== element; each = flatParent(each)) {
    if (isControl(each)) return true;
  }
  return false;
}

/** The first line in an element, where a browser shows the summary of its own. @param {Element} element */
function firstLine(element) {
  const {left, top, width} = clientRect(element);
  const style = getComputedStyle(element);
  const inset = (/** @type {string} */ side) =>
    Number.parseFloat(style.getPropertyValue(`border-${side}-width`)) + Number.parseFloat(style.getPropertyValue(`padding-${side}`));
  return new DOMRect(left + inset('left'), top + inset('top'), width - inset('left') - inset('right'), Number.parseFloat(style.fontSize));
}

/**
 * A point of the element that a click would reach, or what lies there instead.
 * @param {Element} element @returns {{point: Point} | {cover: Element | null}}
 */
export function aim(element) {
  /** @type {Element | null} */
  let cover = null;
  /** @type {Point | null} */
  let inner = null;
  const isOwnSummary = localName(element) === 'details' && lacksSummary(element);
  const parts = (isOwnSummary ? [firstLine(element)] : boxes(element)).map(visiblePart).filter((part) => part !== null);
  for (const point of [...parts.flatMap(candidates), ...onStroke(element).filter(isInViewport)]) {
    const hit = inPass(() => hitAt(point));
    if (!hit || !inPass(() => reaches(element, hit))) cover ??= hit;
    else if (inPass(() => isInner(element, hit))) inner ??= point;
    else return {point};
  }
  return inner ? {point: inner} : {cover};
}

/** @param {Element} element whether an animation moves it or something it is in */
const isAnimated = (element) => document.getAnimations().some((animation) => {
  const target = animation.playState === 'running' && /** @type {KeyframeEffect | null} */ (animation.effect)?.target;
  return target && inPass(() => flatContains(target, element));
});

/** Resolves when the element's box is the same in two frames, at the latest after `limit` milliseconds. @param {Element} element @param {number} limit */
async function still(element, limit) {
  const start = performance.now();
  const place = () => { const box = clientRect(element); return [box.x, box.y, box.width, box.height].join(); };
  for (let before = '', now = place(); before !== now && performance.now() - start < limit; now = place()) {
    before = now;
    await new Promise((resolve) => { requestAnimationFrame(resolve); setTimeout(resolve, 50); });
  }
}

/** Milliseconds until a frame counts as out of view: the browser may not tell one that it doesn't draw. */
const OUT_OF_VIEW = 200;

/**
 * Whether the page shows the element: what is in view of its frame need not be, as the frame itself may be elsewhere.
 * @param {Element} element @returns {Promise<boolean>}
 */
function isInView(element) {
  return new Promise((resolve) => {
    const observer = new IntersectionObserver((entries) => end(entries[entries.length - 1].intersectionRatio > 0.99));
    const end = (/** @type {boolean} */ seen) => {
      observer.disconnect();
      resolve(seen);
    };
    setTimeout(end, OUT_OF_VIEW, false);
    observer.observe(element);
  });
}

/** A label stands in for a control that is not rendered itself, as styled checkboxes are built. @param {Element} element */
const standIn = (element) => labelsOf(element).find((label) => boxes(label).length > 0) ?? null;

/** What the last prepared click was meant for. @type {Element | null} */
let aimedAt = null;

/**
 * Null when the last prepared click reached its element, or else what it hit, and whether the press was kept from that or
 * the browser made no click of it.
 * @returns {{hit: Element, kept?: boolean, unclicked?: boolean} | null}
 */
export function missed() {
  const [element, pressed] = [aimedAt, takePressed()];
  aimedAt = null;
  if (!element || !pressed?.hit) return null;
  const {clicked, kept, point} = pressed;
  const hit = inPass(() => innermostAt(/** @type {Element} */ (pressed.hit), point));
  if (kept) return {hit, kept};
  if (!isConnected(hit) || !isConnected(element)) return null;
  if (clicked && !drags && clicked !== pressed.hit && !inPass(() => reaches(element, innermostAt(clicked, point)))) return {hit: clicked};
  if (!inPass(() => reaches(element, hit))) return {hit};
  return pressed.released && !clicked && !drags ? {hit, unclicked: true} : null;
}

/** Whether that was the begin of a drag, which releases the pointer elsewhere. */
let drags = false;

/**
 * Which presses are kept from the page: none; those that meet another element than the one they are meant for, or it with another picture; the same
 * while that is still there, for what the page replaces whenever the pointer moves.
 * @typedef {'none' | 'others' | 'present'} Guard
 */

/** The picture that an element itself is drawn as: without a size until it has loaded. @param {Element | null} element */
const pictureOf = (element) => (element ? getComputedStyle(element).content : '');

/** @param {Element} element @param {Guard} guard @param {Point} at */
function aimFor(element, guard, at, isDrag = false) {
  aimedAt = element;
  drags = isDrag;
  const seen = inPass(() => hitAt(at));
  const picture = pictureOf(seen);
  const isMeant = (/** @type {Element} */ hit, /** @type {Point} */ point) =>
    (inPass(() => reaches(element, innermostAt(hit, point))) && pictureOf(seen) === picture) || (guard === 'present' && !isConnected(element));
  watchPress(guard === 'none' ? null : isMeant);
}

/** @typedef {{blocked: 'disabled' | 'hidden' | 'covered' | 'outside' | 'beside' | 'detached' | 'listed', cover?: Element | null, around?: Point | null}} Blocked */

/**
 * How long an element that can't be clicked yet is waited for, and how long between two attempts, in milliseconds.
 * @typedef {{patience?: number, pause?: number}} Waiting
 */

/**
 * Scrolls the element into view, waits until it stands still and can be reached, and finds a point where the pointer does.
 * @param {Element} element @param {Waiting & {enabled: boolean, guard?: Guard}} options
 * @returns {Promise<{point: Point, leave?: Point | null} | Blocked>} `leave` is where the pointer rests on something
 *   that it has not moved on yet, `around` where it may make the element show
 */
export async function ready(element, options) {
  const {patience = 500, pause = 30} = options;
  const start = performance.now();
  for (;;) {
    const state = await attempt(element, options);
    if (!isConnected(element)) return {blocked: 'detached'};
    if ('point' in state) return state;
    if (performance.now() - start > patience) return {...state, around: around(element)};
    await new Promise((resolve) => { setTimeout(resolve, pause); });
  }
}

/** The middle of the element, or of the nearest that is shown of what contains it. @param {Element} element @returns {Point | null} */
function around(element) {
  for (let each = /** @type {Element | null} */ (element); each && each !== document.body; each = inPass(() => flatParent(/** @type {Element} */ (each)))) {
    const point = middle(each);
    if (point) return point;
  }
  return null;
}

/** What is to be seen of an editor whose keys the element catches. @param {Element} element */
const editorAround = (element) => inPass(() => {
  let each = flatParent(element);
  while (each && !isDrawn(each)) each = flatParent(each);
  return each ?? element;
});

/**
 * What somebody would call the cover of an element: the nearest around what the pointer meets that has a ref, an ID or a class.
 * @param {Element} element @param {Element} hit
 */
const coverOf = (element, hit) => inPass(() => {
  for (let each = /** @type {Element | null} */ (hit); each && !flatContains(each, element); each = flatParent(each)) {
    if (refAt(each) !== '' || markOf(each) !== '') return each;
  }
  return hit;
});

/** An element's ID, or its first class, as CSS writes it; '' for none that is a plain word. @param {Element} element */
export function markOf(element) {
  const word = (/** @type {string | null} */ text) => text?.trim().split(/\s+/u)[0].match(/^[\w-]{1,60}$/u)?.[0] ?? '';
  const [id, name] = [word(getAttributeOf(element, 'id')), word(getAttributeOf(element, 'class'))];
  return id ? `#${id}` : name ? `.${name}` : '';
}

/**
 * The drop-down box that shows an option: its list is drawn by the browser, outside of the page.
 * https://html.spec.whatwg.org/multipage/form-elements.html#concept-select-size
 * @param {Element} element
 */
function dropDownOf(element) {
  const select = element instanceof HTMLOptionElement ? closestTo(element, 'select') : null;
  return select instanceof HTMLSelectElement && !select.multiple && select.size < 2 ? select : null;
}

/** @param {Element} element @param {{enabled: boolean, guard?: Guard}} options @returns {Promise<{point: Point, leave?: Point | null} | Blocked>} */
async function attempt(element, {enabled, guard = 'none'}) {
  const select = boxes(element).some((box) => visiblePart(box)) ? null : dropDownOf(element);
  if (select) return {blocked: 'listed', cover: select};
  if (enabled && inPass(() => isDisabled(element))) return {blocked: 'disabled'};
  let target = catchesKeys(element) && !('point' in aim(element)) ? editorAround(element) : element;
  if (!isDrawn(target)) {
    // An element of display: contents has no box of its own, its children have.
    target = standIn(element) ?? [...childElements(element)].find((child) => boxes(child).length > 0) ?? element;
    if (target === element) return {blocked: 'hidden'};
  }
  if (getComputedStyle(target).visibility !== 'visible') return {blocked: 'hidden'};
  if (isAnimated(target)) await still(target, 1000);
  if (window !== top && !await isInView(target)) bringIntoView(target, {block: 'center', inline: 'center'});
  let found = aim(target);
  for (const place of /** @type {ScrollLogicalPosition[]} */ (['center', 'start', 'end'])) {
    if ('point' in found) break;
    bringIntoView(target, {block: place, inline: place === 'center' ? 'center' : 'nearest'});
    found = aim(target);
  }
  if (!('point' in found)) return found.cover ? {blocked: 'covered', cover: coverOf(target, found.cover)} : {blocked: 'outside'};
  aimFor(target, guard, found.point);
  return {...found, leave: restsOnNew()};
}

/** The middle of what is to be seen of an element. @param {Element} element @returns {Point | null} */
function middle(element) {
  for (const box of boxes(element)) {
    const part = visiblePart(box);
    if (part) return {x: part.x + part.width / 2, y: part.y + part.height / 2};
  }
  return onStroke(element).find(isInViewport) ?? null;
}

/**
 * Where the pointer takes hold of what is dragged, and lets it go: pixels from the top left corner of each element.
 * @typedef {{hold?: Point | null, drop?: Point | null}} Offsets
 */

/**
 * Makes an element ready to be dragged to another. Where both fit into the viewport together `end` is where it goes.
 * @param {Element} element @param {Element | null} to @param {Offsets & Waiting} options
 * @returns {Promise<{point: Point, end: Point | null} | Blocked>}
 */
export async function grab(element, to, {hold, drop, ...waiting}) {
  const state = await ready(element, {enabled: true, ...waiting});
  if (!('point' in state)) return state;
  if (to && !landing(to, drop)) {
    bringIntoView(to, {block: 'nearest', inline: 'nearest'});
    if (!('point' in aim(element))) bringIntoView(element, {block: 'nearest', inline: 'nearest'});
  }
  const start = hold ? holdAt(element, hold) : aim(element);
  if (!('point' in start)) return {blocked: hold ? 'beside' : 'outside', cover: start.cover};
  aimFor(element, 'none', start.point, true);
  if (!to) return {point: start.point, end: null};
  return {point: start.point, end: (drop ? null : pastMiddle(element, to, start.point)) ?? landing(to, drop)};
}

/** @param {Element} element @param {Point} offset @returns {Point} in whole pixels of the viewport */
function pointAt(element, offset) {
  const {left, top} = clientRect(element);
  return {x: Math.round(left + offset.x), y: Math.round(top + offset.y)};
}

/** A point that the agent names, if a press there is one on the element. @param {Element} element @param {Point} offset @returns {ReturnType<typeof aim>} */
function holdAt(element, offset) {
  const point = pointAt(element, offset);
  const hit = inPass(() => hitAt(point));
  return hit && inPass(() => reaches(element, hit)) ? {point} : {cover: hit};
}

/**
 * For one item of a list that is dragged to another, a point beyond the middle of that: it takes its place, and lists go
 * by the middle. @param {Element} element @param {Element} to @param {Point} from @returns {Point | null}
 */
function pastMiddle(element, to, from) {
  const alike = element.parentNode === to.parentNode && inPass(() => isItem(element) && isItem(to));
  const end = alike ? middle(to) : null;
  if (!end) return null;
  const {width, height} = clientRect(to);
  const [x, y] = [end.x - from.x, end.y - from.y];
  const point = Math.abs(y) < Math.abs(x)
    ? {x: Math.trunc(end.x + Math.sign(x) * width / 4), y: end.y}
    : {x: end.x, y: Math.trunc(end.y + Math.sign(y) * height / 4)};
  const hit = inPass(() => hitAt(point));
  return hit && inPass(() => reaches(to, hit)) ? point : null;
}

/**
 * A point of the element that the pointer reaches, or else its middle: what covers it may be part of the drag. One that
 * the agent names counts as it is, inside of the element or not.
 * @param {Element} element @param {Point | null} [offset] @returns {Point | null}
 */
function landing(element, offset) {
  if (offset) {
    const point = pointAt(element, offset);
    return isInViewport(point) ? point : null;
  }
  const found = aim(element);
  return 'point' in found ? found.point : middle(element);
}

/** Scrolls the element to the middle of the viewport. @param {Element} element @param {Point | null} [offset] @returns {{point: Point | null}} */
export function scrollTo(element, offset) {
  bringIntoView(element, {block: 'center', inline: 'center'});
  return {point: landing(element, offset)};
}

/** What a click at a point would hit. @param {Point} point */
export const elementAt = (point) => inPass(() => hitAt(point));
