// A short CSS selector for one element, which names no other and lives longer than the page's layout.

import {attr, tokens, trimmed} from './attributes.js';
import {isElement} from './dom.js';
import {looksGenerated} from './identity.js';
import {firstChild, localName, nextSibling, parentNode} from './native.js';
import {inPass} from './pass.js';
import {select} from './select.js';

// What authors name elements by, the most lasting first.
const lasting = ['data-testid', 'data-test', 'data-test-id', 'data-cy', 'name', 'aria-label', 'placeholder', 'alt', 'title', 'for', 'href', 'type', 'value'];
const longest = 80;
const ancestors = 30;

/** @param {Element} element @returns {string} */
export const selectorOf = (element) => inPass(() => find(element));

/** @param {Element} element */
function find(element) {
  /** @param {string} selector */
  const isUnique = (selector) => {
    const found = select(selector);
    return found.length === 1 && found[0] === element;
  };
  const own = simple(element);
  for (const selector of own) if (isUnique(selector)) return selector;
  let path = localName(element);
  /** @type {Element | null} */
  let child = element;
  let steps = step(child);
  for (let level = 0, above = parentOf(child); above && level < ancestors; above = parentOf(above), level++) {
    const anchors = simple(above).filter((selector) => select(selector).length === 1);
    for (const anchor of anchors.slice(0, 1)) {
      for (const selector of own) if (isUnique(`${anchor} ${selector}`)) return `${anchor} ${selector}`;
      if (isUnique(`${anchor} > ${steps}`)) return `${anchor} > ${steps}`;
    }
    path = `${step(above)} > ${steps}`;
    steps = path;
    if (isUnique(path)) return path;
    child = above;
  }
  return path;
}

/** @param {Element} element */
function parentOf(element) {
  const parent = parentNode(element);
  return parent && isElement(parent) ? parent : null;
}

/** Selectors of the element's own, the best first. @param {Element} element */
function simple(element) {
  const tag = escape(localName(element));
  /** @type {string[]} */
  const found = [];
  const id = trimmed(element, 'id');
  if (id && !looksGenerated(id)) found.push(`#${escape(id)}`);
  for (const name of lasting) {
    const value = attr(element, name);
    if (value && value.length <= longest && !/[\n\r\f]/.test(value) && !(name.startsWith('data-') && looksGenerated(value)))
      found.push(`${tag}[${name}="${value.replace(/["\\]/g, '\\$&')}"]`);
  }
  const classes = tokens(element, 'class').filter((each) => !looksGenerated(each) && !/^(active|selected|open|hover|focus|is-|has-)/.test(each));
  found.push(...classes.map((each) => `${tag}.${escape(each)}`));
  if (classes.length > 1) found.push(`${tag}${classes.map((each) => `.${escape(each)}`).join('')}`);
  return [...found, tag];
}

/** The element among its siblings. @param {Element} element */
function step(element) {
  const tag = localName(element);
  const parent = parentNode(element);
  let place = 0;
  let all = 0;
  for (let node = parent && firstChild(parent); node; node = nextSibling(node)) {
    if (!isElement(node) || localName(node) !== tag) continue;
    all++;
    if (node === element) place = all;
  }
  return all > 1 ? `${escape(tag)}:nth-of-type(${place})` : escape(tag);
}

const escape = (/** @type {string} */ name) => CSS.escape(name);
