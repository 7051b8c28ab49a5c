// The boxes that a picture is to leave out.

import {knownRoots} from '../dom/dom.js';
import {clientRect, hasBoxes, selectAll} from '../realm/native.js';
import {elementOf} from '../tree/refs.js';
import {seenPart} from './picture.js';
import {showing} from './secrets.js';
import {select} from './select.js';

/** @typedef {import('./locate.js').Target} Target */
/** @typedef {[number, number, number, number]} Box x, y, width and height in CSS pixels of the viewport */

/** @param {Target} target @returns {Element[]} */
function elementsOf({ref, selector = ''}) {
  if (ref === undefined) return select(selector);
  const element = elementOf(ref);
  return element ? [element] : [];
}

/** @param {DOMRect} rect @returns {Box} */
const boxOf = ({x, y, width, height}) => [x, y, width, height];

/** Return the boxes of what the page shows of an element. @param {Element} element @returns {Box[]} */
function boxesOf(element) {
  if (hasBoxes(element)) return [boxOf(seenPart(element))];
  const range = document.createRange();
  range.selectNodeContents(element); // it may have none itself, but contents, as with `display: contents`
  return [boxOf(range.getBoundingClientRect())];
}

/**
 * Return the viewport of a frame, and the size of a CSS pixel of it, which a transform may change.
 * @param {Element} element
 */
function viewportOf(element) {
  const {x, y, width, height} = clientRect(element);
  const {offsetWidth, offsetHeight} = /** @type {HTMLElement} */ (element);
  const [across, down] = [width / (offsetWidth || width || 1), height / (offsetHeight || height || 1)];
  const style = getComputedStyle(element);
  const inset = (/** @type {string} */ side) =>
    Number.parseFloat(style.getPropertyValue(`border-${side}-width`)) +
    Number.parseFloat(style.getPropertyValue(`padding-${side}`));
  return {
    box: [
      x + inset('left') * across,
      y + inset('top') * down,
      width - (inset('left') + inset('right')) * across,
      height - (inset('top') + inset('bottom')) * down,
    ],
    scale: [across, down],
  };
}

/**
 * Return the boxes of all elements that targets name in this frame or that show one of some texts, as a JSON string, and
 * the windows of its frames.
 * @param {Target[]} targets @param {string[]} secrets @returns {[string, ...(Window | null)[]]}
 */
export function masked(targets, secrets) {
  const found = targets.map(elementsOf);
  const shown = showing(secrets);
  const frames = [document, ...knownRoots()].flatMap((root) => [...selectAll(root, 'iframe, frame, object')]);
  const answer = {
    counts: found.map((elements) => elements.length),
    secrets: shown.length,
    boxes: [...found.flat(), ...shown].flatMap(boxesOf),
    frames: frames.map(viewportOf),
    scroll: [scrollX, scrollY],
  };
  const windows = frames.map((frame) => /** @type {HTMLIFrameElement} */ (frame).contentWindow);
  return [JSON.stringify(answer), ...windows];
}
