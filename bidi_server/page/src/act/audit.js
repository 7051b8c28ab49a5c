// The accessibility audit of a frame by axe-core, which the server evaluates in this realm before the first audit:
// https://github.com/dequelabs/axe-core/blob/develop/doc/API.md

import {knownRoots} from '../dom/dom.js';
import {locate} from './locate.js';
import {selectAll} from '../realm/native.js';
import {inPass} from '../realm/pass.js';
import {described} from '../tree/describe.js';
import {giveRef} from '../tree/refs.js';

/**
 * What axe-core knows of the frame that a document is in, to leave out rules for pages; null for the main frame.
 * @typedef {{focusable: boolean, page: boolean, size: {width: number, height: number}}} Place
 */
/**
 * `limit` is the maximum number of elements to describe for each rule, `time` the time for all rules in milliseconds,
 * `taken` the refs of other frames, and `whole` means that selectors and HTML are wanted too.
 * @typedef {{tags: string[], impacts: string[], limit: number, time: number, taken: string[], place: Place | null,
 *   whole: boolean}} AuditOptions
 */

/** @type {any} */
let axe = null;

/** Tags that stand for a set of rules; the others are single criteria, such as `wcag111`. */
const SETS = /^(wcag2\d?a+|best-practice|experimental|section508|ACT|EN-301-549|TTv5|RGAAv4|cat\..+)$/;

/**
 * Properties of forms without which axe-core 4.14.1 fails, misses elements or searches ancestors without end. A form
 * control of that name hides them in Chromium 156; in Firefox a sandbox does not see these names.
 */
const READ = (
  'childNodes classList compareDocumentPosition getAttribute getBoundingClientRect getClientRects getRootNode ' +
  'hasAttributes nodeName nodeType parentNode'
).split(' ');

/**
 * The audit under way: when it must end, the rules that it could not finish, and its frame.
 * @type {{end: number, cut: Set<string>, place: Place | null}}
 */
const current = {end: 0, cut: new Set(), place: null};

/** The audit before, which may go on after the server has given it up: axe-core runs one at a time. */
let before = Promise.resolve();

/** Whether `useAxe` was called. */
export const hasAxe = () => axe !== null;

/** Receive axe-core, and make it end in time and stay within its frame. @param {any} library */
export function useAxe(library) {
  // It would take commands from messages that the page sends to its own window.
  library.frameMessenger({open: () => undefined, post: () => false});
  const {rules} = library._audit;
  // Colours take most of the time: what is cut off at the end is only their contrast.
  rules.sort((/** @type {any} */ one, /** @type {any} */ other) => isSlow(one) - isSlow(other));
  const rule = Object.getPrototypeOf(rules[0]);
  const {gatherAndMatchNodes, runChecks} = rule;
  /** @this {any} @param {object} context @param {object} options */
  rule.gatherAndMatchNodes = function gather(context, options) {
    if (isLate(this.id)) return [];
    return gatherAndMatchNodes.call(
      this,
      {...context, ...(current.place && {...current.place, initiator: false})},
      options,
    );
  };
  /** @this {any} @param {string} type @param {any[]} rest */
  rule.runChecks = function run(type, ...rest) {
    if (isLate(this.id)) rest[3]({type, results: []});
    else runChecks.call(this, type, ...rest);
  };
  axe = library;
}

/** @param {{id: string}} rule */
const isSlow = ({id}) => Number(id.startsWith('color-contrast'));

/** Whether the time is over, so that the rule stays unfinished. @param {string} id */
function isLate(id) {
  if (performance.now() < current.end) return false;
  current.cut.add(id);
  return true;
}

/**
 * Audit this frame, or one element and its content. Return the result as a JSON string, and the windows of the frames
 * in it.
 * @param {AuditOptions} options @param {import('./locate.js').Target} [target]
 * @returns {Promise<[string, ...(Window | null)[]]>}
 */
export async function audit(options, target) {
  current.end = 0;
  const audited = before.then(() => auditNow(options, target));
  before = audited.then(
    () => undefined,
    () => undefined,
  );
  return audited;
}

/** @type {typeof audit} */
async function auditNow(options, target) {
  const known = new Set(axe.getRules().flatMap((/** @type {{tags: string[]}} */ {tags}) => tags));
  const unknown = options.tags.filter((tag) => !known.has(tag));
  const nothing = {violations: [], review: [], cut: [], frames: []};
  if (unknown.length)
    return [JSON.stringify({...nothing, unknown, known: [...known].filter((tag) => SETS.test(tag)).sort()})];
  const scope = target ? locate(target) : document;
  if (!scope) throw new Error('The element is no longer in the page.');
  const shadowed = everywhere('form').flatMap((form) => READ.filter((name) => Object.hasOwn(form, name)));
  if (shadowed.length) throw new Error(`axe-core cannot audit a document with a form control named ${shadowed[0]}.`);
  const include = [scope];
  const context = options.place ? {include, page: options.place.page} : {include};
  Object.assign(current, {end: performance.now() + options.time, cut: new Set(), place: options.place});
  const {violations, incomplete} = await axe.run(context, {
    runOnly: {type: 'tag', values: options.tags},
    resultTypes: ['violations'],
    elementRef: true,
    selectors: options.whole,
    iframes: false, // the server asks each frame: the page would hear their messages to each other
    preload: false, // it would request style sheets again
  });
  const frames = framesIn(context);
  const taken = new Set(options.taken);
  const wanted = violations.filter((/** @type {any} */ rule) => options.impacts.includes(rule.impact));
  const answer = {
    violations: inPass(() => wanted.map((/** @type {any} */ rule) => told(rule, options, taken))),
    review: incomplete.map((/** @type {{id: string}} */ {id}) => id),
    cut: [...current.cut],
    frames: frames.map(({place}) => place),
    unknown,
    known: [],
  };
  return [JSON.stringify(answer), ...frames.map(({node}) => node.contentWindow)];
}

/** @param {any} rule a result of axe-core @param {AuditOptions} options @param {Set<string>} taken */
function told({id, impact, help, description, helpUrl, tags, nodes}, {limit, time, whole}, taken) {
  const elements = [];
  for (const node of nodes.slice(0, limit)) {
    if (elements.length && performance.now() > current.end + time / 4) break;
    elements.push({
      element: withRef(node.element, taken),
      mend: node.failureSummary,
      selector: whole ? node.target.flat().join(' >>> ') : '',
      html: whole ? node.html : '',
    });
  }
  return {id, impact, help, description, url: helpUrl, tags, count: nodes.length, elements};
}

/** Describe an element, with a ref even if it is not in the snapshot. @param {Element} element @param {Set<string>} taken */
function withRef(element, taken) {
  const found = described(element);
  return {...found, ref: found.ref || giveRef(element, found.role, found.name, taken)};
}

/** Return the elements of the document and of its shadow trees that match. @param {string} selector */
const everywhere = (selector) => [document, ...knownRoots()].flatMap((root) => [...selectAll(root, selector)]);

/**
 * Return the frames that axe-core would audit too: those in the scope that are not hidden from assistive technology.
 * @param {object} context @returns {{node: HTMLIFrameElement, place: Place}[]}
 */
function framesIn(context) {
  if (!everywhere('iframe, frame').length) return [];
  const found = axe.utils.getFrameContexts(context);
  return found.map((/** @type {any} */ {frameSelector, frameContext: {focusable, page, size}}) => ({
    node: axe.utils.shadowSelect(frameSelector),
    place: {focusable, page, size},
  }));
}
