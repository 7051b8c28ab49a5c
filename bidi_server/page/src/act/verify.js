// Check conditions on the frame, and report what is there instead.

import {attr} from '../dom/attributes.js';
import {flatContains, focusedElement, htmlName, isShadowRoot, knownRoots, textOf, visitRoots} from '../dom/dom.js';
import {displayOf} from '../dom/style.js';
import {isVisible, visibleText} from '../dom/visible.js';
import {
  childElements,
  documentTitle,
  hostOf,
  isConnected,
  isContentEditable,
  labelsOf,
  matchesSelector,
  selectAll,
} from '../realm/native.js';
import {inPass} from '../realm/pass.js';
import {isDisabled, isEditingHost} from '../spec/focus.js';
import {collapse} from '../spec/name.js';
import {roleOf} from '../spec/role.js';
import {controlValue, mask, optionLabels, writtenIn} from '../spec/value.js';
import {describe} from '../tree/describe.js';
import {find} from './locate.js';
import {quickLocatorsOf} from './locators.js';
import {innermostIn, select, shownText} from './select.js';
import {until} from './wait.js';

/** @typedef {import('./locate.js').Target} Target */
/**
 * Conditions. Those after `title` are about the element of the target.
 * @typedef {object} Conditions
 * @property {string} [shows] text that the frame shows, in any case
 * @property {number} [count] number of the selector's matches
 * @property {string} [title] part of the document's title
 * @property {boolean} [visible]
 * @property {boolean | 'mixed'} [checked]
 * @property {boolean} [enabled]
 * @property {boolean} [selected]
 * @property {boolean} [expanded]
 * @property {boolean} [editable]
 * @property {boolean} [focused]
 * @property {{name: string, value: string | null}} [attribute] without a value, any
 * @property {string} [text] part of the text that the element shows
 * @property {string} [value]
 * @property {string[]} [items] texts inside of the element
 */
/** @typedef {string | boolean | number | string[] | null} Actual */
/**
 * What a condition is about, as it is; null if the element has no such state.
 * @typedef {{condition: keyof Conditions, holds: boolean, actual: Actual}} Fact
 */
/** @typedef {{element: Element | null, facts: Fact[]}} Seen */

/** Maximum number of texts in an answer, and maximum length of each. */
const most = 20;
const longest = 500;

/**
 * Wait until all conditions hold; resolve to what is there then or after `timeout` milliseconds, as a JSON string. An
 * element with a ref is not waited for.
 * @param {{target: Target | null, conditions: Conditions, timeout: number}} question
 */
export async function verify({target, conditions, timeout}) {
  let seen = /** @type {Seen} */ ({element: null, facts: []});
  await until(() => {
    seen = look(target, conditions);
    return holds(seen) || (target?.ref !== undefined && !seen.element);
  }, timeout);
  const {element, facts} = seen;
  const isThere = element !== null && isConnected(element);
  return JSON.stringify({
    holds: holds(seen),
    matches: matchesOf(target, conditions),
    element: isThere ? {...JSON.parse(describe(element)), locators: quickLocatorsOf(element)} : null,
    facts,
    items: isThere && conditions.items && !holds(seen) ? inPass(() => itemsIn(element)) : [],
  });
}

/** @param {Seen} seen */
const holds = ({facts}) => facts.every((fact) => fact.holds);

/** @param {Target | null} target @param {Conditions} conditions @returns {Seen} */
function look(target, conditions) {
  const element = target && find(target).element;
  const asked = /** @type {(keyof Conditions)[]} */ (Object.keys(conditions));
  const facts = asked.map((condition) => inPass(() => factOf(condition, conditions, target, element)));
  return {element, facts};
}

/** Return the number of matches of a selector or a text, also of hidden ones. @param {Target | null} target @param {Conditions} conditions */
function matchesOf(target, {shows}) {
  if (target?.selector !== undefined) return select(target.selector).length;
  return shows === undefined ? 0 : everywhere((part) => includes(shownText(part), shows)).length;
}

/**
 * @param {keyof Conditions} condition @param {Conditions} conditions @param {Target | null} target
 * @param {Element | null} element @returns {Fact}
 */
function factOf(condition, conditions, target, element) {
  /** @param {boolean} holds @param {Actual} actual @returns {Fact} */
  const fact = (holds, actual) => ({condition, holds, actual});
  switch (condition) {
    case 'shows':
      return fact(showsText(conditions.shows ?? ''), null);
    case 'title':
      return fact(documentTitle(document).includes(conditions.title ?? ''), documentTitle(document).slice(0, longest));
    case 'count': {
      const count = select(target?.selector ?? '').length;
      return fact(count === conditions.count, count);
    }
    case 'visible': {
      const visible = element !== null && isSeen(element);
      return fact(visible === conditions.visible, visible);
    }
    default:
      return element ? factOfElement(element, condition, conditions) : fact(false, null);
  }
}

/**
 * @param {Element} element @param {Exclude<keyof Conditions, 'shows' | 'title' | 'count' | 'visible'>} condition
 * @param {Conditions} conditions @returns {Fact}
 */
function factOfElement(element, condition, conditions) {
  switch (condition) {
    case 'attribute': {
      const {name, value} = conditions.attribute ?? {name: '', value: null};
      const actual = attr(element, htmlName(element) ? name.toLowerCase() : name);
      return {
        condition,
        holds: value === null ? actual !== null : actual === value,
        actual: actual?.slice(0, longest) ?? null,
      };
    }
    case 'text': {
      const text = collapse(wholeText(element));
      return {condition, holds: holdsWhole(text, collapse(conditions.text ?? '')), actual: text.slice(0, longest)};
    }
    case 'value': {
      const values = valuesOf(element);
      // The mask stands in place of a password.
      const holds = values.some((value) => value === conditions.value && value !== mask);
      return {condition, holds, actual: values[0]?.slice(0, longest) ?? null};
    }
    case 'items': {
      const missing = (conditions.items ?? []).filter((item) => !hasItem(element, item));
      return {condition, holds: !missing.length, actual: missing};
    }
    default: {
      const actual = stateOf(element, condition);
      return {condition, holds: actual === conditions[condition], actual};
    }
  }
}

/** @typedef {'checked' | 'enabled' | 'selected' | 'expanded' | 'editable' | 'focused'} State */

/** @param {Element} element @param {State} state @returns {boolean | 'mixed' | null} null if it has no such state */
function stateOf(element, state) {
  switch (state) {
    case 'enabled':
      return !isDisabled(element);
    case 'editable':
      return isEditable(element);
    case 'focused':
      return focusedElement() === element || matchesSelector(element, ':focus');
    case 'selected':
      return JSON.parse(describe(element)).props.selected === true;
    default:
      return JSON.parse(describe(element)).props[state] ?? null;
  }
}

const texts =
  'textarea, select, input:not([type=button i], [type=submit i], [type=reset i], [type=image i], [type=hidden i])';
const textRoles = new Set(['textbox', 'searchbox', 'combobox', 'spinbutton', 'slider']);

/** Whether the element takes input. @param {Element} element */
function isEditable(element) {
  if (isDisabled(element) || attr(element, 'aria-readonly') === 'true') return false;
  if (matchesSelector(element, texts)) return matchesSelector(element, 'select') || attr(element, 'readonly') === null;
  return (
    textRoles.has(roleOf(element)) ||
    (htmlName(element) !== '' && isContentEditable(/** @type {HTMLElement} */ (element)))
  );
}

/**
 * Whether a person sees the element, or the label that stands for a control that is itself transparent.
 * @param {Element} element
 */
const isSeen = (element) => isVisible(element) || labelsOf(element).some(isVisible);

/** @param {string} text @param {string} part */
const includes = (text, part) => holdsWhole(collapse(text).toLowerCase(), collapse(part).toLowerCase());

/**
 * Whether a text contains another one. A number at its end is whole: "5" is not in "50", "1.5" or "-5".
 * @param {string} text @param {string} part
 */
function holdsWhole(text, part) {
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + 1)) {
    const before = /^\d/.test(part) && /(?:\d|\d[.,]|(?:^|\s)-)$/.test(text.slice(0, at));
    const after = /\d$/.test(part) && /^(?:\d|[.,]\d)/.test(text.slice(at + part.length));
    if (!before && !after) return true;
  }
  return false;
}

/** @typedef {import('./select.js').Part} Part */

/** Return the innermost elements that fit in the document and in the shadow trees. @param {(part: Part) => boolean} fits */
const everywhere = (fits) => innermostIn([document, ...knownRoots()], fits);

/** Return a test whether a part renders a text. @param {string} text @returns {(part: Part) => boolean} */
const rendering = (text) => (part) =>
  (isShadowRoot(part) || displayOf(part) !== 'none') && includes(textIn(part), text);

/** @param {Part} part */
const textIn = (part) => (!isShadowRoot(part) && htmlName(part) === 'input' ? shownText(part) : visibleText(part));

/** Whether a visible element shows the text. @param {string} text */
function showsText(text) {
  visitRoots();
  return everywhere(rendering(text)).some(isVisible);
}

/** @param {Element | ShadowRoot} scope @returns {Element[]} */
const childrenOf = (scope) => [...(isShadowRoot(scope) ? scope.children : childElements(scope))];

/** Return the text that an element shows, its shadow trees included. @param {Element} element */
const wholeText = (element) => scopesOf(element).map(textIn).join('\n');

/** Return the values of a control, the one that a person reads first. @param {Element} element */
function valuesOf(element) {
  const shown = controlValue(element, roleOf(element));
  const editor = shown === undefined && isEditingHost(element) ? writtenIn(element) : undefined;
  const own = matchesSelector(element, 'input, textarea, select, button, option, output, data')
    ? /** @type {HTMLInputElement} */ (element).value
    : (attr(element, 'aria-valuenow') ?? undefined);
  return [shown, editor, own].filter((value) => value !== undefined);
}

/** Return the element and the roots of shadow trees inside of it. @param {Element} element @returns {(Element | ShadowRoot)[]} */
const scopesOf = (element) => [element, ...knownRoots().filter((root) => flatContains(element, hostOf(root)))];

/** @param {Element} element @param {string} item */
function hasItem(element, item) {
  if (htmlName(element) === 'select') return optionLabels(element).some((label) => includes(label, item));
  return innermostIn(scopesOf(element), rendering(item)).some(isVisible);
}

const items =
  'li, option, tr, dt, dd, [role=listitem], [role=option], [role=row], [role=treeitem], [role=menuitem], [role=tab]';

/** Return the texts of the items of a list, or of the parts of another element. @param {Element} element */
function itemsIn(element) {
  if (htmlName(element) === 'select') return optionLabels(element).slice(0, most);
  const scopes = scopesOf(element);
  const listed = scopes.flatMap((scope) => [...selectAll(scope, items)]).filter(isVisible);
  const parts = listed.length ? listed : scopes.flatMap((scope) => childrenOf(scope)).filter(isVisible);
  return parts
    .map((part) => collapse(textOf(part)).slice(0, longest))
    .filter(Boolean)
    .slice(0, most);
}
