// Guess the purpose of a control without a name from words that its author did not write for readers: classes, IDs,
// files.

import {attr, tokens, trimmed} from '../dom/attributes.js';
import {htmlName, isElement, SVG} from '../dom/dom.js';
import {isTabStop} from '../spec/focus.js';
import {inputType} from '../spec/html-role.js';
import {isDrawn, isIconFont, isNumbered, isTarget} from './libraries.js';
import {firstChild, localName, namespaceURI, nextSibling, parentNode, selectAll, textContent} from '../realm/native.js';
import {oncePerPass} from '../realm/pass.js';
import {roleOf} from '../spec/role.js';
import {figureStyle, fillOf} from '../dom/style.js';

const longest = 60;
/** Selectors of elements that show a picture, the most certain first. */
const pictures = [
  '[class*=material-icons], [class*=material-symbols]',
  'img, use, i[class], svg[class], [data-icon]',
  'span[class]',
];

/** @param {Element} element @returns {string} '' if there is no hint */
export function hintOf(element) {
  const words =
    namespaceURI(element) === SVG && localName(element) !== 'svg'
      ? shapeHint(element)
      : iconHint(element) || authorHint(element);
  return words.slice(0, longest);
}

/** @param {Element} shape */
function shapeHint(shape) {
  const fill = attr(shape, 'fill') ?? fillOf(shape);
  return [localName(shape), fill === 'none' ? (attr(shape, 'stroke') ?? '') : fill, words(shape, 'class')]
    .filter(Boolean)
    .join(' ');
}

/** @param {Element} element */
function iconHint(element) {
  const own = trimmed(element, 'data-icon');
  if (own) return own;
  if (!firstChild(element)) return '';
  for (const selector of pictures) {
    for (const picture of selectAll(element, selector)) {
      const hint = isElement(picture) && pictureHint(picture);
      if (hint) return hint;
    }
  }
  return '';
}

/** @param {Element} picture */
function pictureHint(picture) {
  const source = attr(picture, 'href') ?? attr(picture, 'xlink:href') ?? attr(picture, 'src');
  return (
    ligature(picture) ||
    (source ? stem(source) : '') ||
    trimmed(picture, 'data-icon') ||
    trimmed(picture, 'data-testid') ||
    words(picture, 'class')
  );
}

/** Return the word that an icon font renders as a picture. @param {Element} picture */
function ligature(picture) {
  if (!tokens(picture, 'class').some(isIconFont)) return '';
  const text = textContent(picture)?.trim() ?? '';
  return /^\w+$/.test(text) ? text : '';
}

/** @param {Element} element */
function authorHint(element) {
  const {picture, color} = htmlName(element) ? figureStyle(element) : {picture: '', color: ''};
  // All radio buttons of a group share a `name`, but not a `value`.
  const own = inputType(element) === 'radio' ? chosen(element, 'value') : '';
  const said =
    chosen(element, 'id') || own || chosen(element, 'name') || ownWords(element) || trimmed(element, 'data-value');
  // A colour distinguishes boxes that have nothing else; for a control its purpose matters.
  const paint = isTabStop(element) && (said || painted.has(htmlName(element))) ? '' : color;
  const parts = [picture ? stem(picture) : '', said, paint].join(' ').split(' ').filter(Boolean);
  return [...new Set(parts)].join(' ');
}

/** Elements to which browsers give a colour. */
const painted = new Set(['button', 'input', 'select', 'textarea']);

/** Return the value of the attribute, unless a framework generated it. @param {Element} element @param {string} name */
function chosen(element, name) {
  const value = trimmed(element, name);
  return isNumbered(value) || isDrawn(value) ? '' : value;
}

// Utility classes and breakpoints describe the appearance, not the purpose.
const styling =
  /^[a-z]{1,3}-?\[?\d|[[\]:]|^(?:absolute|cursor|items|no|relative)-|^(?:block|btn|button|col|flex|grid|inline|row)$/;

// Generic parts from which frameworks build everything.
const pieces = /(?:^|[-_])(?:container|content|fit|helper|inner|outer|overlay|ripple|root|svg|wrap|wrapper)$/;

/** Return the class names that a person wrote for this element. @param {Element} element @param {string} attribute */
function written(element, attribute) {
  const all = tokens(element, attribute);
  return all.filter(
    (word) =>
      word.length < 30 &&
      // `lucide-save` makes a separate `lucide` redundant.
      !all.some((other) => other.startsWith(`${word}-`)) &&
      !styling.test(word) &&
      !pieces.test(word) &&
      !isDrawn(word) &&
      !isNumbered(word) &&
      !isTarget(word, all),
  );
}

/** @param {Element} element @param {string} attribute */
const words = (element, attribute) => written(element, attribute).slice(0, 3).join(' ');

/**
 * Return the element's own class names, without those that repeat its role or that all of its siblings of the same kind
 * have.
 * @param {Element} element
 */
function ownWords(element) {
  const role = roleOf(element);
  const parent = parentNode(element);
  const {count, common} = (parent && kinds(parent).get(localName(element))) || {count: 0, common: null};
  return written(element, 'class')
    .filter((word) => !(role && word.toLowerCase().endsWith(role)) && !(count >= fewest && common?.has(word)))
    .slice(0, 3)
    .join(' ');
}

/** Minimum number of siblings whose common classes are ignored. */
const fewest = 3;

/** Number of children of each element name, and the classes that all of them have. */
const kinds = oncePerPass((/** @type {Node} */ parent) => {
  /** @type {Map<string, {count: number, common: Set<string>}>} */
  const found = new Map();
  for (let node = firstChild(parent); node; node = nextSibling(node)) {
    if (!isElement(node)) continue;
    const classes = tokens(node, 'class');
    const kind = found.get(localName(node));
    if (!kind) found.set(localName(node), {count: 1, common: new Set(classes)});
    else {
      kind.count++;
      for (const name of kind.common) if (!classes.includes(name)) kind.common.delete(name);
    }
  }
  return found;
});

/** Return the name of a file without folders, query and extension. @param {string} url */
function stem(url) {
  if (url.startsWith('data:')) return '';
  const fragment = url.startsWith('#') || url.includes('.svg#') ? url.slice(url.indexOf('#') + 1) : '';
  return fragment || (url.split(/[?#]/)[0].split('/').pop() ?? '').replace(/\.\w+$/, '');
}
