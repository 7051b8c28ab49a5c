// Text whose line breaks are rendered. https://drafts.csswg.org/css-text/#white-space-property

import {collapse} from '../spec/name.js';

// Placeholders for rendered line breaks and spaces until the text becomes a row: no text contains these characters,
// https://www.unicode.org/faq/private_use.html#nonchar1
const [lineBreak, space] = ['\ufdd0', '\ufdd1'];
const tab = space.repeat(4);

/**
 * Mark the line breaks of a text so that `inLines` keeps them.
 * @param {string} text @param {boolean} indented whether to keep the indentation of lines too
 */
export function kept(text, indented) {
  const lines = text.replace(/\r?\n/g, lineBreak);
  return indented ? lines.replaceAll(' ', space).replaceAll('\t', tab) : lines;
}

/** Return text as a row shows it: on one line, except for the line breaks that `kept` marked. @param {string} text */
export function inLines(text) {
  if (!text.includes(lineBreak)) return collapse(text.replaceAll(space, ' '));
  const lines = text.split(lineBreak).map((line) => {
    const words = collapse(line.replaceAll(space, ' '));
    return words && ' '.repeat(line.search(/[^\ufdd1]/)) + words;
  });
  const joined = lines
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .replace(/^\n+|\n+$/g, '');
  return joined.includes('\n') ? joined : joined.trim();
}
