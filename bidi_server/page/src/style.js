import {oncePerPass} from './pass.js';
import {attr, has} from './attributes.js';
import {flatParent, htmlName} from './dom.js';
import {isVisible} from './native.js';

const computed = window.getComputedStyle.bind(window);

/**
 * What the walk needs to know of an element's style.
 * @typedef {object} Look
 * @property {string} display '' for an element that is not in the flat tree
 * @property {boolean} visible
 * @property {boolean} pointer the cursor over it is a pointing hand
 */

/** @type {(element: Element) => Look} */
export const lookOf = oncePerPass((element) => {
  const style = computed(element);
  return {display: style.display, visible: style.visibility === 'visible', pointer: style.cursor === 'pointer'};
});

/** @param {Element} element @returns {boolean} whether what it contains is not rendered */
export const skipsContents = (element) => computed(element).getPropertyValue('content-visibility') === 'hidden';

/** Elements whose boxes CSS makes, but that are no block in a line of text. */
export const isInline = (/** @type {string} */ display) => display === 'inline' || display === 'contents';

/**
 * Whether the element itself is kept from assistive technology, its ancestors aside.
 * https://www.w3.org/TR/wai-aria-1.2/#tree_exclusion
 * @param {Element} element
 */
export function isExcluded(element) {
  const {display} = lookOf(element);
  if (display === 'none') return htmlName(element) !== 'area';
  return display === '' || attr(element, 'aria-hidden') === 'true' || (has(element, 'inert') && htmlName(element) !== '');
}

/** Whether the element is hidden by itself or by an ancestor. @param {Element} element */
export function isHidden(element) {
  const {display, visible} = lookOf(element);
  if (!visible || isExcluded(element)) return true;
  if (display !== 'contents' && htmlName(element) !== 'area' && !isVisible(element, {visibilityProperty: true})) return true;
  for (let node = flatParent(element); node; node = flatParent(node)) {
    if (attr(node, 'aria-hidden') === 'true' || (display === 'contents' && lookOf(node).display === 'none')) return true;
  }
  return false;
}

/**
 * Text that CSS puts before or after an element's content, its alternative text where the author gave one.
 * https://drafts.csswg.org/css-content/#content-property
 * @param {Element} element @param {'::before' | '::after'} pseudo
 */
export function generatedText(element, pseudo) {
  const style = computed(element, pseudo);
  const content = style.content;
  if (content === 'none' || content === 'normal' || content === '' || style.display === 'none' || style.visibility !== 'visible') return '';
  const text = readContent(content, element);
  return text && !isInline(style.display) ? ` ${text} ` : text;
}

const part = /"((?:[^"\\]|\\.)*)"|attr\(\s*([\w-]+)[^)]*\)|(\/)|[^\s"/]+/gs;

/** @param {string} content @param {Element} element */
function readContent(content, element) {
  let text = '';
  let alternative = '';
  let slash = false;
  for (const [, string, name, bar] of content.matchAll(part)) {
    if (bar) {
      slash = true;
      continue;
    }
    const piece = string !== undefined ? unescaped(string) : name !== undefined ? attr(element, name) ?? '' : '';
    if (slash) alternative += piece;
    else text += piece;
  }
  return slash ? alternative : text;
}

/** @param {string} string a CSS string's inside */
const unescaped = (string) =>
  string.replace(/\\(?:([0-9a-f]{1,6})\s?|(.))/gis, (_, code, character) =>
    code ? String.fromCodePoint(Math.min(Number.parseInt(code, 16), 0x10ffff)) : character);
