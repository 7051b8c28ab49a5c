// Possible effects of the style sheets, so that the walk computes expensive styles only where they can matter.

import {nodeType, styleSheetsIn, styleSheetsInShadow} from '../realm/native.js';
import {oncePerPass} from '../realm/pass.js';

/**
 * @typedef {object} Effects
 * @property {string[]} selectors elements that may have text generated before or after them
 * @property {boolean} anywhere any element may have such text: because of a sheet of another origin, or a selector that
 * can't be matched by itself
 * @property {boolean} skips `content-visibility` is used
 */

/** @type {WeakMap<CSSStyleSheet, {count: number, effects: Effects}>} */
const known = new WeakMap();

// Glyphs of icon fonts are in the private use areas and mean nothing in text.
const glyphs = /[\ue000-\uf8ff\u{f0000}-\u{10ffff}]/gu;

/** @param {string} text @returns {string} the text without glyphs of icon fonts */
export const withoutGlyphs = (text) => text.replace(glyphs, '');

/**
 * Return the style sheets of a tree scope. In a sandbox of Firefox 140 `adoptedStyleSheets` is an array without
 * elements and methods, a wrapper around the page's own array.
 * @param {Document | ShadowRoot} root @returns {CSSStyleSheet[]}
 */
export function sheetsOf(root) {
  const adopted = root.adoptedStyleSheets;
  const wrapper = /** @type {{wrappedJSObject?: CSSStyleSheet[]}} */ (/** @type {unknown} */ (adopted));
  const readable = Symbol.iterator in adopted ? adopted : (wrapper.wrappedJSObject ?? []);
  const sheets = root instanceof Document ? styleSheetsIn(root) : styleSheetsInShadow(root);
  return [...sheets, ...Array.from({length: readable.length}, (_, index) => readable[index])];
}

const mostSelectors = 200;

/**
 * Return the possible effects of the style sheets of one tree scope.
 * @type {(root: Document | ShadowRoot) => {selector: string, anywhere: boolean, skips: boolean}}
 */
export const effectsIn = oncePerPass((root) => {
  /** @type {Effects} */
  const effects = {selectors: [], anywhere: false, skips: false};
  for (const sheet of sheetsOf(root)) add(effects, effectsOf(sheet));
  // Rules of a shadow tree also apply to its host and slotted elements, which their selectors don't match from outside.
  if (nodeType(root) !== 9 && effects.selectors.length) effects.anywhere = true;
  if (effects.selectors.length > mostSelectors) effects.anywhere = true;
  return {selector: effects.selectors.join(), anywhere: effects.anywhere, skips: effects.skips};
});

/** @param {Effects} effects @param {Effects} more */
function add(effects, more) {
  for (const selector of more.selectors) effects.selectors.push(selector);
  effects.anywhere ||= more.anywhere;
  effects.skips ||= more.skips;
}

/** @param {CSSStyleSheet} sheet @returns {Effects} */
function effectsOf(sheet) {
  /** @type {Effects} */
  const effects = {selectors: [], anywhere: false, skips: false};
  if (sheet.disabled) return effects;
  /** @type {CSSRuleList} */
  let rules;
  try {
    rules = sheet.cssRules;
  } catch {
    // A sheet of another origin: any effect is possible.
    return {selectors: [], anywhere: true, skips: true};
  }
  const before = known.get(sheet);
  if (before && before.count === rules.length) return before.effects;
  read(rules, effects, 0);
  known.set(sheet, {count: rules.length, effects});
  return effects;
}

/** @param {CSSRuleList} rules @param {Effects} effects @param {number} depth */
function read(rules, effects, depth) {
  if (depth > 20) return;
  for (const rule of rules) {
    const {selectorText, style, styleSheet, cssRules} = /** @type {CSSStyleRule & CSSImportRule} */ (rule);
    if (styleSheet) add(effects, effectsOf(styleSheet));
    if (selectorText !== undefined && style) {
      if (/:(?:before|after)\b/i.test(selectorText) && mayShow(style.content)) addSelectors(selectorText, effects);
      if (style.getPropertyValue('content-visibility')) effects.skips = true;
    }
    if (cssRules?.length) read(cssRules, effects, depth + 1);
  }
}

/** @param {string} content */
function mayShow(content) {
  if (!content || content === 'none' || content === 'normal') return false;
  return (
    /\w\(/.test(content) || withoutGlyphs(content.replace(/\\[ef][0-9a-f]{3,4}\b/gi, '')).replace(/["'\s/]/g, '') !== ''
  );
}

/** @param {string} text @param {Effects} effects */
function addSelectors(text, effects) {
  const bare = text.replace(/::?(?:before|after)\b/gi, '').trim();
  if (/&|::|:host/.test(text.replace(/::(?:before|after)\b/gi, ''))) {
    effects.anywhere = true;
    return;
  }
  // `.a > ::before` leaves a combinator at the end, `::before` leaves nothing.
  effects.selectors.push(bare.split(',').every((part) => /[\w\])*]\s*$/.test(part)) ? bare : '*');
}
