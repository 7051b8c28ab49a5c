// Match the texts that a selector asks for: by a part in any case, exactly, or by a regular expression.

import {collapse} from '../spec/name.js';

/**
 * @typedef {object} TextMatch
 * @property {string} said the text, or the source of the regular expression
 * @property {'part' | 'exact' | 'pattern'} kind
 * @property {(text: string) => boolean} fits
 */

/** @param {string | RegExp} wanted @param {boolean} [exact] match the whole text and its case @returns {TextMatch} */
export function textMatch(wanted, exact = false) {
  if (wanted instanceof RegExp) {
    // With g or y a regular expression would remember its position.
    const pattern = new RegExp(wanted.source, wanted.flags.replace(/[gy]/g, ''));
    return {said: wanted.source, kind: 'pattern', fits: (text) => pattern.test(collapse(text))};
  }
  const said = collapse(wanted);
  if (exact) return {said, kind: 'exact', fits: (text) => collapse(text) === said};
  const part = said.toLowerCase();
  return {said, kind: 'part', fits: (text) => collapse(text).toLowerCase().includes(part)};
}
