// Find the elements that match a selector; selector-steps.js defines selectors.

import {attr} from '../dom/attributes.js';
import {flatContains, following, isElement, isShadowRoot, isText, knownRoots, shadowRootOf} from '../dom/dom.js';
import {collapse, nameOf, ownText} from '../spec/name.js';
import {
  bodyOf,
  firstChild,
  firstElementOf,
  hostOf,
  isBefore,
  labelsOf,
  localName,
  matchesSelector,
  nextSibling,
  nodeType,
  nodeValue,
  selectAll,
  selectByPath,
  textContent,
} from '../realm/native.js';
import {inPass} from '../realm/pass.js';
import {referenced} from '../dom/reference.js';
import {invalid} from './selector-error.js';
import {stepsOf} from './selector-steps.js';
import {isVisible} from '../dom/visible.js';
import {collect} from '../tree/walk.js';

/** @typedef {import('./selector-steps.js').Step} Step */
/** @typedef {import('./text-match.js').TextMatch} TextMatch */
/** @typedef {Element | ShadowRoot} Part */
/** @typedef {Document | Part} Scope */

const silent = new Set(['script', 'style', 'noscript', 'template', 'head', 'title']);
const silentOnes = [...silent].join();

/**
 * Return the elements that match a selector, in the document and then in the shadow trees that were walked. Throws an
 * error of `invalid`.
 * @param {string} selector @returns {Element[]}
 */
export const select = (selector) => inPass(() => run(stepsOf(selector), null));

/** @param {Step[]} steps @param {Element | null} scope @returns {Element[]} */
function run(steps, scope) {
  let found = scope && [scope];
  for (const step of steps) {
    if ('find' in step) found = findAll(step, found);
    else if ('join' in step) found = inOrder([...(found ?? []), ...run(step.join, scope)]);
    else found = keep(step, found ?? []);
  }
  return found ?? [];
}

/**
 * Return the matches of a step inside of each of the elements, or everywhere.
 * @param {Extract<Step, {find: string}>} step @param {Element[] | null} within
 */
function findAll(step, within) {
  if (step.find === 'role')
    return exposed(roleTest(step)).filter((each) => within?.some((scope) => contains(scope, each)) ?? true);
  const find = finder(step);
  const scopes = within ?? [document];
  return [...new Set(scopes.flatMap((scope) => [scope, ...rootsIn(scope)].flatMap(find)))];
}

/** @param {Element} scope @param {Element} element */
const contains = (scope, element) => scope !== element && flatContains(scope, element);

/** Return the roots of walked shadow trees inside of a scope. @param {Scope} scope */
const rootsIn = (scope) =>
  isElement(scope) ? knownRoots().filter((root) => flatContains(scope, hostOf(root))) : knownRoots();

/** @param {Exclude<Extract<Step, {find: string}>, {find: 'role'}>} step @returns {(scope: Scope) => Element[]} */
function finder(step) {
  switch (step.find) {
    case 'css':
      return byStyle(step.value);
    case 'xpath':
      return byPath(step.value);
    case 'text':
      return byText(step.match);
    case 'label':
      return (scope) => elementsIn(scope, labelled).filter((element) => labelTexts(element).some(step.match.fits));
    case 'attribute':
      return (scope) =>
        elementsIn(scope, step.names.map((name) => `[${name}]`).join()).filter((element) =>
          step.names.some((name) => step.match.fits(attr(element, name) ?? '')),
        );
  }
}

/** @param {Exclude<Step, {find: string} | {join: Step[]}>} step @param {Element[]} found */
function keep(step, found) {
  switch (step.keep) {
    case 'nth': {
      const one = found.at(step.index);
      return one ? [one] : [];
    }
    case 'visible':
      return found.filter((element) => isVisible(element) === step.visible);
    case 'text':
    case 'no-text':
      return found.filter((element) => step.match.fits(shownText(element)) === (step.keep === 'text'));
    case 'has':
    case 'has-not':
      return found.filter((element) => run(step.steps, element).length > 0 === (step.keep === 'has'));
    case 'and': {
      const others = new Set(run(step.steps, null));
      return found.filter((element) => others.has(element));
    }
  }
}

/** @param {Element[]} elements */
const inOrder = (elements) => [...new Set(elements)].sort((one, other) => (isBefore(one, other) ? -1 : 1));

/** @param {Scope} scope @param {string} selector CSS */
const elementsIn = (scope, selector) => [...selectAll(scope, selector)].filter(isElement);

/** Pseudo-classes of other tools that are not CSS. */
const foreign =
  /:(?:has-text|text(?:-is|-matches)?|contains|visible|nth-match|right-of|left-of|above|below|near|eq|first|last)\b(?!-)/;

/**
 * Return a finder for CSS; the part after ` >>> ` is in the shadow tree of the part before.
 * @param {string} selector @returns {(scope: Scope) => Element[]}
 */
const byStyle = (selector) => (scope) => {
  const parts = selector.split(' >>> ');
  try {
    let roots = [scope];
    for (const part of parts.slice(0, -1))
      roots = roots
        .flatMap((each) => elementsIn(each, part))
        .map(shadowRootOf)
        .filter((each) => each !== null);
    const last = parts[parts.length - 1];
    return roots.flatMap((each) =>
      elementsIn(each, isElement(each) && /^\s*[>+~]/.test(last) ? `:scope ${last}` : last),
    );
  } catch {
    const [pseudo] = foreign.exec(selector) ?? [];
    throw invalid(
      selector,
      pseudo && `${pseudo} is not CSS. Write getByText('Save') or locator('.card').filter({ hasText: 'Save' }).`,
    );
  }
};

/** @param {string} path @returns {(scope: Scope) => Element[]} */
function byPath(path) {
  return (scope) => {
    // XPath does not support shadow trees: both engines refuse a shadow root as the context node.
    if (isShadowRoot(scope)) return [];
    // Inside of an element a path starts there.
    const relative = isElement(scope) ? path.replace(/^\s*(\(*)(?=\/)/, '$1.') : path;
    try {
      return selectByPath(relative, scope);
    } catch {
      throw invalid(path);
    }
  };
}

/**
 * Return a finder for the innermost elements that show a text.
 * @param {TextMatch} match @returns {(scope: Scope) => Element[]}
 */
function byText(match) {
  const shows = (/** @type {Part} */ part) => match.fits(shownText(part));
  switch (match.kind) {
    case 'part':
      return (scope) => innermostIn([scope], shows);
    case 'exact':
      return (scope) =>
        innermost(scope, (part) => shownText(part).includes(match.said))
          .filter(shows)
          .map(elementFor);
    case 'pattern':
      // An ancestor of an element that matches a regular expression need not match it.
      return (scope) => {
        const top = nodeType(scope) === 9 ? bodyOf(/** @type {Document} */ (scope)) : /** @type {Part} */ (scope);
        if (!top) return [];
        const parts = [...elementsIn(top, '*').filter((each) => !isSilent(each)), ...(isShadowRoot(top) ? [top] : [])];
        const fitting = new Set(parts.filter(shows));
        return [...fitting].filter((each) => !childrenOf(each).some((child) => fitting.has(child))).map(elementFor);
      };
  }
}

/** @param {Element} element */
const isSilent = (element) => silent.has(localName(element));

const labelled = 'input, select, textarea, button, meter, output, progress, [aria-label], [aria-labelledby]';

/** Return the texts of an element's labels. @param {Element} element */
export function labelTexts(element) {
  const labels = labelsOf(element);
  const others = referenced(element, 'aria-labelledby');
  const said = attr(element, 'aria-label');
  if (!labels.length && !others.length && said === null) return [];
  const texts = [...labels.map(shownText), said ?? '', others.map(shownText).join(' '), nameOf(element).text];
  return texts.filter(Boolean);
}

const buttons = 'input[type="button" i], input[type="submit" i], input[type="reset" i]';

/** Return the text that a part shows; for a button that is its value. @param {Part} part */
export const shownText = (part) =>
  collapse((isElement(part) && isButton(part) ? attr(part, 'value') : readable(part)) ?? '');

/** @param {Element} element */
const isButton = (element) => localName(element) === 'input' && matchesSelector(element, buttons);

/** Return the text of a part without scripts, styles and the like. @param {Part} part */
function readable(part) {
  // Most elements on the way to a text contain nothing but text.
  if ((isElement(part) && !firstElementOf(part)) || !selectAll(part, silentOnes).length) return textContent(part);
  let text = '';
  let node = /** @type {Node | null} */ (part);
  while (node) {
    if (isText(node)) text += nodeValue(node);
    node = following(node, part, !isElement(node) || !isSilent(node));
  }
  return text;
}

/** Return the element itself, or the host of a shadow tree. @param {Part} part */
const elementFor = (part) => (isShadowRoot(part) ? hostOf(part) : part);

/**
 * Return the innermost elements that fit. It can also be a shadow tree as a whole, for text that is in none of its
 * elements.
 * @param {Scope} scope @param {(part: Part) => boolean} fits @returns {Part[]}
 */
function innermost(scope, fits) {
  /** @type {Part[]} */
  const found = elementsIn(scope, buttons).filter(fits);
  const stack = childrenOf(scope).filter(fits).reverse();
  for (let element = stack.pop(); element; element = stack.pop()) {
    const inner = childrenOf(element).filter(fits);
    if (inner.length) stack.push(...inner.reverse());
    else if (!found.includes(element)) found.push(element);
  }
  if (!found.length && isShadowRoot(scope) && fits(scope)) found.push(scope);
  return found;
}

/**
 * Return the innermost elements of each scope that fit; the host for a shadow tree as a whole.
 * @param {Scope[]} scopes @param {(part: Part) => boolean} fits
 */
export const innermostIn = (scopes, fits) => scopes.flatMap((scope) => innermost(scope, fits)).map(elementFor);

/** @param {Node} node */
function childrenOf(node) {
  /** @type {Element[]} */
  const children = [];
  for (let child = firstChild(node); child; child = nextSibling(child))
    if (isElement(child) && !isSilent(child)) children.push(child);
  return children;
}

const synonyms = new Map([
  ['image', 'img'],
  ['presentation', 'none'],
]);

/** @param {Extract<Step, {find: 'role'}>} step @returns {(item: import('../tree/rows.js').Item) => boolean} */
function roleTest({role, name, states}) {
  const asked = synonyms.get(role) ?? role;
  const wanted = Object.entries(states);
  return (item) =>
    (synonyms.get(item.role) ?? item.role) === asked &&
    (name?.fits(nameIn(item)) ?? true) &&
    wanted.every(
      ([state, value]) =>
        (item.props?.[/** @type {keyof import('../spec/state.js').Props} */ (state)] ?? false) === value,
    );
}

/**
 * Return the accessible name. In a snapshot a row has none, and a cell has none if its only child has the same name.
 * @param {import('../tree/rows.js').Item} item
 */
function nameIn({role, name, element}) {
  if (name || !element) return name;
  return nameOf(element).text || (role === 'row' ? ownText(element) : '');
}

/** Return the elements of the accessibility tree that fit. @param {(item: import('../tree/rows.js').Item) => boolean} fits */
export const exposed = (fits) => {
  /** @type {Set<Element>} */
  const found = new Set();
  const stack = [collect(null)];
  for (let item = stack.pop(); item; item = stack.pop()) {
    if (item.element && fits(item)) found.add(item.element);
    for (let index = item.children.length - 1; index >= 0; index--) stack.push(item.children[index]);
  }
  return [...found];
};

/**
 * Return the elements that match in the document and in the shadow trees that were walked.
 * @param {string} selector CSS
 */
export const everywhere = (selector) => [document, ...knownRoots()].flatMap((root) => elementsIn(root, selector));
