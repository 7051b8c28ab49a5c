// A short CSS selector for one element that matches no other and survives changes of the page's layout.

import {attr, tokens, trimmed} from '../dom/attributes.js';
import {isElement, isShadowRoot, scopeOf} from '../dom/dom.js';
import {testAttributes} from '../tree/identity.js';
import {isNumbered} from '../tree/libraries.js';
import {firstChild, hostOf, localName, nextSibling, parentNode, selectAll} from '../realm/native.js';
import {inPass} from '../realm/pass.js';

// Attributes by which authors identify elements, the most stable first.
const lasting = [...testAttributes, 'aria-label', 'placeholder', 'alt', 'title', 'for', 'href', 'type', 'value'];
const longest = 80;
const ancestors = 30;

/** @param {Element} element @returns {string} */
export const selectorOf = (element) => inPass(() => find(element));

/** @param {Element} element @returns {string} */
function find(element) {
  const root = scopeOf(element);
  const inside = isShadowRoot(root) ? `${find(hostOf(root))} >>> ` : '';
  /** @param {string} selector */
  const isUnique = (selector) => {
    const found = selectAll(root, selector);
    return found.length === 1 && found[0] === element;
  };
  return inside + (own(element, isUnique) ?? placed(element, isUnique));
}

/** @param {Element} element @param {(selector: string) => boolean} isUnique */
const own = (element, isUnique) => simple(element).find(isUnique);

/**
 * Return the path to the element from the nearest ancestor with a unique selector, with as few steps as possible.
 * @param {Element} element @param {(selector: string) => boolean} isUnique
 */
function placed(element, isUnique) {
  const root = scopeOf(element);
  const last = simple(element);
  const steps = [step(element)];
  for (let above = parentOf(element); above && steps.length < ancestors; above = parentOf(above)) {
    const anchor = simple(above).find((selector) => selectAll(root, selector).length === 1);
    if (anchor === undefined) {
      steps.unshift(step(above));
      continue;
    }
    for (let taken = 0; taken < steps.length; taken++) {
      const start = [anchor, ...steps.slice(0, taken)].join(' > ');
      const found = last.map((selector) => `${start} ${selector}`).find(isUnique);
      if (found !== undefined) return found;
    }
    return [anchor, ...steps].join(' > ');
  }
  // No ancestor has a unique selector: start at the top.
  return wayTo(element);
}

/** @param {Element} element */
function wayTo(element) {
  /** @type {string[]} */
  const steps = [];
  for (let node = /** @type {Element | null} */ (element); node; node = parentOf(node)) steps.unshift(step(node));
  // At the top of a shadow tree elements have no parent element.
  if (isShadowRoot(scopeOf(element))) steps[0] += ':not(* > *)';
  return steps.join(' > ');
}

/** @param {Element} element */
function parentOf(element) {
  const parent = parentNode(element);
  return parent && isElement(parent) ? parent : null;
}

/** Return selectors for the element without its ancestors, the best first. @param {Element} element */
function simple(element) {
  const tag = escaped(localName(element));
  /** @type {string[]} */
  const found = [];
  const id = trimmed(element, 'id');
  if (id && !isNumbered(id)) found.push(`#${escaped(id)}`);
  for (const name of lasting) {
    const value = attr(element, name);
    if (value && value.length <= longest && !/[\n\r\f]/.test(value) && !(name.startsWith('data-') && isNumbered(value)))
      found.push(`${tag}[${name}="${value.replace(/["\\]/g, '\\$&')}"]`);
  }
  const classes = tokens(element, 'class').filter(
    (each) => !isNumbered(each) && !/^(active|selected|open|hover|focus|is-|has-)/.test(each),
  );
  const names = classes.map((each) => `.${escaped(each)}`);
  found.push(...names.map((name) => tag + name));
  if (names.length > 1) found.push(tag + names.join(''));
  return [...found, tag];
}

/** Return a selector for the element among its siblings. @param {Element} element */
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
  return all > 1 ? `${escaped(tag)}:nth-of-type(${place})` : escaped(tag);
}

const escaped = (/** @type {string} */ name) => CSS.escape(name);
