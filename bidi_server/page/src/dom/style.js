import {attr, has, isBare} from './attributes.js';
import {flatParent, HTML, htmlName, MATHML, scopeOf, SVG} from './dom.js';
import {
  clientHeight,
  clientWidth,
  isVisible,
  matchesSelector,
  namespaceURI,
  scrollHeight,
  scrollWidth,
} from '../realm/native.js';
import {inherited, oncePerPass} from '../realm/pass.js';
import {effectsIn, withoutGlyphs} from './sheets.js';

// Reading a property costs as much as the call, and most elements need only one: read each when it is needed.
const computed = window.getComputedStyle.bind(window);

/**
 * @typedef {object} Look
 * @property {CSSStyleDeclaration} style
 * @property {string} display
 * @property {boolean | null} shown null until it is needed
 * @property {boolean | null} promises null until it is needed
 */

/** @type {(element: Element) => Look} */
const lookOf = oncePerPass((element) => {
  const style = computed(element);
  return {style, display: style.display, shown: null, promises: null};
});

/** Return the computed style of an element. @param {Element} element */
export const styleOf = (element) => lookOf(element).style;

/** Return the `display` of an element; '' if it is not in the flat tree. @param {Element} element @returns {string} */
export const displayOf = (element) => lookOf(element).display;

/**
 * Whether `visibility` shows the element; other ways to hide it or its ancestors are not checked.
 * @param {Element} element
 * @returns {boolean}
 */
export function isShown(element) {
  const look = lookOf(element);
  if (look.shown === null) {
    const {visibility} = look.style;
    look.shown = visibility !== 'hidden' && visibility !== 'collapse';
  }
  return look.shown;
}

/**
 * Return which white space of the element's own text is rendered: none, the line breaks, or the indentation of lines
 * too.
 * https://drafts.csswg.org/css-text/#white-space-property
 * @param {Element} element @returns {'' | 'lines' | 'indented'}
 */
export function whiteSpaceOf(element) {
  const {whiteSpace} = styleOf(element);
  if (!/^pre|^break-spaces/.test(whiteSpace)) return '';
  return /^pre-line|^preserve-breaks/.test(whiteSpace) ? 'lines' : 'indented';
}

// Cursors that signal interactivity; `text` and `default` do not.
const promising = /pointer|grab|move|resize|all-scroll|zoom|copy|crosshair|cell|context-menu|help/;

/** Whether the cursor over the element signals interactivity. @param {Element} element @returns {boolean} */
export function hasPointer(element) {
  const look = lookOf(element);
  return (look.promises ??= promising.test(look.style.cursor));
}

/** Whether the element's contents can be scrolled. @param {Element} element */
export function scrolls(element) {
  const {overflowX, overflowY} = styleOf(element);
  return (
    (scrolling.test(overflowY) && scrollHeight(element) > clientHeight(element) + 1) ||
    (scrolling.test(overflowX) && scrollWidth(element) > clientWidth(element) + 1)
  );
}

const scrolling = /auto|scroll/;

/** Whether the element clips its overflow without a way to scroll to it. @param {Element} element */
export function clipsOverflow(element) {
  const {overflowX, overflowY} = styleOf(element);
  return clipping.test(overflowX) || clipping.test(overflowY);
}

const clipping = /hidden|clip/;

const transparent = /^rgba\(.*, 0\)$|^transparent$/;

/** Whether an empty element has a colour, a border or a picture. @param {Element} element */
export function looksLikeFigure(element) {
  const style = styleOf(element);
  return (
    !transparent.test(style.backgroundColor) ||
    style.backgroundImage !== 'none' ||
    style.content.startsWith('url') ||
    (Number.parseFloat(style.borderTopWidth) > 0 && Number.parseFloat(style.borderLeftWidth) > 0)
  );
}

/** Whether the box of an element is visible even if it is empty. @param {Element} element */
export const isPainted = (element) => isBoxPainted(styleOf(element));

/** Whether style sheets draw something before or after the content of an element. @param {Element} element */
export const isDecorated = (element) =>
  ['::before', '::after'].some((pseudo) => isPseudoPainted(computed(element, pseudo)));

/** Whether style sheets put a painted box before or after the content of an element. @param {Element} element */
export const hasGeneratedBox = (element) =>
  ['::before', '::after'].some((pseudo) => isGeneratedBoxPainted(computed(element, pseudo)));

/** @param {CSSStyleDeclaration} style of a generated box */
const isGenerated = ({content, display}) => content !== 'none' && content !== 'normal' && display !== 'none';

/** @param {CSSStyleDeclaration} style of a generated box */
function isPseudoPainted(style) {
  // The glyphs of an icon font are not text, but a person sees them.
  return (isGenerated(style) && /[^"'\s]/.test(style.content)) || isGeneratedBoxPainted(style);
}

/** @param {CSSStyleDeclaration} style of a generated box */
function isGeneratedBoxPainted(style) {
  return (
    isGenerated(style) &&
    isBoxPainted(style) &&
    extent(style, 'width', ['left', 'right']) > 0 &&
    extent(style, 'height', ['top', 'bottom']) > 0
  );
}

/**
 * Return the size of a box without its borders, in pixels.
 * @param {CSSStyleDeclaration} style @param {string} dimension @param {string[]} ends
 */
function extent(style, dimension, ends) {
  const inner = Number.parseFloat(style.getPropertyValue(dimension));
  const padding = ends.map((end) => Number.parseFloat(style.getPropertyValue(`padding-${end}`)));
  // The size of an inline box is `auto`: it is as high as the line and as wide as its text, which is empty.
  return padding.reduce((sum, each) => sum + each, Number.isNaN(inner) ? Number(dimension === 'height') : inner);
}

const sides = ['top', 'right', 'bottom', 'left'];

/** @param {CSSStyleDeclaration} style */
const isBoxPainted = (style) =>
  !transparent.test(style.backgroundColor) ||
  style.backgroundImage !== 'none' ||
  style.boxShadow !== 'none' ||
  style.content.startsWith('url') ||
  [...sides.map((side) => `border-${side}`), 'outline'].some((edge) => isEdgePainted(style, edge));

/** @param {CSSStyleDeclaration} style @param {string} edge */
const isEdgePainted = (style, edge) =>
  style.getPropertyValue(`${edge}-style`) !== 'none' &&
  Number.parseFloat(style.getPropertyValue(`${edge}-width`)) > 0 &&
  !transparent.test(style.getPropertyValue(`${edge}-color`));

/** Whether the element has a background picture. @param {Element} element */
export const hasBackground = (element) => styleOf(element).backgroundImage !== 'none';

/** Return what an element without text shows: the URL of its picture, its colour. @param {Element} element */
export function figureStyle(element) {
  const style = styleOf(element);
  const address = /url\("?(.*?)"?\)/.exec(style.content.startsWith('url') ? style.content : style.backgroundImage);
  const color = style.backgroundColor;
  return {
    picture: address ? address[1] : '',
    color: transparent.test(color) ? '' : color.replaceAll(' ', ''),
  };
}

/** @param {Element} shape */
export const fillOf = (shape) => styleOf(shape).fill.replaceAll(' ', '');

/** Whether the element is part of a line of text, without a separate box. @param {Element} element */
export function isInline(element) {
  const display = displayOf(element);
  return display === 'inline' || display === 'contents';
}

/**
 * Whether the element's contents are not rendered. https://drafts.csswg.org/css-contain/#content-visibility
 * @param {Element} element @param {boolean} maybe the style sheets may make it so
 */
export function skipsContents(element, maybe) {
  const said =
    maybe || (!isBare(element) && (has(element, 'hidden') || attr(element, 'style')?.includes('content-visibility')));
  return said === true && styleOf(element).getPropertyValue('content-visibility') === 'hidden';
}

/** @param {Element} element */
const effectsAt = (element) => effectsIn(/** @type {Document | ShadowRoot} */ (scopeOf(element)));

const rendered = new Set([HTML, SVG, MATHML]);

/**
 * Whether the element itself is excluded from the accessibility tree; its ancestors are not checked.
 * https://www.w3.org/TR/wai-aria-1.2/#tree_exclusion
 * @param {Element} element
 */
export const isExcluded = (element) => isAbsent(element) || isAriaHidden(element);

/** Whether the element itself is inert or not rendered, so that nobody can use it. @param {Element} element */
export function isAbsent(element) {
  const display = displayOf(element);
  if (display === 'none') return htmlName(element) !== 'area';
  // Firefox renders XML with a shadow tree of its own; the document's elements have no style then.
  if (display === '') return rendered.has(namespaceURI(element) ?? '');
  return !isBare(element) && has(element, 'inert') && htmlName(element) !== '';
}

/** Whether the element itself is hidden from assistive technology only. @param {Element} element */
export const isAriaHidden = (element) => !isBare(element) && attr(element, 'aria-hidden') === 'true';

/** Whether an element or one of its ancestors is excluded. @type {(element: Element) => boolean} */
const isExcludedHere = inherited(flatParent, (element, above) => above === true || isExcluded(element));

/** Whether the element is hidden by itself or by an ancestor. @param {Element} element */
export function isHidden(element) {
  if (!isShown(element) || isExcludedHere(element)) return true;
  return displayOf(element) !== 'contents' && htmlName(element) !== 'area' && !isVisible(element, byVisibility);
}

const byVisibility = {visibilityProperty: true};

/**
 * Whether text is generated before or after the element; 'maybe' if its style sheets leave it open.
 * @type {(element: Element) => boolean | 'maybe'}
 */
const generates = oncePerPass((element) => {
  const {selector, anywhere} = effectsAt(element);
  return selector !== '' && matchesSelector(element, selector) ? true : anywhere ? 'maybe' : false;
});

/**
 * Return the text that CSS generates before or after an element's content, or the alternative text that the author
 * gave.
 * https://drafts.csswg.org/css-content/#content-property
 * @param {Element} element
 * @param {'::before' | '::after'} pseudo
 * @param {boolean} [sure] only if a readable style sheet generates it
 */
export function generatedText(element, pseudo, sure = false) {
  const answer = generates(element);
  if (answer === false || (sure && answer === 'maybe')) return '';
  const style = computed(element, pseudo);
  const {content} = style;
  if (content === 'none' || content === 'normal' || content === '') return '';
  const text = withoutGlyphs(readContent(content, element));
  if (!text) return '';
  const {display} = style;
  if (display === 'none' || style.visibility !== 'visible') return '';
  if (display !== 'inline' && display !== 'contents') return ` ${text} `;
  // Text with a visible gap beside it is a separate word.
  const [before, after] = [gapAt(style, 'inlineStart'), gapAt(style, 'inlineEnd')];
  return `${before ? ' ' : ''}${text}${after ? ' ' : ''}`;
}

/**
 * Whether there is a gap at one side of an inline box.
 * @param {CSSStyleDeclaration} style @param {'inlineStart' | 'inlineEnd'} side
 */
function gapAt(style, side) {
  const end = side === 'inlineEnd';
  const [margin, padding] = end
    ? [style.marginInlineEnd, style.paddingInlineEnd]
    : [style.marginInlineStart, style.paddingInlineStart];
  return Number.parseFloat(margin) > 0 || Number.parseFloat(padding) > 0;
}

// Strings, attributes, other functions such as pictures and counters, and the slash before the alternative text.
const part =
  /"((?:[^"\\]|\\.)*)"|attr\(\s*([\w-]+)[^)]*\)|(?:[\w-]+\((?:"(?:[^"\\]|\\.)*"|\([^()]*\)|[^()"])*\))|(\/)|[^\s"/]+/gs;

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
    const piece = string !== undefined ? unescaped(string) : name !== undefined ? (attr(element, name) ?? '') : '';
    if (slash) alternative += piece;
    else text += piece;
  }
  if (slash) return alternative;
  // Scripts can't read the value of a counter, and the punctuation around it means nothing.
  return /\bcounters?\(/.test(content) && !/\p{L}/u.test(text) ? '' : text;
}

/** @param {string} string the contents of a CSS string */
const unescaped = (string) =>
  string.replace(/\\(?:([0-9a-f]{1,6})\s?|(.))/gis, (_, code, character) =>
    code ? String.fromCodePoint(Math.min(Number.parseInt(code, 16), 0x10ffff)) : character,
  );
