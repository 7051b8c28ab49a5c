// What the server calls, as methods of the realm's `__bidi`.

import {actions} from './act.js';
import {adoptRoots, tellSuspects} from './closed.js';
import {flatParent, htmlName} from './dom.js';
import {takeLeaving} from './leaving.js';
import {locate} from './locate.js';
import {nameOf, ownText} from './name.js';
import {documentTitle, documentURL, localName} from './native.js';
import {pack} from './pack.js';
import {inPass} from './pass.js';
import {elementOf, giveRef, refAt, setPrefix, wasGiven} from './refs.js';
import {roleOf} from './role.js';
import {flatten} from './rows.js';
import {sourceBegin, sourceOf} from './source.js';
import {propsOf} from './state.js';
import {optionLabels} from './value.js';
import {untilSelector, untilText} from './wait.js';
import {collect} from './walk.js';

/** @typedef {{prefix: string, seen?: string, taken?: string[], everyRef?: boolean, boxes?: boolean}} WalkOptions */

/**
 * The accessibility tree of this frame, flat: one JSON string, perhaps packed, then the windows of the frames met, then
 * the elements that may host a closed shadow root, of which the protocol's serialisation tells. `seen` is the last id of
 * theirs that arrived.
 * @param {WalkOptions} options @param {Element | null} [scope]
 * @returns {Promise<[string, ...(Window | Element | null)[]]>}
 */
export async function walk(options, scope = null) {
  const {answer, windows, hosts} = inPass(() => {
    setPrefix(options.prefix);
    const root = collect(scope);
    root.name = documentTitle(document);
    if (scope) tellOptions(scope, root);
    const {rows, windows, focused} = flatten(root, new Set(options.taken ?? []), options.everyRef, options.boxes);
    const {id, hosts} = tellSuspects(options.seen);
    const answer = JSON.stringify({
      url: documentURL(document), title: root.name, rows, windows: windows.length, suspects: id, focused,
      leaving: takeLeaving() !== null, source: scope ? undefined : sourceBegin(),
    });
    return {answer, windows, hosts};
  });
  return [await pack(answer), ...windows, ...hosts];
}

/** Who asks for a `select` itself wants its options, however many. @param {Element} scope @param {import('./rows.js').Item} root */
function tellOptions(scope, root) {
  const [item] = root.children;
  if (htmlName(scope) === 'select' && item?.props?.optionCount) item.props.options = optionLabels(scope);
}

/** The element of a ref while it is in the document, without a walk. @param {string} ref */
export const find = (ref) => elementOf(ref);

/** Whether a ref was ever given here, even if its element is gone. @param {string} ref */
export const known = (ref) => wasGiven(ref);

/** What the element is now, as a JSON string, in the words of a walk. @param {Element} element */
export const describe = (element) =>
  inPass(() => {
    const {role, name, props} = now(element);
    return JSON.stringify({role, name, ref: refAt(element), tag: localName(element), props, text: ownText(element)});
  });

/** The element's ref, given now if a walk gave none. @param {Element} element */
export const refOf = (element) =>
  inPass(() => {
    const {role, name} = now(element);
    return giveRef(element, role, name);
  });

/** @param {Element} element */
function now(element) {
  rolesFromTop(element);
  const [first] = collect(element).children;
  // The summary that a browser gives to a `details` element is another row of the same element.
  const item = first?.children[0]?.element === element ? first.children[0] : first;
  if (item?.element === element) return {role: item.role, name: item.name, props: item.props ?? {}};
  const role = roleOf(element) || 'generic';
  const name = nameOf(element);
  return {
    role,
    name: name.text || (role === 'generic' ? ownText(element) : ''),
    props: propsOf(element, role, name, true),
  };
}

/** Roles ask for the roles above them: begun at the top, that costs no stack. @param {Element} element */
function rolesFromTop(element) {
  /** @type {Element[]} */
  const chain = [];
  for (let node = /** @type {Element | null} */ (element); node; node = flatParent(node)) chain.push(node);
  for (const node of chain.reverse()) roleOf(node);
}

/**
 * Takes the closed roots that the protocol found: host, root, host, root …
 * @param {(Element | ShadowRoot)[]} pairs
 */
export const adopt = (...pairs) => adoptRoots(pairs);

/** The whole text of a page that is a file, as a JSON string. */
export const source = () => JSON.stringify({text: sourceOf()});

/** Rows of the whole document that are about the element. @param {Element} element */
const rowsOf = (element) =>
  inPass(() => {
    /** @type {import('./rows.js').Item[]} */
    const found = [];
    const stack = [collect(null)];
    for (let item = stack.pop(); item; item = stack.pop()) {
      if (item.element === element) found.push(item);
      stack.push(...item.children);
    }
    return found;
  });

/** What actions do in the page; see act.js. */
export const act = actions(describe, rowsOf);

/**
 * Waits until the page has come to rest and walks it.
 * @param {{quiet: number, ceiling: number}} rest
 * @param {WalkOptions} options
 */
export async function settleAndWalk(rest, options) {
  const settled = await act.settle(rest);
  return [settled, ...await walk(options)];
}

/**
 * `walk` from the element that the target names, or the empty list when there is none.
 * @param {WalkOptions} options
 * @param {import('./locate.js').Target} target
 */
export function walkAt(options, target) {
  const scope = locate(target);
  return scope ? walk(options, scope) : [];
}

export const waitForText = untilText;
export const waitForSelector = untilSelector;
export {findElements, selectorAt} from './read.js';
export {measure} from './performance.js';
export {changeServiceWorkers, serviceWorkers} from './service-workers.js';

/**
 * Return the entries of this origin's localStorage as JSON. `Object.entries` leaves out those that are named like a
 * member of `Storage`, such as "key" and "length": https://webidl.spec.whatwg.org/#dfn-named-property-visibility
 */
export const storage = () =>
  JSON.stringify(
    Array.from({length: localStorage.length}, (_, index) => {
      const name = localStorage.key(index) ?? '';
      return [name, localStorage.getItem(name)];
    }),
  );

export const title = () => documentTitle(document);
