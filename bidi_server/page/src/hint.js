// What a control without a name probably is: the words that its author used for it where nobody was meant to read them.

import {attr, tokens, trimmed} from './attributes.js';
import {htmlName, isElement, SVG} from './dom.js';
import {isTabStop} from './focus.js';
import {inputType} from './html-role.js';
import {looksGenerated} from './identity.js';
import {firstChild, localName, namespaceURI, nextSibling, parentNode, selectAll, textContent} from './native.js';
import {oncePerPass} from './pass.js';
import {roleOf} from './role.js';
import {figureStyle, fillOf} from './style.js';

const longest = 60;
/** What shows a picture, the surest first. */
const pictures = [
  '[class*=material-icons], [class*=material-symbols]',
  'img, use, i[class], svg[class], [data-icon]',
  'span[class]',
];

/** @param {Element} element @returns {string} '' when nothing tells */
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

/** The word that an icon font shows a picture for. @param {Element} picture */
function ligature(picture) {
  if (!tokens(picture, 'class').some((word) => /^material-(?:icons|symbols)/.test(word))) return '';
  const text = textContent(picture)?.trim() ?? '';
  return /^\w+$/.test(text) ? text : '';
}

/** @param {Element} element */
function authorHint(element) {
  const {picture, color} = htmlName(element) ? figureStyle(element) : {picture: '', color: ''};
  // All radio buttons of a group have its name.
  const own = inputType(element) === 'radio' ? chosen(element, 'value') : '';
  const said = chosen(element, 'id') || own || chosen(element, 'name') || ownWords(element) || trimmed(element, 'data-value');
  // A colour tells boxes apart that have nothing else; a control has a purpose instead.
  const paint = isTabStop(element) && (said || painted.has(htmlName(element))) ? '' : color;
  const parts = [picture ? stem(picture) : '', said, paint].join(' ').split(' ').filter(Boolean);
  return [...new Set(parts)].join(' ');
}

/** What has a colour of the browser's own. */
const painted = new Set(['button', 'input', 'select', 'textarea']);

/** What the author calls the element, unless a framework made it up. @param {Element} element @param {string} name */
function chosen(element, name) {
  const value = trimmed(element, name);
  return looksGenerated(value) || drawn.test(value) ? '' : value;
}

// Utility classes and breakpoints say how a thing looks, not what it is.
const styling =
  /^[a-z]{1,3}-?\[?\d|[[\]:]|^(?:absolute|cursor|items|no|relative)-|^(?:block|btn|button|col|flex|grid|inline|row)$/;

// Parts that frameworks make everything of.
const pieces = /(?:^|[-_])(?:container|content|fit|helper|inner|outer|overlay|ripple|root|svg|wrap|wrapper)$/;

// Names drawn by lot: svelte-16sct4k, css-1dbjc4n, \u037c5v of CodeMirror.
const drawn = /^\u037c|^(?:astro|css|emotion|jss|jsx|sc|svelte)-|(?:^|[-_])(?=[a-z\d]{5})[a-z]*\d+[a-z]+\d[a-z\d]*$/i;

/** What Emotion adds to its own: eksftaj2. https://emotion.sh/docs/styled#targeting-another-emotion-component */
const target = /^e[a-z\d]{6,8}\d$/;

/** Class names that a person wrote for this. @param {Element} element @param {string} attribute */
function written(element, attribute) {
  const all = tokens(element, attribute);
  const isOfEmotion = all.some((word) => word.startsWith('css-'));
  return all.filter(
    (word) =>
      word.length < 30 &&
      // `lucide-save` says it all, without the `lucide` before it.
      !all.some((other) => other.startsWith(`${word}-`)) &&
      ![styling, pieces, drawn].some((each) => each.test(word)) &&
      !looksGenerated(word) &&
      !(isOfEmotion && target.test(word)),
  );
}

/** @param {Element} element @param {string} attribute */
const words = (element, attribute) => written(element, attribute).slice(0, 3).join(' ');

/**
 * The element's own class names, without those that say only what its role does, or that all of its kind have.
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

/** Siblings that make a kind of its own. */
const fewest = 3;

/** How many children of each name there are, and the classes that all of those have. */
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

/** Name of a file without folders, queries and endings. @param {string} url */
function stem(url) {
  if (url.startsWith('data:')) return '';
  const fragment = url.startsWith('#') || url.includes('.svg#') ? url.slice(url.indexOf('#') + 1) : '';
  return fragment || (url.split(/[?#]/)[0].split('/').pop() ?? '').replace(/\.\w+$/, '');
}
