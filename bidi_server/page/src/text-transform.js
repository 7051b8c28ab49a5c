// Letters as they are shown. https://drafts.csswg.org/css-text/#text-transform-property

import {oncePerPass} from './pass.js';

const computed = window.getComputedStyle.bind(window);

/** @type {(element: Element) => string} */
const transformOf = oncePerPass((element) => computed(element).textTransform);

// The first letter of each word: a letter that no letter, digit or apostrophe comes before.
const initial = /(?<![\p{L}\p{M}\p{N}'’])\p{L}/gu;

/** @param {string} text @param {Element} element what the text is in */
export function asShown(text, element) {
  const transform = transformOf(element);
  if (transform === 'none' || transform === '') return text;
  if (transform.includes('uppercase')) return text.toUpperCase();
  if (transform.includes('lowercase')) return text.toLowerCase();
  return transform.includes('capitalize') ? text.replace(initial, (letter) => letter.toUpperCase()) : text;
}
