// What a control without a name probably is: the words that its author used for it where nobody was meant to read them.

import {attr, tokens, trimmed} from './attributes.js';
import {htmlName, isElement, SVG} from './dom.js';
import {isTabStop} from './focus.js';
import {looksGenerated} from './identity.js';
import {firstChild, localName, namespaceURI, selectAll} from './native.js';
import {figureStyle, fillOf} from './style.js';

const longest = 60;
const pictures = 'img, use, i[class], svg[class], [data-icon], span[class]';

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
  if (firstChild(element)) {
    const picture = [...selectAll(element, pictures)].find(isElement);
    if (!picture) return '';
    const source = attr(picture, 'href') ?? attr(picture, 'xlink:href') ?? attr(picture, 'src');
    return (source ? stem(source) : '') || trimmed(picture, 'data-icon') || words(picture, 'class');
  }
  return '';
}

/** @param {Element} element */
function authorHint(element) {
  const {picture, color} = htmlName(element) ? figureStyle(element) : {picture: '', color: ''};
  const id = trimmed(element, 'id');
  const said = words(element, 'class') || (looksGenerated(id) ? '' : id);
  // A colour tells boxes apart that have nothing else; a control has a purpose instead.
  const parts = [picture ? stem(picture) : '', said, isTabStop(element) ? '' : color]
    .join(' ')
    .split(' ')
    .filter(Boolean);
  return [...new Set(parts)].join(' ');
}

// Utility classes and breakpoints say how a thing looks, not what it is.
const styling = /^[a-z]{1,3}-?\[?\d|[[\]:]/;

/** Class names that a person wrote. @param {Element} element @param {string} attribute */
const words = (element, attribute) =>
  tokens(element, attribute)
    .filter((word) => word.length < 30 && !looksGenerated(word) && !styling.test(word))
    .slice(0, 3)
    .join(' ');

/** Name of a file without folders, queries and endings. @param {string} url */
function stem(url) {
  if (url.startsWith('data:')) return '';
  const fragment = url.startsWith('#') || url.includes('.svg#') ? url.slice(url.indexOf('#') + 1) : '';
  return fragment || (url.split(/[?#]/)[0].split('/').pop() ?? '').replace(/\.\w+$/, '');
}
