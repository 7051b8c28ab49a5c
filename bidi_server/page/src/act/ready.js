// Make an element ready for the pointer: visible, not moving, enabled, and not covered.

import {flatContains, flatParent, shadowRootOf} from '../dom/dom.js';
import {catchesKeys} from './edit.js';
import {isDisabled} from '../spec/focus.js';
import {lacksSummary} from '../spec/html-role.js';
import {isItem} from '../tree/items.js';
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
} from '../realm/native.js';
import {fills} from '../tree/reach.js';
import {inPass} from '../realm/pass.js';
import {restsOnNew, watchPress} from './pressed.js';
import {refAt} from '../tree/refs.js';

/** @typedef {{x: number, y: number}} Point */

/** @param {Element} element @returns {DOMRect[]} */
const boxes = (element) => boxesOf(element).filter((box) => box.width >= 1 && box.height >= 1);

/** Positions along the stroke of a shape to try as click points, as fractions of its length. */
const along = [0.5, 0.25, 0.75, 0.1, 0.9];

/**
 * Return points on the stroke of an SVG shape, in whole pixels as pointers move: a horizontal line has a box without
 * height, and the middle of a ring is not part of the ring.
 * @param {Element} element @returns {Point[]}
 */
function onStroke(element) {
  if (!(element instanceof SVGGeometryElement) || getComputedStyle(element).stroke === 'none') return [];
  const matrix = element.getScreenCTM();
  const length = element.getTotalLength();
  if (!matrix || !length) return [];
  return along.flatMap((part) => {
    const {x, y} = element.getPointAtLength(length * part).matrixTransform(matrix);
    return [
      {x: Math.floor(x), y: Math.floor(y)},
      {x: Math.ceil(x), y: Math.ceil(y)},
    ];
  });
}

/** @param {Point} point */
const isInViewport = ({x, y}) => x >= 0 && y >= 0 && x < innerWidth && y < innerHeight;

/** Whether the element occupies space on the page. @param {Element} element */
const isDrawn = (element) => boxes(element).length > 0 || onStroke(element).length > 0;

/** @param {DOMRect} box @returns {DOMRect | null} the part inside the viewport */
function visiblePart(box) {
  const left = Math.max(box.left, 0);
  const top = Math.max(box.top, 0);
  const right = Math.min(box.right, innerWidth);
  const bottom = Math.min(box.bottom, innerHeight);
  return right - left >= 1 && bottom - top >= 1 ? new DOMRect(left, top, right - left, bottom - top) : null;
}

/**
 * Return the innermost element at a point, inside of shadow roots too.
 * @param {Point} point @returns {Element | null}
 */
function hitAt({x, y}) {
  const hit = document.elementFromPoint(x, y);
  return hit && innermostAt(hit, {x, y});
}

/**
 * Return the innermost element at a point in an element's shadow tree; events in a closed tree name the host.
 * @param {Element} outer @param {Point} point
 */
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
  // An element that ignores the pointer, or lies behind its parent, leaves the click to its ancestor: an icon in a
  // button.
  if (flatContains(hit, element)) {
    const {pointerEvents, zIndex} = getComputedStyle(element);
    if (pointerEvents === 'none' || Number(zIndex) < 0) return true;
  }
  if (labelsOf(element).some((label) => containsNode(label, hit))) return true;
  return localName(element) === 'area' || (localName(element) === 'option' && flatContains(hit, element));
}

/** @param {DOMRect} box @returns {Point[]} the middle first, then points around it, in whole pixels as pointers move */
function candidates(box) {
  const whole = (/** @type {number} */ value, /** @type {number} */ least) =>
    Math.max(Math.ceil(least), Math.trunc(value));
  const at = (/** @type {number} */ fx, /** @type {number} */ fy) => ({
    x: whole(box.left + box.width * fx, box.left),
    y: whole(box.top + box.height * fy, box.top),
  });
  return [at(0.5, 0.5), at(0.25, 0.5), at(0.75, 0.5), at(0.5, 0.25), at(0.5, 0.75), at(0.1, 0.1), at(0.9, 0.1)];
}

/** Selector of the elements that react to a click themselves. */
export const controls =
  'a[href], button, input, select, textarea, summary, [contenteditable=""], [contenteditable=true], ' +
  'button link checkbox switch radio tab menuitem menuitemcheckbox menuitemradio option treeitem combobox textbox slider spinbutton'
    .split(' ')
    .map((role) => `[role=${role}]`)
    .join();

/**
 * Whether a click at `hit` is a click on a control inside of the element, which is a control itself. Every element with
 * a ref counts as a control: an agent clicks it by that ref. A control that fills the element and has no ref is a part
 * of it: handlers may be on either.
 * @param {Element} element @param {Element} hit
 */
function isInner(element, hit) {
  const isControl = (/** @type {Element} */ each) => refAt(each) !== '' || matchesSelector(each, controls);
  if (hit === element || !isControl(element) || !flatContains(element, hit)) return false;
  for (let each = /** @type {Element | null} */ (hit); each && each !== element; each = flatParent(each)) {
    if (isControl(each) && (refAt(each) !== '' || !fills(each, element))) return true;
  }
  return false;
}

/**
 * Return the box of an element's first line, where the browser shows the default summary of `details`.
 * @param {Element} element
 */
function firstLine(element) {
  const {left, top, width} = clientRect(element);
  const style = getComputedStyle(element);
  const inset = (/** @type {string} */ side) =>
    Number.parseFloat(style.getPropertyValue(`border-${side}-width`)) +
    Number.parseFloat(style.getPropertyValue(`padding-${side}`));
  return new DOMRect(
    left + inset('left'),
    top + inset('top'),
    width - inset('left') - inset('right'),
    Number.parseFloat(style.fontSize),
  );
}

/**
 * Return a point of the element that a click would reach, or else the element that covers it.
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

/** @param {Element} element whether an animation moves it or an ancestor */
const isAnimated = (element) =>
  document.getAnimations().some((animation) => {
    const target = animation.playState === 'running' && /** @type {KeyframeEffect | null} */ (animation.effect)?.target;
    return target && inPass(() => flatContains(target, element));
  });

/**
 * Wait until the element's box is the same in two frames, at most `limit` milliseconds.
 * @param {Element} element @param {number} limit
 */
async function still(element, limit) {
  const start = performance.now();
  const place = () => {
    const box = clientRect(element);
    return [box.x, box.y, box.width, box.height].join();
  };
  for (let before = '', now = place(); before !== now && performance.now() - start < limit; now = place()) {
    before = now;
    await new Promise((resolve) => {
      requestAnimationFrame(resolve);
      setTimeout(resolve, 50);
    });
  }
}

/**
 * Time after which a frame counts as out of view, in milliseconds: a browser may notify no observers in a frame that it
 * doesn't draw.
 */
const OUT_OF_VIEW = 200;

/**
 * Whether the element is in view in the page: in the viewport of its frame is not enough, as the frame may be scrolled
 * away.
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

/**
 * Return the label to click instead of a control that is not rendered, as with styled checkboxes.
 * @param {Element} element
 */
const standIn = (element) => labelsOf(element).find((label) => boxes(label).length > 0) ?? null;

/**
 * Return what a press on an element missed, or null if it reached it.
 * @param {Element} element @param {import('./pressed.js').Press} press
 * @param {boolean} isDrag whether the press starts a drag, which releases the pointer elsewhere
 * @returns {import('./pressed.js').Miss | null}
 */
function missOf(element, press, isDrag) {
  const {clicked, kept, point} = press;
  const hit = inPass(() => innermostAt(press.hit, point));
  if (kept) return {hit, kept};
  if (!isConnected(hit) || !isConnected(element)) return null;
  if (clicked && !isDrag && clicked !== press.hit && !inPass(() => reaches(element, innermostAt(clicked, point))))
    return {hit: clicked};
  if (!inPass(() => reaches(element, hit))) return {hit};
  return press.released && !clicked && !isDrag ? {hit, unclicked: true} : null;
}

/**
 * Which presses to keep from the page: `none`; with `others`, presses that hit another element than the intended one,
 * or that one with another picture; with `present`, the same while the intended element is still in the document, for
 * pages that replace it whenever the pointer moves.
 * @typedef {'none' | 'others' | 'present'} Guard
 */

/**
 * Return the picture that replaces an element's content (CSS `content`): it has no size until it has loaded.
 * @param {Element | null} element
 */
const pictureOf = (element) => (element ? getComputedStyle(element).content : '');

/** @param {Element} element @param {Guard} guard @param {Point} at */
function aimFor(element, guard, at, isDrag = false) {
  const seen = inPass(() => hitAt(at));
  const picture = pictureOf(seen);
  const isMeant = (/** @type {Element} */ hit, /** @type {Point} */ point) =>
    (inPass(() => reaches(element, innermostAt(hit, point))) && pictureOf(seen) === picture) ||
    (guard === 'present' && !isConnected(element));
  watchPress(guard === 'none' ? null : isMeant, (press) => missOf(element, press, isDrag));
}

/** @typedef {{blocked: 'disabled' | 'hidden' | 'covered' | 'outside' | 'beside' | 'detached' | 'listed', cover?: Element | null, around?: Point | null}} Blocked */

/**
 * How long to wait for an element that can't be clicked yet, and the pause between two attempts, in milliseconds.
 * @typedef {{patience?: number, pause?: number}} Waiting
 */

/**
 * Scroll the element into view, wait until it does not move and is not covered, and return a point where the pointer
 * hits it.
 * @param {Element} element @param {Waiting & {enabled: boolean, guard?: Guard}} options
 * @returns {Promise<{point: Point, leave?: Point | null} | Blocked>} `leave` is where the pointer rests on an
 *   element that appeared under it, until it moves; `around` is where moving the pointer may make the element visible
 */
export async function ready(element, options) {
  const {patience = 500, pause = 30} = options;
  const start = performance.now();
  for (;;) {
    const state = await attempt(element, options);
    if (!isConnected(element)) return {blocked: 'detached'};
    if ('point' in state) return state;
    if (performance.now() - start > patience) return {...state, around: around(element)};
    await new Promise((resolve) => {
      setTimeout(resolve, pause);
    });
  }
}

/**
 * Return the middle of the element, or of its nearest visible ancestor.
 * @param {Element} element @returns {Point | null}
 */
function around(element) {
  for (
    let each = /** @type {Element | null} */ (element);
    each && each !== document.body;
    each = inPass(() => flatParent(/** @type {Element} */ (each)))
  ) {
    const point = middle(each);
    if (point) return point;
  }
  return null;
}

/** Return the visible part of an editor whose keys the element catches. @param {Element} element */
const editorAround = (element) =>
  inPass(() => {
    let each = flatParent(element);
    while (each && !isDrawn(each)) each = flatParent(each);
    return each ?? element;
  });

/**
 * Return the element to report as the cover: the nearest ancestor of the hit target with a ref, an ID or a class.
 * @param {Element} element @param {Element} hit
 */
const coverOf = (element, hit) =>
  inPass(() => {
    for (
      let each = /** @type {Element | null} */ (hit);
      each && !flatContains(each, element);
      each = flatParent(each)
    ) {
      if (refAt(each) !== '' || markOf(each) !== '') return each;
    }
    return hit;
  });

/**
 * Return an element's ID, or its first class, as a CSS selector; '' if neither is a plain word.
 * @param {Element} element
 */
export function markOf(element) {
  const word = (/** @type {string | null} */ text) =>
    text
      ?.trim()
      .split(/\s+/u)[0]
      .match(/^[\w-]{1,60}$/u)?.[0] ?? '';
  const [id, name] = [word(getAttributeOf(element, 'id')), word(getAttributeOf(element, 'class'))];
  return id ? `#${id}` : name ? `.${name}` : '';
}

/**
 * Return the drop-down box of an option: the browser draws its list outside of the page.
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
    // An element with `display: contents` has no box, but its children have.
    target = standIn(element) ?? [...childElements(element)].find((child) => boxes(child).length > 0) ?? element;
    if (target === element) return {blocked: 'hidden'};
  }
  if (getComputedStyle(target).visibility !== 'visible') return {blocked: 'hidden'};
  if (isAnimated(target)) await still(target, 1000);
  if (window !== top && !(await isInView(target))) bringIntoView(target, {block: 'center', inline: 'center'});
  let found = aim(target);
  for (const place of /** @type {ScrollLogicalPosition[]} */ (['center', 'start', 'end'])) {
    if ('point' in found) break;
    bringIntoView(target, {block: place, inline: place === 'center' ? 'center' : 'nearest'});
    found = aim(target);
  }
  if (!('point' in found))
    return found.cover ? {blocked: 'covered', cover: coverOf(target, found.cover)} : {blocked: 'outside'};
  aimFor(target, guard, found.point);
  return {...found, leave: restsOnNew()};
}

/** Return the middle of the visible part of an element. @param {Element} element @returns {Point | null} */
function middle(element) {
  for (const box of boxes(element)) {
    const part = visiblePart(box);
    if (part) return {x: part.x + part.width / 2, y: part.y + part.height / 2};
  }
  return onStroke(element).find(isInViewport) ?? null;
}

/**
 * Where the pointer is pressed on the dragged element and released on the target: pixels from the top left corner of
 * each.
 * @typedef {{hold?: Point | null, drop?: Point | null}} Offsets
 */

/**
 * Make an element ready to be dragged to another. If both fit into the viewport together, `end` is the drop point.
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

/**
 * Return the point that the agent names, if a press there hits the element, or else what it hits.
 * @param {Element} element @param {Point} offset @returns {ReturnType<typeof aim>}
 */
function holdAt(element, offset) {
  const point = pointAt(element, offset);
  const hit = inPass(() => hitAt(point));
  return hit && inPass(() => reaches(element, hit)) ? {point} : {cover: hit};
}

/**
 * Return the drop point for an item that is dragged to another of the same list, whose place it takes: beyond the
 * middle of that one, since lists compare with the middle.
 * @param {Element} element @param {Element} to @param {Point} from @returns {Point | null}
 */
function pastMiddle(element, to, from) {
  const alike = element.parentNode === to.parentNode && inPass(() => isItem(element) && isItem(to));
  const end = alike ? middle(to) : null;
  if (!end) return null;
  const {width, height} = clientRect(to);
  const [x, y] = [end.x - from.x, end.y - from.y];
  const point =
    Math.abs(y) < Math.abs(x)
      ? {x: Math.trunc(end.x + (Math.sign(x) * width) / 4), y: end.y}
      : {x: end.x, y: Math.trunc(end.y + (Math.sign(y) * height) / 4)};
  const hit = inPass(() => hitAt(point));
  return hit && inPass(() => reaches(to, hit)) ? point : null;
}

/**
 * Return a point of the element that the pointer reaches, or else its middle: the cover may be part of the drag. A
 * point that the agent names is used as it is, inside of the element or not.
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

/**
 * Scroll the element to the middle of the viewport.
 * @param {Element} element @param {Point | null} [offset] @returns {{point: Point | null}}
 */
export function scrollTo(element, offset) {
  bringIntoView(element, {block: 'center', inline: 'center'});
  return {point: landing(element, offset)};
}

/** Return the element that a click at a point would hit. @param {Point} point */
export const elementAt = (point) => inPass(() => hitAt(point));
