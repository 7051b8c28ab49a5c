// Find the input that takes files, which pages often hide.

import {knownRoots} from '../dom/dom.js';
import {openShadowRoot, selectAll} from '../realm/native.js';

const selector = 'input[type=file]';

/** @param {Element | null} element @returns {HTMLInputElement | null} */
const asFileInput = (element) => (element instanceof HTMLInputElement && element.type === 'file' ? element : null);

/** Return the file input that an element is, labels, or contains. @param {Element} element */
function inputOf(element) {
  const own = asFileInput(element) ?? asFileInput(element instanceof HTMLLabelElement ? element.control : null);
  if (own) return own;
  const inner = [...selectAll(openShadowRoot(element) ?? element, selector)].map(asFileInput);
  return inner.length === 1 ? inner[0] : null;
}

/** @type {HTMLInputElement | null} */
let found = null;

/**
 * Return whether an element takes several files or folders, or why it takes none. `fileInput` then returns the input.
 * @param {Element} element
 */
export function takesFiles(element) {
  found = inputOf(element);
  if (!found) return {blocked: 'not-file'};
  return found.disabled ? {blocked: 'disabled'} : {multiple: found.multiple, folder: found.webkitdirectory};
}

/** Return the enabled file inputs of this frame, including hidden ones. @returns {HTMLInputElement[]} */
export const fileInputs = () =>
  [document, ...knownRoots()]
    .flatMap((root) => [...selectAll(root, selector)])
    .filter((element) => element instanceof HTMLInputElement && !element.disabled)
    .map((element) => /** @type {HTMLInputElement} */ (element));

/** Return the input that `takesFiles` found last. */
export const fileInput = () => found;
