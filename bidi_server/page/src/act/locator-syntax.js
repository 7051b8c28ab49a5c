// Playwright locators, such as `page.getByRole('button', { name: /save/i }).first()`, in the spelling of
// JavaScript or Python. https://playwright.dev/docs/api/class-locator

import {attr} from '../dom/attributes.js';
import {testAttributes} from '../tree/identity.js';
import {textMatch} from './text-match.js';
import {invalid} from './selector-error.js';

/** @typedef {import('./selector-steps.js').Step} Step */
/** @typedef {{steps: Step[]}} Nested a locator inside of another */
/** @typedef {string | number | boolean | RegExp | Nested | undefined} Value */
/** @typedef {Record<string, Value>} Options */

/** Whether a selector is meant as a locator. @param {string} selector */
export const isLocator = (selector) =>
  /^\s*(?:await\s+)?(?:page\s*\.\s*)?(?:get_?by_?\w+|(?:frame_?)?locator)\s*\(/i.test(selector);

let testIds = testAttributes.filter((each) => each !== 'name');

/** Have getByTestId search another attribute. @param {string} attribute */
export const useTestId = (attribute) => {
  testIds = [attribute];
};

/** Return the value by which getByTestId finds the element; '' if it has none. @param {Element} element */
export const testIdOf = (element) => testIds.map((name) => attr(element, name) ?? '').find(Boolean) ?? '';

const filters = ['has', 'hasNot', 'hasText', 'hasNotText'];
const states = ['checked', 'disabled', 'expanded', 'level', 'pressed', 'selected'];

/** Methods of a locator, with the options that each takes. @type {Record<string, string[]>} */
const methods = {
  getByRole: ['name', 'exact', 'includeHidden', ...states],
  getByText: ['exact'],
  getByLabel: ['exact'],
  getByPlaceholder: ['exact'],
  getByAltText: ['exact'],
  getByTitle: ['exact'],
  getByTestId: [],
  locator: filters,
  filter: [...filters, 'visible'],
  first: [],
  last: [],
  nth: [],
  and: [],
  or: [],
};

/**
 * @param {string} text
 * @param {(selector: string) => Step[]} stepsOf parses the selector of `locator('…')`
 */
export function parseLocator(text, stepsOf) {
  const reader = new Reader(text, stepsOf);
  const steps = reader.locator();
  reader.skip(/;/y);
  if (!reader.isAtEnd()) throw reader.wrong('Nothing belongs behind the locator.');
  return steps;
}

class Reader {
  /** @param {string} text @param {(selector: string) => Step[]} stepsOf */
  constructor(text, stepsOf) {
    this.text = text;
    this.stepsOf = stepsOf;
    this.at = 0;
  }

  /** @param {string} advice */
  wrong(advice) {
    return invalid(this.text, advice);
  }

  isAtEnd() {
    return this.text.slice(this.at).trim() === '';
  }

  /**
   * Return the match of an expression at the current position, after white space.
   * @param {RegExp} sticky @returns {RegExpExecArray | null}
   */
  skip(sticky) {
    const space = /\s*/y;
    space.lastIndex = this.at;
    space.exec(this.text);
    sticky.lastIndex = space.lastIndex;
    const found = sticky.exec(this.text);
    if (found) this.at = sticky.lastIndex;
    return found;
  }

  /** @param {string} sign */
  take(sign) {
    if (!this.skip(new RegExp(`\\${sign}`, 'y'))) throw this.wrong(`There should be ${sign} at ${this.place()}.`);
  }

  place() {
    const rest = this.text.slice(this.at).trim();
    return rest ? `"${rest.slice(0, 20)}"` : 'the end';
  }

  /** @returns {Step[]} */
  locator() {
    this.skip(/await\b/y);
    this.skip(/page\s*\./y);
    /** @type {Step[]} */
    const steps = [];
    do steps.push(...this.part());
    while (this.skip(/\./y));
    return steps;
  }

  /** Read one call of the chain. @returns {Step[]} */
  part() {
    const [written = ''] = this.skip(/[\w$]+/y) ?? [];
    const name = camel(written);
    if (!Object.hasOwn(methods, name)) throw this.wrong(adviceFor(written, name));
    // In Python these two are properties, without parentheses.
    if ((name === 'first' || name === 'last') && !this.skip(/(?=\()/y)) return stepsFor(name, [], {}, this);
    const {values, options} = this.values(name);
    const unknown = Object.keys(options).find((each) => !methods[name].includes(each));
    if (unknown !== undefined) {
      const known = methods[name].length ? `takes ${methods[name].join(', ')}` : 'takes no options';
      throw this.wrong(`${name} has no option ${unknown}: it ${known}.`);
    }
    return stepsFor(name, values, options, this);
  }

  /** @param {string} name of the method */
  values(name) {
    /** @type {Value[]} */
    const values = [];
    /** @type {Options} */
    const options = {};
    this.take('(');
    while (!this.skip(/\)/y)) {
      const keyword = this.skip(/(\w+)\s*=(?![=>])/y);
      if (keyword) options[camel(keyword[1])] = this.value(name);
      else if (this.skip(/\{/y)) this.entries(options, name);
      else values.push(this.value(name));
      if (!this.skip(/,/y) && !this.skip(/(?=\))/y))
        throw this.wrong(`There should be a comma or a ) at ${this.place()}.`);
    }
    return {values, options};
  }

  /** Read the rest of an object. @param {Options} options @param {string} name of the method */
  entries(options, name) {
    while (!this.skip(/\}/y)) {
      const key = this.skip(/(["']?)(\w+)\1\s*:/y);
      if (!key) throw this.wrong(`Options are written { name: 'Save', exact: true }, not as at ${this.place()}.`);
      options[key[2]] = this.value(name);
      if (!this.skip(/,/y) && !this.skip(/(?=\})/y))
        throw this.wrong(`There should be a comma or a } at ${this.place()}.`);
    }
  }

  /** @param {string} name of the method @returns {Value} */
  value(name) {
    const string = this.skip(/(["'`])((?:(?!\1)[^\\]|\\[^])*)\1/y);
    if (string) return unescaped(string[2]);
    if (this.skip(/(?=["'`])/y)) throw this.wrong(`The quoted text at ${this.place()} does not end.`);
    const pattern = this.skip(/\/((?:[^/\\[\n]|\\.|\[(?:[^\]\\]|\\.)*\])+)\/([a-z]*)/y);
    if (pattern) return this.pattern(pattern[1], pattern[2]);
    const compiled = this.skip(/re\.compile\(\s*r?(["'])((?:(?!\1)[^\\]|\\[^])*)\1\s*(,\s*re\.I(?:GNORECASE)?\s*)?\)/y);
    if (compiled) return this.pattern(compiled[2], compiled[3] ? 'i' : '');
    const number = this.skip(/-?\d+(?![\w.])/y);
    if (number) return Number(number[0]);
    const word = this.skip(/(?:true|false|undefined|null|True|False|None)\b/y);
    if (word) return /^t/i.test(word[0]) ? true : /^f/i.test(word[0]) ? false : undefined;
    if (isLocator(this.text.slice(this.at))) return {steps: this.locator()};
    throw this.wrong(
      `${name} takes texts in quotes, /patterns/, numbers, true and false, not what is at ${this.place()}.`,
    );
  }

  /** @param {string} source @param {string} flags */
  pattern(source, flags) {
    try {
      return new RegExp(source, flags);
    } catch (error) {
      throw this.wrong(`/${source}/ is not a regular expression: ${/** @type {Error} */ (error).message}.`);
    }
  }
}

const camel = (/** @type {string} */ name) => name.replace(/_([a-z])/g, (_, letter) => letter.toUpperCase());

/** @param {string} text */
const unescaped = (text) =>
  text.replace(/\\(?:u\{([\da-f]+)\}|u([\da-f]{4})|x([\da-f]{2})|([^]))/gi, (_, point, unit, byte, character) =>
    character === undefined
      ? String.fromCodePoint(Number.parseInt(point ?? unit ?? byte, 16))
      : ({n: '\n', t: '\t', r: '\r'}[/** @type {string} */ (character)] ?? character),
  );

/** @param {string} written @param {string} name */
function adviceFor(written, name) {
  if (/^(?:frameLocator|contentFrame)$/.test(name)) return 'Leave the frame out: frames are searched too.';
  if (/^(?:getBy|get)/.test(name))
    return `There is no ${written}. There are ${Object.keys(methods).slice(0, 8).join(', ')}.`;
  return `${written || 'This'} is not part of a locator: leave it out. A locator is made of ${Object.keys(methods).join(', ')}.`;
}

/** @param {string} name @param {Value[]} values @param {Options} options @param {Reader} reader @returns {Step[]} */
function stepsFor(name, values, options, reader) {
  const [value] = values;
  const exact = options.exact === true;
  const text = () => {
    if (value instanceof RegExp || typeof value === 'string') return value;
    throw reader.wrong(`${name} takes a text, such as ${name}('Save').`);
  };
  switch (name) {
    case 'first':
      return [{keep: 'nth', index: 0}];
    case 'last':
      return [{keep: 'nth', index: -1}];
    case 'nth':
      if (typeof value !== 'number') throw reader.wrong('nth takes a number, 0 for the first.');
      return [{keep: 'nth', index: value}];
    case 'and':
    case 'or':
      if (!isNested(value)) throw reader.wrong(`${name} takes a locator.`);
      return [name === 'and' ? {keep: 'and', steps: value.steps} : {join: value.steps}];
    case 'filter':
      return filtersOf(options, reader);
    case 'locator':
      return [...(isNested(value) ? value.steps : reader.stepsOf(String(text()))), ...filtersOf(options, reader)];
    case 'getByRole':
      if (typeof value !== 'string')
        throw reader.wrong("getByRole takes a role in quotes, such as getByRole('button').");
      return [
        {find: 'role', role: value.toLowerCase(), name: nameIn(options, exact, reader), states: statesIn(options)},
      ];
    case 'getByText':
      return [{find: 'text', match: textMatch(text(), exact)}];
    case 'getByLabel':
      return [{find: 'label', match: textMatch(text(), exact)}];
    case 'getByPlaceholder':
      return [{find: 'attribute', names: ['placeholder', 'aria-placeholder'], match: textMatch(text(), exact)}];
    case 'getByAltText':
      return [{find: 'attribute', names: ['alt'], match: textMatch(text(), exact)}];
    case 'getByTitle':
      return [{find: 'attribute', names: ['title'], match: textMatch(text(), exact)}];
    default:
      return [{find: 'attribute', names: testIds, match: textMatch(text(), true)}];
  }
}

/** @param {Value} value @returns {value is Nested} */
const isNested = (value) => typeof value === 'object' && 'steps' in value;

/** @param {Options} options @param {boolean} exact @param {Reader} reader */
function nameIn({name}, exact, reader) {
  if (name === undefined) return null;
  if (typeof name === 'string' || name instanceof RegExp) return textMatch(name, exact);
  throw reader.wrong('The name is a text in quotes or a /pattern/.');
}

/** @param {Options} options */
const statesIn = (options) =>
  Object.fromEntries(states.filter((each) => options[each] !== undefined).map((each) => [each, options[each]]));

/** @param {Options} options @param {Reader} reader @returns {Step[]} */
function filtersOf(options, reader) {
  return Object.entries(options)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => {
      if (name === 'visible') return {keep: 'visible', visible: value !== false};
      if (name === 'has' || name === 'hasNot') {
        if (!isNested(value)) throw reader.wrong(`${name} takes a locator.`);
        return {keep: name === 'has' ? 'has' : 'has-not', steps: value.steps};
      }
      if (typeof value !== 'string' && !(value instanceof RegExp))
        throw reader.wrong(`${name} takes a text or a /pattern/.`);
      return {keep: name === 'hasText' ? 'text' : 'no-text', match: textMatch(value)};
    });
}
