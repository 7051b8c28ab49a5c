import {internalsOf} from './internals.js';
import {onEndOfPass, oncePerPass} from '../realm/pass.js';
import {attributeNamesOf, getAttributeOf, hasAttributesAt} from '../realm/native.js';

/** @type {string[]} */
const none = [];

const namesOf = oncePerPass(attributeNamesOf);

// Consecutive calls are often about the same element, and most elements have no attribute: this is faster than any map.
const last = {element: /** @type {Element | null} */ (null), names: none};
onEndOfPass(() => {
  last.element = null;
});

/**
 * Return the names of the element's attributes, including those that its ElementInternals set.
 * @param {Element} element @returns {string[]}
 */
export function attributeNames(element) {
  if (element === last.element) return last.names;
  last.element = element;
  const names = hasAttributesAt(element) ? namesOf(element) : none;
  const internals = internalsOf(element);
  return (last.names = internals ? withInternals(names, internals) : names);
}

/** @param {string[]} names @param {Map<string, string>} internals */
function withInternals(names, internals) {
  const more = [...internals.keys()].filter((name) => name !== 'role' && !names.includes(name));
  return more.length ? [...names, ...more] : names;
}

/** Whether the element has no attribute at all, like most elements. @param {Element} element */
export const isBare = (element) => attributeNames(element) === none;

/** @param {Element} element @param {string} name */
export const has = (element, name) => attributeNames(element).includes(name);

/** @param {Element} element @param {string} name @returns {string | null} */
export const attr = (element, name) =>
  has(element, name) ? (getAttributeOf(element, name) ?? internalsOf(element)?.get(name) ?? null) : null;

/**
 * Return an attribute without surrounding white space; '' if it is missing.
 * @param {Element} element @param {string} name
 */
export const trimmed = (element, name) => attr(element, name)?.trim() ?? '';

/** Return the tokens of an attribute that is a space-separated list. @param {Element} element @param {string} name */
export const tokens = (element, name) =>
  attr(element, name)
    ?.split(/[\t\n\f\r ]+/)
    .filter(Boolean) ?? none;

/**
 * Return an attribute as an integer; undefined if it does not start with one.
 * @param {Element} element @param {string} name
 */
export function integer(element, name) {
  const text = attr(element, name);
  if (text === null) return undefined;
  const value = Number.parseInt(text, 10);
  return Number.isNaN(value) ? undefined : value;
}
