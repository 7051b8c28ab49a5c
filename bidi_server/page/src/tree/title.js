// The `title` of an element without a row of its own, such as `abbr`, `kbd` and icons: a person reads it as a tooltip.

import {attr, has, isBare} from '../dom/attributes.js';
import {htmlName} from '../dom/dom.js';
import {collapse, nameOf, ownText} from '../spec/name.js';
import {clientRect, textContent} from '../realm/native.js';
import {addText} from './rows.js';
import {isShown} from '../dom/style.js';

/** Maximum number of characters in a phrase; an element with more is a part of the page. */
const longest = 200;

/**
 * Add the title at the end of the element: after its text, in place of a missing text, or as the description of the row
 * that is named by that text.
 * @param {import('./present.js').Frame} frame
 */
export function tellTitle({element, item, parent, leaf, said, unvoiced}) {
  if (parent || !element || unvoiced || isBare(element) || !has(element, 'title') || !isPhrase(element)) return;
  const title = collapse(attr(element, 'title') ?? '');
  const own = collapse(ownText(element));
  if (!title || own.includes(title) || !isShown(element)) return;
  if (item.element && (item.tier || nameOf(item.element).from === 'content')) describe(item, title);
  else if (leaf || said) return;
  else if (own === '') addText(item, hasArea(element) ? ` ${title} ` : '');
  else if (collapse(item.text).endsWith(own)) addText(item, ` (title: ${title})`);
}

/** @param {Element} element */
const isPhrase = (element) =>
  htmlName(element) !== 'label' && htmlName(element) !== 'body' && (textContent(element) ?? '').length <= longest;

/** @param {import('./rows.js').Item} item @param {string} title */
function describe(item, title) {
  const {description} = item.props ?? {};
  if (item.name.includes(title) || (typeof description === 'string' && description.includes(title))) return;
  item.props = {...item.props, description: description ? `${description}; ${title}` : title};
}

/** @param {Element} element */
function hasArea(element) {
  const {width, height} = clientRect(element);
  return width >= 1 && height >= 1;
}
