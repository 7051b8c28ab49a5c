// Drop what comes from outside of the page: files, or data of other programs. Browsers take no such drags from pointer
// actions. https://html.spec.whatwg.org/multipage/dnd.html#drag-and-drop-processing-model

import {elementAt} from './ready.js';

/** The input that takes the files from the protocol. It is never in the document. */
let input = document.createElement('input');

/** Return a new input, so that the protocol can give files to it. */
export function dropInput() {
  input = document.createElement('input');
  input.type = 'file';
  input.multiple = true;
  return input;
}

/**
 * Drop the files that the input has been given, and data, on what is at a point. Return whether the page took them.
 * @param {{x: number, y: number}} point @param {[type: string, value: string][]} data
 */
export function dropAt({x, y}, data) {
  const target = elementAt({x, y});
  if (!target) return false;
  const transfer = new DataTransfer();
  for (const file of input.files ?? []) transfer.items.add(file);
  for (const [type, value] of data) transfer.setData(type, value);
  /** @param {string} kind */
  const fire = (kind) =>
    target.dispatchEvent(
      new DragEvent(kind, {
        bubbles: true,
        composed: true,
        cancelable: kind !== 'dragleave',
        clientX: x,
        clientY: y,
        screenX: x + screenX,
        screenY: y + screenY,
        dataTransfer: transfer,
      }),
    );
  fire('dragenter');
  const took = !fire('dragover');
  fire(took ? 'drop' : 'dragleave');
  return took;
}
