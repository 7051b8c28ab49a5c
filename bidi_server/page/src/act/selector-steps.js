// Parse a selector into steps, each of which searches the results of the one before.

import {textMatch} from './text-match.js';
import {invalid} from './selector-error.js';
import {isLocator, parseLocator} from './locator-syntax.js';

/** @typedef {import('./text-match.js').TextMatch} TextMatch */
/** @typedef {{checked?: unknown, disabled?: unknown, expanded?: unknown, level?: unknown, pressed?: unknown, selected?: unknown}} States */
/**
 * @typedef {{find: 'css' | 'xpath', value: string}
 *   | {find: 'text' | 'label', match: TextMatch}
 *   | {find: 'attribute', names: string[], match: TextMatch}
 *   | {find: 'role', role: string, name: TextMatch | null, states: States}
 *   | {keep: 'text' | 'no-text', match: TextMatch}
 *   | {keep: 'has' | 'has-not' | 'and', steps: Step[]}
 *   | {keep: 'visible', visible: boolean}
 *   | {keep: 'nth', index: number}
 *   | {join: Step[]}} Step
 */

const engine = /^\s*(css|xpath|text|role|nth|visible)\s*=\s*([^]*?)\s*$/;
const quoted = /^(["'])([^]*)\1$/;
const pattern = /^\/([^]+)\/([a-z]*)$/;

/**
 * Return the steps of a selector: CSS, `xpath=//a`, `text=Sign in` (any case, a part), `text="Sign in"` (exactly),
 * `text=/sign in/i`, `role=button`, `role=button[name="Save"]` (`*=` for a part, ` i` for any case), several of them
 * joined by ` >> `, or a Playwright locator. Throws an error of `invalid`.
 * @param {string} selector @returns {Step[]}
 */
export function stepsOf(selector) {
  if (isLocator(selector)) return parseLocator(selector, stepsOf);
  const parts = selector.split(/ >> (?=(?:[^"']|"[^"]*"|'[^']*')*$)/);
  return parts.map(stepOf);
}

/** @param {string} part @returns {Step} */
function stepOf(part) {
  const [, name, body = part] = engine.exec(part) ?? [];
  switch (name) {
    case 'role':
      return roleStep(body);
    case 'text':
      return {find: 'text', match: textOf(body)};
    case 'nth':
      if (!/^-?\d+$/.test(body)) throw invalid(part, 'nth= takes a number, 0 for the first.');
      return {keep: 'nth', index: Number(body)};
    case 'visible':
      return {keep: 'visible', visible: body !== 'false'};
    case 'xpath':
      return {find: 'xpath', value: body};
    default:
      return {find: /^\s*\(*\.?\/\//.test(body) ? 'xpath' : 'css', value: body};
  }
}

/** @param {string} body */
function textOf(body) {
  const [, , exact] = quoted.exec(body) ?? [];
  const match = textMatch(patternOf(body) ?? exact ?? body, exact !== undefined);
  if (!match.said) throw invalid(`text=${body}`, 'The text is missing.');
  return match;
}

/** @param {string} body @returns {RegExp | null} */
function patternOf(body) {
  const [, source, flags] = pattern.exec(body) ?? [];
  if (source === undefined) return null;
  try {
    return new RegExp(source, flags);
  } catch (error) {
    throw invalid(body, `It is not a regular expression: ${/** @type {Error} */ (error).message}.`);
  }
}

const state = /\[\s*(\w+)\s*(?:(\*?)=\s*("[^"]*"|'[^']*'|\/(?:[^/\\]|\\.)+\/[a-z]*|[^\]"']*?)\s*(i?)\s*)?\]\s*/y;
const states = new Set(['checked', 'disabled', 'expanded', 'level', 'pressed', 'selected']);

/** @param {string} body @returns {Step} */
function roleStep(body) {
  const [whole, role] = /^([\w-]+)\s*/.exec(body) ?? [];
  if (whole === undefined) throw invalid(`role=${body}`, 'Write role=button[name="Save"].');
  /** @type {Extract<Step, {find: 'role'}>} */
  const step = {find: 'role', role: role.toLowerCase(), name: null, states: {}};
  for (state.lastIndex = whole.length; state.lastIndex < body.length; ) {
    const [found, name, part, raw, anyCase] = state.exec(body) ?? [];
    if (found === undefined || !(name === 'name' ? raw : states.has(name)))
      throw invalid(`role=${body}`, `After the role come [name="…"] or [${[...states].join('], [')}].`);
    const value = quoted.exec(raw ?? '')?.[2] ?? raw;
    if (name !== 'name') step.states[/** @type {keyof States} */ (name)] = valueFrom(value ?? 'true');
    else
      step.name = part ? textMatch(value) : textMatch(patternOf(value) ?? (anyCase ? anyCaseOf(value) : value), true);
  }
  return step;
}

/** @param {string} value */
const anyCaseOf = (value) => new RegExp(`^${value.trim().replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}$`, 'i');

/** @param {string} value */
const valueFrom = (value) =>
  value === 'true' ? true : value === 'false' ? false : /^\d+$/.test(value) ? Number(value) : value;

/** @typedef {{role: string, text: string}} Wanted */

const rolesOfTags = new Map([
  ['a', 'link'],
  ['button', 'button'],
  ['h1', 'heading'],
  ['h2', 'heading'],
  ['input', 'textbox'],
  ['select', 'combobox'],
  ['textarea', 'textbox'],
]);

/**
 * Return the role and text that the author of a selector is looking for; empty if unknown.
 * @param {Step[]} steps @returns {Wanted}
 */
export function wantedBy(steps) {
  const wanted = {role: '', text: ''};
  for (const step of steps.toReversed()) {
    const {role, text} = saidBy(step);
    wanted.role ||= role;
    wanted.text ||= text;
  }
  return wanted;
}

/** @param {Step} step @returns {Wanted} */
function saidBy(step) {
  if ('match' in step) return {role: '', text: step.match.said};
  if (!('find' in step)) return {role: '', text: ''};
  switch (step.find) {
    case 'role':
      return {role: step.role, text: step.name?.said ?? ''};
    case 'xpath':
      return {role: '', text: /(["'])([^]*?)\1/.exec(step.value)?.[2] ?? ''};
    default:
      return saidByStyle(step.value);
  }
}

/**
 * Return the words of the last part of a CSS selector: `#save-button` is "save button". A selector that ends with an
 * unknown element name is a text without its `text=`.
 * @param {string} selector @returns {Wanted}
 */
function saidByStyle(selector) {
  const last = selector.split(/[\s>+~]+(?![^[(]*[\])])/).pop() ?? '';
  const [tag = ''] = /^[\w-]+/.exec(last) ?? [];
  if (/^[a-z]\w*$/i.test(last) && document.createElement(last) instanceof HTMLUnknownElement)
    return {role: '', text: selector.trim()};
  const names = [...last.slice(tag.length).matchAll(/=\s*["']?([^"'\]]+)|[#.]([\w-]+)/g)].map(
    ([, value, name]) => value ?? name,
  );
  const text = names
    .join(' ')
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .replace(/[-_]+/g, ' ');
  return {role: rolesOfTags.get(tag) ?? '', text};
}
