// Describe one element as a walk of the document would.

import {flatParent} from '../dom/dom.js';
import {localName} from '../realm/native.js';
import {inPass} from '../realm/pass.js';
import {nameOf, ownText} from '../spec/name.js';
import {roleOf} from '../spec/role.js';
import {propsOf} from '../spec/state.js';
import {refAt} from './refs.js';
import {collect} from './walk.js';

/** Return the element's current role, name and state as a JSON string, as a walk would. @param {Element} element */
export const describe = (element) => inPass(() => JSON.stringify(described(element)));

/** Return the same as an object, within a pass that describes several elements. @param {Element} element */
export function described(element) {
  const {role, name, props} = now(element);
  return {role, name, ref: refAt(element), tag: localName(element), props, text: ownText(element)};
}

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

/** Return the rows of the whole document that belong to the element. @param {Element} element */
export const rowsOf = (element) =>
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
