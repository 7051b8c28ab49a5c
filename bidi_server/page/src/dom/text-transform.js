// Text with the letters that are rendered. https://drafts.csswg.org/css-text/#text-transform-property

import {knownRoots} from './dom.js';
import {selectAll} from '../realm/native.js';
import {onEndOfPass, oncePerPass} from '../realm/pass.js';
import {sheetsOf} from './sheets.js';

const computed = window.getComputedStyle.bind(window);

/** @type {WeakMap<CSSStyleSheet, {count: number, transforms: boolean}>} */
const known = new WeakMap();

// Whether any style may change letters; null until it is needed. Checking each element costs more than its name.
const transforms = {anywhere: /** @type {boolean | null} */ (null)};
onEndOfPass(() => {
  transforms.anywhere = null;
});

const mayTransform = () =>
  [document, ...knownRoots()].some(
    (root) => sheetsOf(root).some(sheetTransforms) || selectAll(root, '[style*="text-transform"]').length > 0,
  );

/** @param {CSSStyleSheet} sheet */
function sheetTransforms(sheet) {
  /** @type {CSSRuleList} */
  let rules;
  try {
    rules = sheet.cssRules;
  } catch {
    // A sheet of another origin: assume that it does.
    return true;
  }
  const before = known.get(sheet);
  if (before?.count === rules.length) return before.transforms;
  const answer = rulesTransform(rules, 0);
  known.set(sheet, {count: rules.length, transforms: answer});
  return answer;
}

/** @param {CSSRuleList} rules @param {number} depth @returns {boolean} */
function rulesTransform(rules, depth) {
  if (depth > 20) return true;
  for (const rule of rules) {
    const {style, styleSheet, cssRules} = /** @type {CSSStyleRule & CSSImportRule} */ (rule);
    const value = style?.textTransform;
    if (value && value !== 'none') return true;
    if (styleSheet && sheetTransforms(styleSheet)) return true;
    if (cssRules?.length && rulesTransform(cssRules, depth + 1)) return true;
  }
  return false;
}

/** @type {(element: Element) => string} */
const transformOf = oncePerPass((element) => computed(element).textTransform);

// The first letter of each word: a letter that does not follow a letter, digit or apostrophe.
const initial = /(?<![\p{L}\p{M}\p{N}'’])\p{L}/gu;

/** @param {string} text @param {Element} element parent of the text */
export function asShown(text, element) {
  if (!(transforms.anywhere ??= mayTransform())) return text;
  const transform = transformOf(element);
  if (transform === 'none' || transform === '') return text;
  if (transform.includes('uppercase')) return text.toUpperCase();
  if (transform.includes('lowercase')) return text.toLowerCase();
  return transform.includes('capitalize') ? text.replace(initial, (letter) => letter.toUpperCase()) : text;
}
