// Record what the pointer hits, and keep a press from the page if it hits another element than the intended one.

/** @typedef {{x: number, y: number}} Point */

/**
 * Whether a press whose event names the element `hit` is the intended press.
 * @typedef {(hit: Element, point: Point) => boolean} IsMeant
 */

/**
 * A press. `released` is whether the main button was released, so that a click is expected.
 * @typedef {{hit: Element, point: Point, released: boolean, clicked: Element | null, kept: boolean}} Press
 */

/**
 * What a press hit in place of its element: `kept` if it was kept from the page, `unclicked` if the browser fired no
 * click for it.
 * @typedef {{hit: Element, kept?: boolean, unclicked?: boolean}} Miss
 */

/**
 * The last press. `judge` is how the action that expects it finds out what it missed.
 * @type {Omit<Press, 'hit'> & {hit: Element | null, isMeant: IsMeant | null, judge: (press: Press) => Miss | null} | null}
 */
let pressed = null;

/** @param {Event} event @returns {Element | null} */
function innermost(event) {
  const inner = event.composedPath()[0];
  return inner instanceof Element ? inner : /** @type {Element | null} */ (event.target);
}

/** Keep an event of a press from the page and from the browser. @param {Event} event */
function keep(event) {
  event.stopImmediatePropagation();
  // For pointerdown it would suppress the page's mouse events of every press until the button is released.
  if (event.type !== 'pointerdown') event.preventDefault();
}

addEventListener(
  'pointerdown',
  (event) => {
    if (!pressed || pressed.hit) return;
    pressed.hit = innermost(event);
    pressed.point = {x: event.clientX, y: event.clientY};
    // Check at the press itself: moving the pointer there may have changed the page.
    pressed.kept = Boolean(
      event.isTrusted && pressed.isMeant && pressed.hit && !pressed.isMeant(pressed.hit, pressed.point),
    );
  },
  {capture: true, passive: true},
);

addEventListener(
  'mouseup',
  (event) => {
    if (pressed?.hit && event.button === 0) pressed.released = true;
  },
  {capture: true, passive: true},
);

// If the pointer is pressed on one element and released on another, the click goes to their common ancestor.
addEventListener(
  'click',
  (event) => {
    if (pressed?.hit && !pressed.clicked && event.isTrusted) pressed.clicked = innermost(event);
  },
  {capture: true, passive: true},
);

for (const type of [
  'pointerdown',
  'mousedown',
  'pointerup',
  'mouseup',
  'click',
  'auxclick',
  'dblclick',
  'contextmenu',
]) {
  addEventListener(
    type,
    (event) => {
      if (pressed?.kept && event.isTrusted) keep(event);
    },
    {capture: true},
  );
}

/** Position of the resting pointer after an element has appeared under it, until it moves. @type {Point | null} */
let rest = null;

// For an element that appears under the pointer a browser fires `mouseover`, but no `mousemove`.
addEventListener(
  'mouseover',
  ({clientX: x, clientY: y, isTrusted}) => {
    if (isTrusted) rest = {x, y};
  },
  {capture: true, passive: true},
);
addEventListener(
  'mousemove',
  ({isTrusted}) => {
    if (isTrusted) rest = null;
  },
  {capture: true, passive: true},
);
addEventListener(
  'mouseout',
  ({relatedTarget}) => {
    if (!relatedTarget) rest = null;
  },
  {capture: true, passive: true},
);

/** Return the position of the pointer if it rests on an element on which it has not moved yet. */
export const restsOnNew = () => rest;

/**
 * Record the next press, and keep it from the page if it is not the intended one.
 * @param {IsMeant | null} isMeant @param {(press: Press) => Miss | null} judge
 */
export function watchPress(isMeant, judge) {
  pressed = {hit: null, point: {x: 0, y: 0}, released: false, clicked: null, kept: false, isMeant, judge};
}

/** Return what the press since `watchPress` missed, or null; stop recording. */
export function missed() {
  const was = pressed;
  pressed = null;
  const hit = was?.hit;
  return was && hit ? was.judge({...was, hit}) : null;
}
