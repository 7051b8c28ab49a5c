// Text that is rendered, but that no person sees: pages have it for screen readers, and attackers for agents.

import {flatContains, flatParent, htmlName} from './dom.js';
import {hasGeneratedBox, isInline, isPainted, styleOf} from './style.js';
import {clientRect, documentElement, localName, scrollLeft, scrollTop, selectAll} from '../realm/native.js';
import {inherited, oncePerPass, onEndOfPass} from '../realm/pass.js';

/**
 * Minimum contrast of text that can be seen. White on #f4f4f4 has 1.1, and the greys of disabled controls have at least
 * 1.6 (Material, Bootstrap). https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio
 */
const leastContrast = 1.1;

/** Maximum size of a box, in CSS pixels, in which nothing can be read: boxes for screen readers have 1. */
const speck = 1;

/** What to do with concealed text in this pass; '' for nothing: to ask what is concealed takes time. */
const pass = {does: /** @type {'' | 'mark' | 'omit'} */ ('')};
onEndOfPass(() => {
  pass.does = '';
});

/** Mark or leave out what is concealed, in this pass. @param {'mark' | 'omit'} does */
export function tellConcealed(does) {
  pass.does = does;
}

/** Whether this pass asks what is concealed. */
export const tellsConcealed = () => pass.does !== '';

/** Whether this pass leaves out what is concealed. */
export const omitsConcealed = () => pass.does === 'omit';

/**
 * What an element gives to all that is in it.
 * @typedef {object} Setting
 * @property {boolean} concealed nothing of it can be seen
 * @property {Element | null} ground the element with the background
 * @property {string} color of the background
 */

/** @type {Setting} */
const unseen = {concealed: true, ground: null, color: ''};

/** @type {(element: Element) => Setting} */
const settingOf = inherited(flatParent, (element, above) => {
  if (above?.concealed) return above;
  const style = styleOf(element);
  if (conceals(element, style)) return unseen;
  const color = style.backgroundColor;
  if (above && isTransparent(color)) return above;
  return {concealed: false, ground: element, color};
});

/** Whether a person can't see the text of an element, wherever the page is scrolled to. @type {(element: Element) => boolean} */
export const isConcealed = oncePerPass((element) => {
  const setting = settingOf(element);
  return setting.concealed || (htmlName(element) !== '' && hasConcealedLetters(element, setting));
});

/** Whether an element conceals all that is in it. @param {Element} element @param {CSSStyleDeclaration} style */
function conceals(element, style) {
  if (style.opacity === '0' || isCutAway(style.clipPath)) return true;
  const {position} = style;
  if (position !== 'static' && isOutside(element, position === 'fixed')) return true;
  if ((position === 'absolute' || position === 'fixed') && isClippedAway(style.clip)) return true;
  return !isInline(element) && clipsAll(element, style);
}

const inset = /^inset\((\d+(?:\.\d+)?)%(?: (\d+(?:\.\d+)?)%)?\)$|^(?:circle|ellipse)\(0(?:px|%)/;

/** Whether `clip-path` leaves nothing of a box. @param {string} path */
function isCutAway(path) {
  const found = path === 'none' ? null : inset.exec(path);
  return found !== null && (found[1] === undefined || Math.max(Number(found[1]), Number(found[2] ?? 0)) >= 50);
}

const rect = /^rect\((\S+?),? (\S+?),? (\S+?),? (\S+)\)$/;

/** Whether `clip` leaves nothing of a box out of the flow. @param {string} clip */
function isClippedAway(clip) {
  if (clip === 'auto') return false;
  const [top, right, bottom, left] = (rect.exec(clip) ?? []).slice(1).map(Number.parseFloat);
  return bottom - top <= speck || right - left <= speck;
}

/**
 * Whether a box is where no scrolling leads: above or left of the page, or anywhere outside of the viewport if it is
 * fixed there.
 * @param {Element} element @param {boolean} fixed
 */
function isOutside(element, fixed) {
  const {left, top, right, bottom} = clientRect(element);
  if (right === left && bottom === top) return false; // contents may overflow it
  if (fixed) return right <= 0 || bottom <= 0 || left >= innerWidth || top >= innerHeight;
  const root = documentElement(document);
  const leftwards = root !== null && styleOf(root).direction === 'rtl';
  const outside = bottom + scrollY <= 0 || (leftwards ? left >= innerWidth - scrollX : right + scrollX <= 0);
  return outside && !isScrolledAway(element);
}

/** Whether a part of the page, other than the page itself, is scrolled and may show the element again. @param {Element} element */
function isScrolledAway(element) {
  for (let node = flatParent(element); node; node = flatParent(node))
    if (node !== document.scrollingElement && (scrollTop(node) !== 0 || scrollLeft(node) !== 0)) return true;
  return false;
}

/** Whether a box is too small to show anything and clips what overflows it. @param {Element} element @param {CSSStyleDeclaration} style */
function clipsAll(element, {overflow}) {
  if (overflow === 'visible') return false;
  const {width, height} = clientRect(element);
  const [x, y = x] = overflow.split(' ');
  return (x !== 'visible' && width <= speck) || (y !== 'visible' && height <= speck);
}

/**
 * Whether letters are too small, out of the page or as good as transparent. Not those of a drawing, which has units of
 * its own.
 * @param {Element} element @param {Setting} setting
 */
function hasConcealedLetters(element, {ground, color}) {
  const style = styleOf(element);
  const letters = style.webkitTextFillColor;
  if (isLost(letters, color) && style.textShadow === 'none' && !isOnPicture(element, ground, isTransparent(letters)))
    return true;
  if (Number.parseFloat(style.fontSize) <= speck) return true;
  const indent = style.textIndent;
  return indent.startsWith('-') && -Number.parseFloat(indent) >= innerWidth / 2;
}

/** @param {string} color */
const isTransparent = (color) => color === 'rgba(0, 0, 0, 0)' || channelsOf(color)[3] === 0;

/** Whether letters of a colour can't be told from the ground. @type {(color: string, ground: string) => boolean} */
function isLost(color, ground) {
  if (color === ground) return true;
  const pair = `${color} ${ground}`;
  let lost = knownPairs.get(pair);
  if (lost === undefined) {
    lost = contrast(channelsOf(color), channelsOf(ground)) < leastContrast;
    keep(knownPairs, pair, lost);
  }
  return lost;
}

/** @type {Map<string, boolean>} */
const knownPairs = new Map();

/** @type {Map<string, number[]>} */
const knownChannels = new Map();
const mostKnown = 1000;

/** @template V @param {Map<string, V>} known what pages before may have filled @param {string} key @param {V} value */
function keep(known, key, value) {
  if (known.size === mostKnown) known.clear();
  known.set(key, value);
}

/** Return red, green, blue (to 255) and alpha (to 1). @param {string} color as styles have it */
function channelsOf(color) {
  let found = knownChannels.get(color);
  if (found === undefined) {
    found = channels(color);
    keep(knownChannels, color, found);
  }
  return found;
}

/** @param {string} color */
function channels(color) {
  const found = /^rgba?\((\d+), (\d+), (\d+)(?:, ([\d.]+))?\)$/.exec(color);
  if (found) return [...found.slice(1, 4).map(Number), Number(found[4] ?? 1)];
  // Another notation, such as oklch(): a canvas knows them all.
  const context = new OffscreenCanvas(1, 1).getContext('2d');
  if (!context) return [0, 0, 0, 1];
  context.fillStyle = color;
  context.fillRect(0, 0, 1, 1);
  const [red, green, blue, alpha] = context.getImageData(0, 0, 1, 1).data;
  return [red, green, blue, alpha / 255];
}

/** @param {number[]} letters @param {number[]} ground the canvas is white where nothing is */
function contrast([red, green, blue, alpha], ground) {
  const paper = ground[3] === 0 ? [255, 255, 255] : ground;
  const mixed = [red, green, blue].map((value, index) => value * alpha + paper[index] * (1 - alpha));
  const [first, second] = [luminance(mixed), luminance(paper)];
  return (Math.max(first, second) + 0.05) / (Math.min(first, second) + 0.05);
}

/** https://www.w3.org/TR/WCAG22/#dfn-relative-luminance @param {number[]} color */
function luminance(color) {
  const [red, green, blue] = color.map((value) => {
    const part = value / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/**
 * Whether something other than a plain colour is behind the letters: the background picture of an ancestor, which may
 * be clipped to them, or a picture or a coloured box that lies below them without being an ancestor.
 * @param {Element} element @param {Element | null} ground @param {boolean} transparent
 */
function isOnPicture(element, ground, transparent) {
  for (let node = /** @type {Element | null} */ (element); node; node = flatParent(node)) {
    const {backgroundImage, backgroundClip} = styleOf(node);
    if (backgroundImage !== 'none' && (!transparent || backgroundClip.includes('text'))) return true;
    if (node === ground) break;
  }
  if (transparent) return false;
  const {left, width, top, height} = clientRect(element);
  const [x, y] = [left + width / 2, top + height / 2];
  return paintedIn(ground ?? document.documentElement).some(
    ({box, by, around}) =>
      box.left <= x && x <= box.right && box.top <= y && y <= box.bottom && (around || !flatContains(by, element)),
  );
}

const pictures = new Set('img svg video canvas embed object iframe'.split(' '));

/**
 * What is painted in an element besides its own background. Style sheets may paint before and after an element, and
 * nothing tells where, so that `around` what is in it something else than its background may be seen.
 * @type {(ground: Element) => {box: DOMRect, by: Element, around: boolean}[]}
 */
const paintedIn = oncePerPass((ground) =>
  [ground, ...selectAll(ground, '*')].flatMap((by) => {
    const around = hasGeneratedBox(by);
    const paints = by !== ground && (pictures.has(localName(by)) || isPainted(by));
    return around || paints ? [{box: clientRect(by), by, around}] : [];
  }),
);
