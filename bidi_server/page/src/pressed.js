// What the pointer meets, and keeping a press from what it was not meant for.

/** @typedef {{x: number, y: number}} Point */

/** Whether a press that is said to be of an element is the press that was meant. @typedef {(hit: Element, point: Point) => boolean} IsMeant */

/**
 * `released` is whether the main button went up again, where a click is to follow.
 * @type {{hit: Element | null, point: Point, released: boolean, clicked: Element | null, kept: boolean, isMeant: IsMeant | null} | null}
 */
let pressed = null;

/** @param {Event} event @returns {Element | null} */
function innermost(event) {
  const inner = event.composedPath()[0];
  return inner instanceof Element ? inner : /** @type {Element | null} */ (event.target);
}

/** Keeps an event of a press from the page and from the browser. @param {Event} event */
function keep(event) {
  event.stopImmediatePropagation();
  // That of pointerdown would take the page's mouse events of every press until the button is up.
  if (event.type !== 'pointerdown') event.preventDefault();
}

addEventListener('pointerdown', (event) => {
  if (!pressed || pressed.hit) return;
  pressed.hit = innermost(event);
  pressed.point = {x: event.clientX, y: event.clientY};
  // Only what is under the pointer at the press can tell: moving there may have changed the page.
  pressed.kept = Boolean(event.isTrusted && pressed.isMeant && pressed.hit && !pressed.isMeant(pressed.hit, pressed.point));
}, {capture: true, passive: true});

addEventListener('mouseup', (event) => {
  if (pressed?.hit && event.button === 0) pressed.released = true;
}, {capture: true, passive: true});

// Where the pointer is pressed on one thing and released on another, what contains both is clicked.
addEventListener('click', (event) => {
  if (pressed?.hit && !pressed.clicked && event.isTrusted) pressed.clicked = innermost(event);
}, {capture: true, passive: true});

for (const type of ['pointerdown', 'mousedown', 'pointerup', 'mouseup', 'click', 'auxclick', 'dblclick', 'contextmenu']) {
  addEventListener(type, (event) => { if (pressed?.kept && event.isTrusted) keep(event); }, {capture: true});
}

/** Where the pointer rests while something has come under it, until it moves. @type {Point | null} */
let rest = null;

// A browser says that the pointer is over what has come under it, and nothing says that it has moved.
addEventListener('mouseover', ({clientX: x, clientY: y, isTrusted}) => { if (isTrusted) rest = {x, y}; }, {capture: true, passive: true});
addEventListener('mousemove', ({isTrusted}) => { if (isTrusted) rest = null; }, {capture: true, passive: true});
addEventListener('mouseout', ({relatedTarget}) => { if (!relatedTarget) rest = null; }, {capture: true, passive: true});

/** Where the pointer rests on something that it has not moved on yet. */
export const restsOnNew = () => rest;

/** Watches what comes next, and keeps a press from anything that it is not meant for. @param {IsMeant | null} isMeant */
export function watchPress(isMeant) {
  pressed = {hit: null, point: {x: 0, y: 0}, released: false, clicked: null, kept: false, isMeant};
}

/** What was pressed and clicked since, and whether that was kept from the page; asking ends it. */
export function takePressed() {
  const was = pressed;
  pressed = null;
  return was;
}
