// End drags that the browser leaves open: Firefox 153 fires drag events for pointer actions, but neither drop nor
// dragend. https://html.spec.whatwg.org/multipage/dnd.html#drag-and-drop-processing-model

import {clientRect, isConnected} from '../realm/native.js';

/**
 * @typedef {object} Drag
 * @property {EventTarget | null} source
 * @property {[string, string][]} data
 * @property {DragEvent | null} over the last dragover
 * @property {EventTarget | null} target target of the last dragover
 * @property {boolean} ended
 */

/** @type {Drag | null} */
let drag = null;

/**
 * @param {string} kind @param {(event: DragEvent, drag: Drag) => void} note
 * @param {boolean} capture whether to run before the page's own listeners
 */
function listen(kind, note, capture) {
  addEventListener(
    kind,
    (event) => {
      if (drag) note(/** @type {DragEvent} */ (event), drag);
    },
    {capture, passive: true},
  );
}

listen(
  'dragstart',
  (event, now) => {
    now.source = event.composedPath()[0];
  },
  true,
);
listen(
  'dragstart',
  (event, now) => {
    const {dataTransfer} = event;
    now.data = [...(dataTransfer?.types ?? [])].map((type) => [type, dataTransfer?.getData(type) ?? '']);
  },
  false,
);
listen(
  'dragover',
  (event, now) => {
    now.over = event;
    now.target = event.composedPath()[0];
  },
  true,
);
for (const kind of ['drop', 'dragend'])
  listen(
    kind,
    (_, now) => {
      now.ended = true;
    },
    true,
  );

/**
 * The dragged element and its original position in the page.
 * @type {{element: Element, from: {x: number, y: number}} | null}
 */
let dragged = null;

/** Record the next drag. @param {Element} element */
export function watchDrag(element) {
  drag = {source: null, data: [], over: null, target: null, ended: false};
  dragged = {element, from: placeOf(element)};
}

/** @param {Element} element */
function placeOf(element) {
  const {x, y} = clientRect(element);
  return {x: x + scrollX, y: y + scrollY};
}

/** Return how far right and down the last drag moved its element, in CSS pixels; empty if the element is gone. */
export function movedBy() {
  const was = dragged;
  dragged = null;
  if (!was || !isConnected(was.element)) return {};
  const now = placeOf(was.element);
  return {x: Math.round(now.x - was.from.x), y: Math.round(now.y - was.from.y)};
}

/**
 * End a drag that started and did not end, as the browser should have done.
 * @returns {boolean} whether there was one
 */
export function endDrag() {
  const was = drag;
  drag = null;
  if (!was?.source || was.ended) return false;
  const transfer = new DataTransfer();
  for (const [type, value] of was.data) transfer.setData(type, value);
  const {clientX, clientY, screenX, screenY} = was.over ?? {};
  const shared = {bubbles: true, composed: true, clientX, clientY, screenX, screenY, dataTransfer: transfer};
  if (was.over?.defaultPrevented) was.target?.dispatchEvent(new DragEvent('drop', {...shared, cancelable: true}));
  was.source.dispatchEvent(new DragEvent('dragend', shared));
  return true;
}
