// What the pointer meets.

/** @type {{hit: Element | null, clicked: Element | null} | null} */
let pressed = null;

/** @param {Event} event @returns {Element | null} */
function innermost(event) {
  const inner = event.composedPath()[0];
  return inner instanceof Element ? inner : /** @type {Element | null} */ (event.target);
}

addEventListener('pointerdown', (event) => {
  if (pressed && !pressed.hit) pressed.hit = innermost(event);
}, {capture: true, passive: true});

// Where the pointer is pressed on one thing and released on another, what contains both is clicked.
addEventListener('click', (event) => {
  if (pressed?.hit && !pressed.clicked && event.isTrusted) pressed.clicked = innermost(event);
}, {capture: true, passive: true});

/** Watches what comes next. */
export function watchPress() {
  pressed = {hit: null, clicked: null};
}

/** What was pressed and clicked since; asking ends it. */
export function takePressed() {
  const was = pressed;
  pressed = null;
  return was;
}
