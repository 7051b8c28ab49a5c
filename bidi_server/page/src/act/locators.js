// Selectors for one element, in our selector language, ranked.

import {attr, trimmed} from '../dom/attributes.js';
import {HTML, isElement, isShadowRoot, scopeOf} from '../dom/dom.js';
import {
  contentType,
  firstChild,
  localName,
  namespaceURI,
  nextSibling,
  parentNode,
  selectByPath,
  textContent,
} from '../realm/native.js';
import {inPass} from '../realm/pass.js';
import {collapse, nameOf} from '../spec/name.js';
import {roleOf} from '../spec/role.js';
import {isNumbered} from '../tree/libraries.js';
import {testIdOf} from './locator-syntax.js';
import {labelTexts, select, shownText} from './select.js';
import {selectorOf} from './selector-of.js';

/** @typedef {'role' | 'label' | 'testid' | 'id' | 'placeholder' | 'text' | 'css' | 'xpath'} Kind */
/** @typedef {{kind: Kind, selector: string, matches: number}} Locator */

/** Maximum length of a text in a selector. */
const longest = 80;
/** More characters than that besides white space; found without a look at the rest, which may be the whole document. */
const tooMany = new RegExp(`^(?:\\s*\\S){${longest + 1}}`);

/**
 * Return selectors whose first match in the frame is the element: first those that match nothing else, and within these
 * the ones that survive most changes of the page.
 * @param {Element} element @returns {Locator[]}
 */
export function locatorsOf(element) {
  const found = inPass(() => [...candidates(element)])
    .map(([kind, selector]) => measured(kind, selector, element))
    .filter((locator) => locator !== null);
  return [...found.filter(({matches}) => matches === 1), ...found.filter(({matches}) => matches > 1)];
}

/**
 * Return the same without those whose matches take a walk of the document: by label and by text. The number of matches
 * by role is 0 here: the server knows it from its last snapshot.
 * @param {Element} element @returns {Locator[]}
 */
export const quickLocatorsOf = (element) =>
  inPass(() => [...candidates(element, true)])
    .map(([kind, selector]) => (kind === 'role' ? {kind, selector, matches: 0} : measured(kind, selector, element)))
    .filter((locator) => locator !== null);

/**
 * Return the selector with the number of its matches; null if its first match is another element.
 * @param {Kind} kind @param {string} selector @param {Element} element @returns {Locator | null}
 */
function measured(kind, selector, element) {
  let found;
  try {
    found = select(selector);
  } catch {
    return null; // quotes in an attribute can look like the end of a step
  }
  return found[0] === element ? {kind, selector, matches: found.length} : null;
}

/**
 * Yield selectors that may match the element, the most stable first.
 * @param {Element} element @param {boolean} [quick] without labels and texts @returns {Generator<[Kind, string]>}
 */
function* candidates(element, quick = false) {
  const byRole = roleLocator(element);
  if (byRole) yield ['role', byRole];
  const label = quick ? '' : labelTexts(element).find(isShort);
  if (label) yield ['label', `getByLabel(${quoted(label)}, { exact: true })`];
  const testId = testIdOf(element);
  if (testId) yield ['testid', `getByTestId(${quoted(testId)})`];
  const id = trimmed(element, 'id');
  const hasStableId = id !== '' && !isNumbered(id);
  if (hasStableId) yield ['id', `#${CSS.escape(id)}`];
  const placeholder = collapse(attr(element, 'placeholder') ?? '');
  if (isShort(placeholder)) yield ['placeholder', `getByPlaceholder(${quoted(placeholder)}, { exact: true })`];
  const text = quick ? '' : ownTextOf(element);
  if (isShort(text)) yield ['text', `getByText(${quoted(text)}, { exact: true })`];
  const css = selectorOf(element);
  if (!hasStableId || css !== `#${CSS.escape(id)}`) yield ['css', css];
  if (!isShadowRoot(scopeOf(element))) yield ['xpath', `xpath=${pathOf(element)}`];
}

/** @param {string} text */
const isShort = (text) => text !== '' && text.length <= longest;

/** Return a string literal of JavaScript. @param {string} text */
const quoted = (text) =>
  `'${text.replace(/[\\']/g, '\\$&').replaceAll('\n', '\\n').replaceAll('\r', '\\r').replaceAll('\t', '\\t')}'`;

/** Return the locator by role and accessible name; '' for an element without a role. @param {Element} element */
function roleLocator(element) {
  const role = roleOf(element);
  if (!role || role === 'generic' || role === 'none' || role === 'presentation') return '';
  const {text, written} = nameOf(element);
  if (text.length > longest) return '';
  if (!text) return `getByRole(${quoted(role)})`;
  // Playwright compares names as they are written, before CSS changes their letters.
  const given = written === undefined ? `${quoted(text)}, exact: true` : quoted(written);
  return `getByRole(${quoted(role)}, { name: ${given} })`;
}

/** Return the text of an element that contains no others, or of a button. @param {Element} element */
function ownTextOf(element) {
  for (let node = firstChild(element); node; node = nextSibling(node)) if (isElement(node)) return '';
  return shownText(element);
}

/** @param {Element} element @returns {string} XPath */
function pathOf(element) {
  const whole = textContent(element) ?? '';
  const text = tooMany.test(whole) ? '' : collapse(whole);
  if (isShort(text) && shownText(element) === text) {
    const path = `//${nodeTest(element)}[normalize-space()=${literal(text)}]`;
    if (matchesAlone(path, element)) return path;
  }
  /** @type {string[]} */
  const steps = [];
  for (let node = /** @type {Node | null} */ (element); node && isElement(node); node = parentNode(node)) {
    const id = attr(node, 'id') ?? '';
    // An id of its own is another locator: both would go with it.
    if (node !== element && id && !isNumbered(id) && matchesAlone(`//*[@id=${literal(id)}]`, node))
      return [`//*[@id=${literal(id)}]`, ...steps].join('/');
    steps.unshift(stepTo(node));
  }
  return `/${steps.join('/')}`;
}

/** @param {string} path @param {Element} element */
function matchesAlone(path, element) {
  const found = selectByPath(path, document);
  return found.length === 1 && found[0] === element;
}

/** @param {Element} element */
const nodeTest = (element) =>
  namespaceURI(element) === HTML && contentType(document) === 'text/html' && /^[\w-]+$/.test(localName(element))
    ? localName(element)
    : `*[local-name()=${literal(localName(element))}]`;

/** Return the step to an element from its parent. @param {Element} element */
function stepTo(element) {
  const test = nodeTest(element);
  const parent = parentNode(element);
  let place = 0;
  let all = 0;
  for (let node = parent && firstChild(parent); node; node = nextSibling(node)) {
    if (!isElement(node) || nodeTest(node) !== test) continue;
    all++;
    if (node === element) place = all;
  }
  return all > 1 ? `${test}[${place}]` : test;
}

/** Return a string literal of XPath 1.0, which has no escapes. @param {string} text */
function literal(text) {
  if (!text.includes("'")) return `'${text}'`;
  if (!text.includes('"')) return `"${text}"`;
  const parts = text.split("'").map((part) => `'${part}'`);
  return `concat(${parts.join(', "\'", ')})`;
}
