// Distinguish the items of a list by their text, as a person does, not by their position: when an item is removed, the
// next one takes its position.

import {trimmed} from '../dom/attributes.js';
import {following, isElement, isText} from '../dom/dom.js';
import {firstChild, localName, nextSibling, nodeValue, textContent} from '../realm/native.js';
import {oncePerPass} from '../realm/pass.js';

const rows = new Set(['li', 'tr', 'article', 'dt']);

const rowRoles = new Set(['listitem', 'row', 'option', 'treeitem', 'tab', 'article']);

const longestHead = 60;
const longestText = 300;
/** Maximum number of nodes to search for an item's first text. */
const deepest = 60;

/**
 * Return a key that the items of one list have in common; '' if the element is not an item.
 * @param {Element} element
 */
function kindOf(element) {
  const name = localName(element);
  if (rows.has(name)) return name;
  const kind = trimmed(element, 'class') || trimmed(element, 'role');
  return kind && `${name}.${kind}`;
}

/** Whether the element is an item of a list whose items can be moved. @param {Element} element */
export const isItem = (element) =>
  rows.has(localName(element)) || rowRoles.has(trimmed(element, 'role')) || trimmed(element, 'draggable') === 'true';

/**
 * Return the first text in the element: changing parts of an item, like a count or a time, rarely come first.
 * @param {Element} element
 */
function head(element) {
  let node = firstChild(element);
  for (let left = deepest; node && left > 0; left--) {
    if (isText(node)) {
      const text = nodeValue(node)?.trim();
      if (text) return text.slice(0, longestHead);
    }
    node = following(node, element);
  }
  return '';
}

/** @param {Element} element */
const whole = (element) => textContent(element)?.trim().slice(0, longestText) ?? '';

/**
 * Add the text of each item whose text is unique to `texts`, and return the other items.
 * @param {Element[]} items @param {(element: Element) => string} textOf @param {Map<Node, string>} texts
 */
function tellApart(items, textOf, texts) {
  /** @type {Map<string, Element[]>} */
  const byText = new Map();
  for (const item of items) {
    const text = textOf(item);
    const same = byText.get(text);
    if (same) same.push(item);
    else byText.set(text, [item]);
  }
  /** @type {Element[]} */
  const rest = [];
  for (const [text, same] of byText) {
    if (text && same.length === 1) texts.set(same[0], text);
    else rest.push(...same);
  }
  return rest;
}

/** For each item of a list, text that no other item of the same kind has; items without such a text are absent. */
export const textsOfItems = oncePerPass((/** @type {Node} */ parent) => {
  /** @type {Map<string, Element[]>} */
  const kinds = new Map();
  for (let node = firstChild(parent); node; node = nextSibling(node)) {
    if (!isElement(node)) continue;
    const kind = kindOf(node);
    const same = kinds.get(kind);
    if (same) same.push(node);
    else if (kind) kinds.set(kind, [node]);
  }
  /** @type {Map<Node, string>} */
  const texts = new Map();
  for (const items of kinds.values()) {
    if (items.length > 1) tellApart(tellApart(items, head, texts), whole, texts);
  }
  return texts;
});
