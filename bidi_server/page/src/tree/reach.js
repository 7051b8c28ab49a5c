// Whether the pointer can reach an element now, without scrolling: an element that is hidden from assistive technology
// (`aria-hidden`) may be visible, or a dialog may cover it.

import {flatContains, flatParent, shadowRootOf} from '../dom/dom.js';
import {boxesOf, clientRect, isVisible} from '../realm/native.js';
import {clipsOverflow} from '../dom/style.js';

/** Minimum width and height of a control, in CSS pixels: controls that a widget replaces are made smaller. */
const smallest = 4;

/** Points of a box to test for hits, as fractions of its width and height. */
const places = [
  [0.5, 0.5],
  [0.1, 0.1],
  [0.9, 0.1],
  [0.1, 0.9],
  [0.9, 0.9],
];

/**
 * Whether a person sees the element and the pointer reaches it. Outside of the viewport, only clipping can be checked.
 * @param {Element} element
 */
export function isReachable(element) {
  if (!isVisible(element, {opacityProperty: true, visibilityProperty: true})) return false;
  return boxesOf(element).some((box) => {
    if (box.width < smallest || box.height < smallest) return false;
    const seen = within(box, viewport());
    return seen ? isHitSomewhere(element, seen) : !isClipped(element, box);
  });
}

/**
 * Whether other elements cover all of the element that is in the viewport, as the backdrop of a dialog does.
 * @param {Element} element
 */
export function isCoveredWhole(element) {
  const parts = boxesOf(element)
    .map((box) => within(box, viewport()))
    .filter((part) => part !== null);
  return parts.length > 0 && !parts.some((part) => isHitSomewhere(element, part));
}

/**
 * Whether a control fills the control around it, so that the pointer can't distinguish them: a link in a tab, a button
 * in an option. A border or margin of up to a tenth does not count.
 * @param {Element} inner @param {Element} outer
 */
export function fills(inner, outer) {
  const [small, large] = [clientRect(inner), clientRect(outer)];
  const [x, y] = [large.width / 10, large.height / 10];
  return (
    small.left <= large.left + x &&
    small.right >= large.right - x &&
    small.top <= large.top + y &&
    small.bottom >= large.bottom - y
  );
}

const viewport = () => new DOMRect(0, 0, innerWidth, innerHeight);

/** @param {Element} element @param {DOMRect} part */
const isHitSomewhere = (element, part) =>
  places.some(([x, y]) => isHit(element, part.x + part.width * x, part.y + part.height * y));

/** @param {DOMRect} box @param {DOMRect} outer @returns {DOMRect | null} the intersection */
function within(box, outer) {
  const [left, top] = [Math.max(box.left, outer.left), Math.max(box.top, outer.top)];
  const [right, bottom] = [Math.min(box.right, outer.right), Math.min(box.bottom, outer.bottom)];
  return right - left >= 1 && bottom - top >= 1 ? new DOMRect(left, top, right - left, bottom - top) : null;
}

/** @param {Element} element @param {number} x @param {number} y */
function isHit(element, x, y) {
  let hit = document.elementFromPoint(x, y);
  for (let root = hit && shadowRootOf(hit); hit && root; root = shadowRootOf(hit)) {
    const inner = root.elementFromPoint(x, y);
    if (!inner || inner === hit) break;
    hit = inner;
  }
  return hit !== null && flatContains(element, hit);
}

/**
 * Whether an ancestor that does not scroll clips the box, as carousels do.
 * @param {Element} element @param {DOMRect} box
 */
function isClipped(element, box) {
  for (let each = flatParent(element); each; each = flatParent(each)) {
    if (clipsOverflow(each) && !within(box, clientRect(each))) return true;
  }
  return false;
}
