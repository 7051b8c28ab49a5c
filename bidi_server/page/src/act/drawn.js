// Elements inside of a canvas: they are not rendered, but represent what the page draws.
// https://html.spec.whatwg.org/multipage/canvas.html#the-canvas-element
// Firefox gives them boxes nevertheless, which the pointer does not reach.

import {flatParent, htmlName} from '../dom/dom.js';
import {inPass} from '../realm/pass.js';

/** Return the canvas that contains an element; null if there is none. @param {Element} element */
export function drawnOn(element) {
  for (let each = flatParent(element); each; each = flatParent(each)) if (htmlName(each) === 'canvas') return each;
  return null;
}

/**
 * Return the state, but with the reason 'drawn' if the pointer can't reach the element because it is inside of a
 * canvas.
 * @template {object} T
 * @param {Element} element @param {T} state
 * @returns {T | {blocked: 'drawn', cover: Element}}
 */
export function orDrawn(element, state) {
  const canvas = 'blocked' in state && state.blocked !== 'disabled' ? inPass(() => drawnOn(element)) : null;
  return canvas ? {blocked: 'drawn', cover: canvas} : state;
}
