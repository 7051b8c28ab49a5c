// Functions that the server calls, as methods of the realm's `__bidi`.

import {actions} from './act/act.js';
import {adoptRoots, tellSuspects} from './dom/closed.js';
import {flatParent, htmlName} from './dom/dom.js';
import {takeLeaving} from './realm/leaving.js';
import {locate} from './act/locate.js';
import {nameOf, ownText} from './spec/name.js';
import {documentTitle, documentURL, localName} from './realm/native.js';
import {pack} from './realm/pack.js';
import {inPass} from './realm/pass.js';
import {elementOf, refAt, setPrefix, wasGiven} from './tree/refs.js';
import {roleOf} from './spec/role.js';
import {flatten} from './tree/rows.js';
import {sourceBegin, sourceOf} from './realm/source.js';
import {propsOf} from './spec/state.js';
import {optionLabels} from './spec/value.js';
import {untilSelector, untilText} from './act/wait.js';
import {collect} from './tree/walk.js';

/**
 * @typedef {{prefix: string, seen?: string, taken?: string[], everyRef?: boolean, boxes?: boolean, pack?: boolean}}
 *   WalkOptions
 */

/**
 * Return the accessibility tree of this frame, flat: one JSON string, perhaps packed, then the windows of the frames in
 * it, then the elements that may host a closed shadow root, which the protocol's serialisation reveals. `seen` is the
 * last id of such a list that the server received.
 * @param {WalkOptions} options @param {Element | null} [scope]
 * @returns {Promise<[string, ...(Window | Element | null)[]]>}
 */
export async function walk(options, scope = null) {
  const {answer, windows, hosts} = inPass(() => {
    setPrefix(options.prefix);
    const root = collect(scope);
    root.name = documentTitle(document);
    if (scope) tellOptions(scope, root);
    const {rows, windows} = flatten(root, new Set(options.taken ?? []), options.everyRef, options.boxes);
    const {id, hosts} = tellSuspects(options.seen);
    const answer = JSON.stringify({
      url: documentURL(document),
      title: root.name,
      rows,
      windows: windows.length,
      suspects: id,
      leaving: takeLeaving() !== null,
      source: scope ? undefined : sourceBegin(),
    });
    return {answer, windows, hosts};
  });
  return [options.pack ? await pack(answer) : answer, ...windows, ...hosts];
}

/**
 * Add all options of a `select` if it is itself the scope.
 * @param {Element} scope @param {import('./tree/rows.js').Item} root
 */
function tellOptions(scope, root) {
  const [item] = root.children;
  if (htmlName(scope) === 'select' && item?.props?.optionCount) item.props.options = optionLabels(scope);
}

/** Return the element of a ref while it is in the document, without a walk. @param {string} ref */
export const find = (ref) => elementOf(ref);

/** Whether a ref was assigned in this frame, even if its element is no longer in the document. @param {string} ref */
export const known = (ref) => wasGiven(ref);

/** Return the element's current role, name and state as a JSON string, as a walk would. @param {Element} element */
export const describe = (element) =>
  inPass(() => {
    const {role, name, props} = now(element);
    return JSON.stringify({role, name, ref: refAt(element), tag: localName(element), props, text: ownText(element)});
  });

/** @param {Element} element */
function now(element) {
  rolesFromTop(element);
  const [first] = collect(element).children;
  // The default summary that a browser gives to a `details` element is another row of the same element.
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

/**
 * Compute roles from the top down: a role depends on those above it, and recursion would overflow the stack.
 * @param {Element} element
 */
function rolesFromTop(element) {
  /** @type {Element[]} */
  const chain = [];
  for (let node = /** @type {Element | null} */ (element); node; node = flatParent(node)) chain.push(node);
  for (const node of chain.reverse()) roleOf(node);
}

/**
 * Accept the closed shadow roots that the protocol found: host, root, host, root …
 * @param {(Element | ShadowRoot)[]} pairs
 */
export const adopt = (...pairs) => adoptRoots(pairs);

/** Return the whole text of a page that is a file, as a JSON string. */
export const source = () => JSON.stringify({text: sourceOf()});

/** Return the rows of the whole document that belong to the element. @param {Element} element */
const rowsOf = (element) =>
  inPass(() => {
    /** @type {import('./tree/rows.js').Item[]} */
    const found = [];
    const stack = [collect(null)];
    for (let item = stack.pop(); item; item = stack.pop()) {
      if (item.element === element) found.push(item);
      stack.push(...item.children);
    }
    return found;
  });

/** The parts of actions that run in the page; see act.js. */
export const act = actions(describe, rowsOf);

/**
 * Wait until the page has settled, and walk it.
 * @param {Parameters<typeof act.settle>[0]} rest
 * @param {WalkOptions} options
 */
export async function settleAndWalk(rest, options) {
  const settled = await act.settle(rest);
  return [settled, ...(await walk(options))];
}

/**
 * Call `walk` for the element that the target names; return the empty list if there is none.
 * @param {WalkOptions} options
 * @param {import('./act/locate.js').Target} target
 */
export function walkAt(options, target) {
  const scope = locate(target);
  return scope ? walk(options, scope) : [];
}

export const waitForText = untilText;
export const waitForSelector = untilSelector;
export {findElements, selectorAt} from './act/read.js';
export {measure} from './realm/performance.js';
export {changeServiceWorkers, serviceWorkers} from './realm/service-workers.js';

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
