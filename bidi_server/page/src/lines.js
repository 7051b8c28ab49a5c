// Text whose line breaks are shown as such. https://drafts.csswg.org/css-text/#white-space-property

import {collapse} from './name.js';

// What stands for a line break and for a space that are shown until the text is a row: no text has these characters,
// https://www.unicode.org/faq/private_use.html#nonchar1
const [lineBreak, space] = ['\ufdd0', '\ufdd1'];
const tab = space.repeat(4);

/** @param {string} text what `inLines` keeps the lines of @param {boolean} indented and the space before them */
export function kept(text, indented) {
  const lines = text.replace(/\r?\n/g, lineBreak);
  return indented ? lines.replaceAll(' ', space).replaceAll('\t', tab) : lines;
}

/** Text as a row shows it: on one line, but for the lines that are kept. @param {string} text */
export function inLines(text) {
  if (!text.includes(lineBreak)) return collapse(text.replaceAll(space, ' '));
  const lines = text.split(lineBreak).map((line) => {
    const words = collapse(line.replaceAll(space, ' '));
    return words && ' '.repeat(line.search(/[^\ufdd1]/)) + words;
  });
  const joined = lines.join('\n').replace(/\n{3,}/g, '\n\n').replace(/^\n+|\n+$/g, '');
  return joined.includes('\n') ? joined : joined.trim();
}
