// The tree that the walk builds, and its flat form.

import {omitsConcealed} from '../dom/concealed.js';
import {focusedElement} from '../dom/dom.js';
import {inLines} from './lines.js';
import {collapse} from '../spec/name.js';
import {clientRect} from '../realm/native.js';
import {referenced} from '../dom/reference.js';
import {giveRef} from './refs.js';

/**
 * @typedef {object} Item
 * @property {Element | null} element null for text
 * @property {string} role
 * @property {string} name
 * @property {0 | 1 | 2 | 3} tier
 * @property {import('../spec/state.js').Props | null} props
 * @property {Item[]} children
 * @property {string} text text that was read but is not a child yet
 * @property {boolean} unseen whether that text is concealed from people
 * @property {[before: number, item: Item][] | null} empty empty containers, each with the index of the
 * child that follows it
 */

/** @typedef {[depth: number, role: string, name: string, ref: string | 0, props: import('../spec/state.js').Props | 0]} Row */

// Maximum depth; deeper rows are shown at it, since their indentation would make the output grow quadratically.
const deepest = 100;

/** @param {Element | null} element @param {string} role @param {string} name @returns {Item} */
export const newItem = (element, role, name) => ({
  element,
  role,
  name,
  tier: 0,
  props: null,
  children: [],
  text: '',
  unseen: false,
  empty: null,
});

/** @param {Item} item @param {string} text */
export function addText(item, text) {
  item.text += text;
}

/**
 * Begin a row of its own for text that people see, or don't see, if what was read so far is of the other kind.
 * @param {Item} item @param {boolean} unseen @param {string} said text that must not be repeated
 */
export function tellUnseen(item, unseen, said) {
  if (item.unseen === unseen) return;
  flush(item, said);
  item.unseen = unseen;
}

/**
 * Add an empty container after the children so far, in a separate list: the rules for the other children must not
 * depend on it.
 * @param {Item} parent @param {Item} item
 */
export function addEmpty(parent, item) {
  item.props = {empty: true};
  (parent.empty ??= []).push([parent.children.length, item]);
}

/** Replace the last child with its own children. @param {Item} parent @param {Item} item */
export function lift(parent, item) {
  parent.children.pop();
  const before = parent.children.length;
  for (const child of item.children) parent.children.push(child);
  for (const [index, each] of item.empty ?? []) (parent.empty ??= []).push([before + index, each]);
}

/** Return all children in order, including the empty containers. @param {Item} item */
function allChildren({children, empty}) {
  if (!empty) return children;
  const all = [...children];
  for (const [index, each] of empty.toReversed()) all.splice(index, 0, each);
  return all;
}

/** Turn the text read so far into a row. @param {Item} item @param {string} said text that must not be repeated */
export function flush(item, said) {
  if (!item.text) return;
  const text = inLines(item.text);
  item.text = '';
  if (!text || said?.includes(collapse(text))) return;
  if (item.unseen && omitsConcealed()) return;
  const row = newItem(null, 'text', text);
  if (item.unseen) row.props = {unseen: true};
  item.children.push(row);
}

// Minimum number of children of a part of the page that gets a ref although it cannot be acted on. With that ref a
// snapshot shows what an outline leaves out.
const many = 5;
const landmarks = new Set(['banner', 'complementary', 'contentinfo', 'navigation', 'search']);

/** @param {Item} item */
const isLarge = ({role, children}) =>
  children.length >= many || (landmarks.has(role) && children.some((child) => child.role !== 'text'));

/** @param {Element} element @returns {number[]} x, y, width and height */
function boxOf(element) {
  const {x, y, width, height} = clientRect(element);
  return [x, y, width, height].map(Math.round);
}

/** Return the origin of a frame's viewport. @param {Element} element @returns {number[]} x and y */
function contentOrigin(element) {
  const {x, y} = clientRect(element);
  const style = getComputedStyle(element);
  const inset = (/** @type {string} */ side) =>
    Number.parseFloat(style.getPropertyValue(`border-${side}-width`)) +
    Number.parseFloat(style.getPropertyValue(`padding-${side}`));
  return [x + inset('left'), y + inset('top')].map(Math.round);
}

/**
 * Return what people see of a name, and leave the rest out. The name of a control of which they see nothing stays:
 * nothing else tells what it is.
 * @param {string} name @param {import('../spec/state.js').Props} props
 */
function seenOf(name, props) {
  const {seen, unseen, tier} = props;
  if (unseen === undefined || (unseen === true && tier)) return name;
  delete props.seen;
  delete props.unseen;
  return seen ?? '';
}

/**
 * Return the rows in pre-order, with refs, and the windows of the frames among them.
 * @param {Item} root @param {Set<string>} taken
 * @param {boolean} [everyRef] also assign refs to elements that can't be acted on
 * @param {boolean} [boxes] add boxes of elements with a ref and origins of frames, in CSS pixels of the viewport
 */
export function flatten(root, taken, everyRef, boxes) {
  /** @type {Row[]} */
  const rows = [];
  /** @type {(Window | null)[]} */
  const windows = [];
  const active = focusedElement();
  // The current item of a list or a grid that has the focus,
  // https://www.w3.org/TR/wai-aria-1.2/#aria-activedescendant
  const current = active ? referenced(active, 'aria-activedescendant')[0] : undefined;
  /** @type {[Item, number][]} */
  const stack = [[root, 0]];
  for (let top = stack.pop(); top; top = stack.pop()) {
    const [item, depth] = top;
    /** @type {import('../spec/state.js').Props} */
    const props = item.tier ? {tier: item.tier, ...item.props} : (item.props ?? {});
    if (item.element && (item.element === active || item.element === current)) props.active = true;
    if (item.role === 'iframe' && item.element) {
      props.frame = windows.length;
      windows.push(/** @type {HTMLIFrameElement} */ (item.element).contentWindow);
    }
    const ref =
      (item.tier || everyRef || isLarge(item)) && item.element ? giveRef(item.element, item.role, item.name, taken) : 0;
    if (boxes && ref && item.element) props.box = boxOf(item.element);
    if (boxes && item.role === 'iframe' && item.element) props.origin = contentOrigin(item.element);
    const name = omitsConcealed() ? seenOf(item.name, props) : item.name;
    rows.push([depth, item.role, name, ref, Object.keys(props).length ? props : 0]);
    const children = allChildren(item);
    for (let index = children.length - 1; index >= 0; index--)
      stack.push([children[index], Math.min(depth + 1, deepest)]);
  }
  return {rows, windows};
}
