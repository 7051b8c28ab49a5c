// What few calls ask of the page: read, wait, verify, audit, files, the clock. Evaluated when one is first called.

import {audit, hasAxe, useAxe} from './audit.js';
import {pastedText, watchClipboard} from './clipboard.js';
import {readTime, turnClock} from './clock.js';
import {describe} from '../tree/describe.js';
import {dropAt, dropInput} from './drop.js';
import {freeze, unfreeze} from './freeze.js';
import {locatorsOf} from './locators.js';
import {masked} from './mask.js';
import {on} from './on.js';
import {picture} from './picture.js';
import {findElements, reads, selectorAt} from './read.js';
import {scrollTo} from './ready.js';
import {relocated, untilRelocated} from './relocate.js';
import {sourceMaps} from './source-maps.js';
import {storage} from '../realm/storage.js';
import {fileInput, fileInputs, takesFiles} from './upload.js';
import {verify} from './verify.js';
import {vitals} from './vitals.js';
import {untilSelector, untilState, untilText} from './wait.js';

/** @typedef {import('./on.js').Target} Target */

/** Functions that few calls need. They keep the same rules as `act`. */
export const extra = {
  relocated,
  /** @param {Target} target @param {keyof typeof reads} what @param {any} options */
  read: (target, what, options) => on(target, (element) => reads[what](element, options)),
  /** @param {Target} target */
  locators: (target) => on(target, (element) => ({locators: locatorsOf(element)})),
  /** @param {Target} target */
  picture: (target) =>
    on(target, (element) => {
      scrollTo(element);
      return picture(element);
    }),
  sourceMaps,
  /** @param {Target} target */
  takesFiles: (target) => on(target, (element) => takesFiles(element)),
  /** Return descriptions of the frame's file inputs, as a JSON string. */
  fileInputs: () => JSON.stringify({inputs: fileInputs().map((element) => JSON.parse(describe(element)))}),
  /** Return a description of the frame's only file input, if there is exactly one, and keep it for `fileInput`. */
  onlyFileInput: () => {
    const inputs = fileInputs();
    if (inputs.length !== 1) return JSON.stringify({missing: 'unknown'});
    return JSON.stringify({element: JSON.parse(describe(inputs[0])), changed: 'same', ...takesFiles(inputs[0])});
  },
  /** Return the input that `takesFiles` or `onlyFileInput` found, so that the protocol can refer to it. */
  fileInput,
  masked,
  freeze,
  unfreeze,
  waitForText: untilText,
  waitForSelector: untilSelector,
  waitForState: untilState,
  waitForRelocated: untilRelocated,
  verify,
  findElements,
  selectorAt,
  storage,
  vitals,
  hasAxe,
  useAxe,
  audit,
  dropInput,
  watchClipboard,
  pastedText: () => JSON.stringify(pastedText()),
  /** @param {Parameters<typeof turnClock>} given */
  turnClock: async (...given) => JSON.stringify(await turnClock(...given)),
  /** @param {string} text */
  readTime: (text) => JSON.stringify(readTime(text)),
  /** @param {Parameters<typeof dropAt>} drop */
  dropAt: (...drop) => JSON.stringify({took: dropAt(...drop)}),
};
