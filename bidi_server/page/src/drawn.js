// What a canvas contains: nothing of it is rendered, it stands for what the page draws.
// https://html.spec.whatwg.org/multipage/canvas.html#the-canvas-element
// Firefox gives it boxes even so, which the pointer does not reach.

import {flatParent, htmlName} from './dom.js';
import {inPass} from './pass.js';

/** The canvas that an element is in, null for none. @param {Element} element */
export function drawnOn(element) {
  for (let each = flatParent(element); each; each = flatParent(each)) if (htmlName(each) === 'canvas') return each;
  return null;
}

/**
 * What stands in the way of the pointer, in other words where it is that the element has no place of its own.
 * @template {object} T
 * @param {Element} element @param {T} state
 * @returns {T | {blocked: 'drawn', cover: Element}}
 */
export function orDrawn(element, state) {
  const canvas = 'blocked' in state && state.blocked !== 'disabled' ? inPass(() => drawnOn(element)) : null;
  return canvas ? {blocked: 'drawn', cover: canvas} : state;
}
