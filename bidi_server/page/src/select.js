// Elements by CSS, and by the other ways of naming them that people know from test tools.

import {attr} from './attributes.js';
import {following, isElement, isText, knownRoots, shadowRootOf} from './dom.js';
import {collapse} from './name.js';
import {firstChild, localName, matchesSelector, nextSibling, nodeValue, selectAll, textContent} from './native.js';
import {inPass} from './pass.js';
import {collect} from './walk.js';

const silent = new Set(['script', 'style', 'noscript', 'template', 'head', 'title']);
const silentOnes = [...silent].join();
const engine = /^\s*(css|xpath|text|role)\s*=\s*([^]*?)\s*$/;
const quoted = /^(["'])([^]*)\1$/;
const roleForm = /^([\w-]+)\s*(?:\[\s*name\s*(\*?)=\s*("[^"]*"|'[^']*'|[^\]"']*?)\s*(i?)\s*\]\s*)?$/;

/**
 * Elements that a selector names, in the document or else in the shadow trees that were walked: CSS, or
 * `xpath=//a`, `text=Sign in` (any case, a part), `text="Sign in"` (exactly), `role=button`, `role=button[name="Save"]`
 * (`*=` for a part, ` i` for any case). CSS goes into a shadow tree by ` >>> `.
 * @param {string} selector @returns {Element[]}
 */
export function select(selector) {
  const [, name, body] = engine.exec(selector) ?? [];
  if (name === 'role') return byRole(body);
  const find = name === 'text' ? byText(body) : name === 'xpath' || /^\s*\(*\.?\/\//.test(selector) ? byPath(body ?? selector) : byStyle(body ?? selector);
  const found = find(document);
  return found.length ? found : knownRoots().flatMap(find);
}

/** What is wrong with a selector is said in the words of the engines. @param {string} selector */
const invalid = (selector) => new SyntaxError(`'${selector}' is not a valid selector`);

/** CSS; what comes after ` >>> ` is in the shadow tree of what comes before. @param {string} selector @returns {(root: Document | ShadowRoot) => Element[]} */
const byStyle = (selector) => (root) => {
  const parts = selector.split(' >>> ');
  /** @type {(Document | ShadowRoot)[]} */
  let roots = [root];
  for (const part of parts.slice(0, -1)) {
    const hosts = roots.flatMap((each) => [...selectAll(each, part)].filter(isElement));
    roots = hosts.map(shadowRootOf).filter((each) => each !== null);
  }
  return roots.flatMap((each) => [...selectAll(each, parts[parts.length - 1])].filter(isElement));
};

/** @param {string} path @returns {(root: Document | ShadowRoot) => Element[]} */
function byPath(path) {
  return (root) => {
    let found;
    try {
      found = document.evaluate(path, root, null, XPathResult.ORDERED_NODE_SNAPSHOT_TYPE, null);
    } catch {
      throw invalid(path);
    }
    return Array.from({length: found.snapshotLength}, (_, index) => found.snapshotItem(index)).filter(
      (node) => node !== null && isElement(node),
    );
  };
}

/** The innermost elements that show a text. @param {string} body @returns {(root: Document | ShadowRoot) => Element[]} */
function byText(body) {
  const exact = quoted.exec(body);
  const wanted = exact ? collapse(exact[2]) : collapse(body).toLowerCase();
  if (!wanted) throw invalid(`text=${body}`);
  const shows = (/** @type {Element} */ element) => {
    const text = shownText(element);
    return exact ? text.includes(wanted) : text.toLowerCase().includes(wanted);
  };
  return (root) => innermost(root, shows).filter((element) => !exact || shownText(element) === wanted);
}

const buttons = 'input[type="button" i], input[type="submit" i], input[type="reset" i]';

/** A text that can be read; a button's value is its text. @param {Element} element */
export const shownText = (element) => collapse((matchesSelector(element, buttons) ? attr(element, 'value') : readable(element)) ?? '');

/** The text of an element without what scripts, styles and the like in it say. @param {Element} element */
function readable(element) {
  if (!selectAll(element, silentOnes).length) return textContent(element);
  let text = '';
  let node = /** @type {Node | null} */ (element);
  while (node) {
    if (isText(node)) text += nodeValue(node);
    node = following(node, element, !isElement(node) || !silent.has(localName(node)));
  }
  return text;
}

/** Elements whose text fits, without those around them. @param {Document | ShadowRoot} root @param {(element: Element) => boolean} fits */
export function innermost(root, fits) {
  const found = [...selectAll(root, buttons)].filter(isElement).filter(fits);
  const stack = childrenOf(root).filter(fits).reverse();
  for (let element = stack.pop(); element; element = stack.pop()) {
    const inner = childrenOf(element).filter(fits);
    if (inner.length) stack.push(...inner.reverse());
    else found.push(element);
  }
  return found;
}

/** @param {Node} node */
function childrenOf(node) {
  /** @type {Element[]} */
  const children = [];
  for (let child = firstChild(node); child; child = nextSibling(child))
    if (isElement(child) && !silent.has(localName(child))) children.push(child);
  return children;
}

/** @param {string} body */
function byRole(body) {
  const [whole, role, part, rawName, anyCase] = roleForm.exec(body) ?? [];
  if (whole === undefined) throw invalid(`role=${body}`);
  const name = rawName === undefined ? null : collapse(quoted.exec(rawName)?.[2] ?? rawName);
  const fold = (/** @type {string} */ text) => (anyCase ? text.toLowerCase() : text);
  const asked = role.toLowerCase();
  return exposed((item) => {
    if (item.role !== asked) return false;
    if (name === null) return true;
    const [has, wanted] = [fold(collapse(item.name)), fold(name)];
    return part ? has.includes(wanted) : has === wanted;
  });
}

/** Elements of the accessibility tree. @param {(item: import('./rows.js').Item) => boolean} fits */
export const exposed = (fits) =>
  inPass(() => {
    /** @type {Element[]} */
    const found = [];
    const stack = [collect(null)];
    for (let item = stack.pop(); item; item = stack.pop()) {
      if (item.element && fits(item)) found.push(item.element);
      for (let index = item.children.length - 1; index >= 0; index--) stack.push(item.children[index]);
    }
    return found;
  });

/** Every element of the document and of the shadow trees that were walked. @param {string} selector CSS */
export const everywhere = (selector) => [document, ...knownRoots()].flatMap((root) => [...selectAll(root, selector)].filter(isElement));
