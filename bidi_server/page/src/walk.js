// One pass over the flat tree, without recursion: pages nest deeper than a stack is.

import {ariaTier, hasHandler, isInteractiveInside, pointerBegins} from './affordance.js';
import {coveringRoles, leafRoles, namedFromContent, textRoles} from './aria.js';
import {has} from './attributes.js';
import {forgetGone, suspect} from './closed.js';
import {flatChildren, htmlName, isElement, isText, ownedBy, ownerOf} from './dom.js';
import {isListBox} from './html-role.js';
import {collapse, nameOf} from './name.js';
import {documentElement, matchesSelector, nodeValue} from './native.js';
import {roleOf} from './role.js';
import {newItem} from './rows.js';
import {checkedState, propsOf} from './state.js';
import {displayOf, generatedText, hasPointer, isExcluded, isInline, isShown, skipsContents} from './style.js';

/** @typedef {import('./rows.js').Item} Item */

/**
 * An element whose children are being visited.
 * @typedef {object} Frame
 * @property {Element | null} element
 * @property {Node[]} nodes
 * @property {number} next
 * @property {Item} item where rows of the children go: the element's own, or that of an ancestor whose row they are lifted to
 * @property {Item | null} parent where the element's own row was put
 * @property {boolean} undecided the row is kept only if what it contains asks for it
 * @property {boolean} block text before and after it is apart
 * @property {boolean} pointer
 * @property {boolean} leaf inside of a role whose children are presentational
 * @property {boolean} covered inside of a control that takes clicks
 * @property {boolean} interactive
 * @property {string} said a name that text inside would only repeat
 */

const silent = new Set(['script', 'style', 'template', 'noscript', 'head', 'title', 'meta', 'link', 'datalist', 'param', 'source', 'track', 'col', 'colgroup', 'noembed', 'noframes', 'rp']);
const childless = new Set(['iframe', 'frame', 'video', 'audio', 'object', 'embed', 'textarea', 'input', 'img', 'br', 'hr', 'meter', 'progress', 'canvas', 'wbr']);

/** The tree of the document, or of the part below `scope`. @param {Element | null} scope @returns {Item} */
export function collect(scope) {
  forgetGone();
  const root = newItem(null, 'document', '');
  const top = scope ?? documentElement(document);
  /** @type {Frame[]} */
  const stack = [{
    element: null, nodes: top ? [top] : [], next: 0, item: root, parent: null, undecided: false, block: true, pointer: false,
    leaf: false, covered: false, interactive: false, said: '',
  }];
  /** @type {Item[]} */
  const modals = [];
  while (stack.length) {
    const frame = stack[stack.length - 1];
    const node = frame.nodes[frame.next++];
    if (node === undefined) {
      stack.pop();
      leave(frame);
      continue;
    }
    if (isText(node)) {
      if (!frame.leaf && (!frame.element || isShown(frame.element))) frame.item.text += nodeValue(node);
    } else if (isElement(node)) {
      const inner = enter(node, frame);
      if (!inner) continue;
      stack.push(inner);
      if (inner.item.modal && inner.item.element === node) modals.push(inner.item);
    }
  }
  flush(root, '');
  // https://html.spec.whatwg.org/multipage/interaction.html#blocked-by-a-modal-dialog: all else is inert. The last one is on top.
  if (modals.length && !scope) root.children = [modals[modals.length - 1]];
  return root;
}

/** @param {Element} element @param {Frame} outer @returns {Frame | null} null when nothing inside is visited */
function enter(element, outer) {
  const name = htmlName(element);
  if (silent.has(name) || (outer.element && ownerOf(element) && !isOwned(element, outer.element))) return null;
  if (isExcluded(element)) return null;
  if (name === 'br') {
    outer.item.text += ' ';
    return null;
  }
  suspect(element);
  const block = !isInline(element);
  /** @type {Frame} */
  const frame = {
    element, nodes: none, next: 0, item: outer.item, parent: null, undecided: false, block, pointer: outer.pointer,
    leaf: outer.leaf, covered: outer.covered, interactive: outer.interactive, said: outer.said,
  };
  if (block) flush(outer.item, outer.said);
  show(element, name, frame, outer);
  frame.nodes = childrenOf(element, name);
  generate(frame, '::before');
  if (frame.nodes.length === 0) {
    leave(frame);
    return null;
  }
  return frame;
}

/** @type {Node[]} */
const none = [];

/** @param {Element} element @param {Element} owner */
const isOwned = (element, owner) => ownerOf(element) === owner;

/** Nodes to visit inside of an element. @param {Element} element @param {string} name @returns {Node[]} */
function childrenOf(element, name) {
  if (childless.has(name) || (name === 'select' && !isListBox(element))) return none;
  const nodes = flatChildren(element);
  if (nodes.length && name === 'details' && !has(element, 'open')) return nodes.filter((node) => isElement(node) && htmlName(node) === 'summary').slice(0, 1);
  if (nodes.length && skipsContents(element)) return none;
  return has(element, 'aria-owns') ? [...nodes, ...ownedBy(element)] : nodes;
}

/** Puts the element's row into the tree, if it has one. @param {Element} element @param {string} tag @param {Frame} frame @param {Frame} outer */
function show(element, tag, frame, outer) {
  const role = tag === 'html' ? '' : roleOf(element);
  const plain = textRoles.has(role) || role === '';
  const tier = tag === 'html' ? 0 : ariaTier(element, role, outer.interactive);
  const labelled = plain && (has(element, 'aria-label') || has(element, 'aria-labelledby'));
  let click = false;
  if (!tier && tag !== 'html') click = tag === 'label' ? isLoneLabel(element) : hasHandler(element) || (!outer.covered && pointerBegins(element, outer.pointer));
  if (tag === 'canvas' && !tier) click = true;
  if (tier || click || tag === 'html' || tag === 'body') frame.pointer ||= hasPointer(element);
  if (tag === 'label' && !click) coverLabel(element, frame, outer);
  if (plain && !tier && !labelled && !click) return;
  if ((outer.leaf && !tier && !click) || !isShown(element)) return;
  const name = plain && !labelled ? {text: '', from: /** @type {const} */ ('')} : nameOf(element);
  const item = newItem(element, role === '' ? 'generic' : role, name.text);
  item.tier = tier || (click ? 3 : 0);
  item.props = propsOf(element, role, name);
  if (tag === 'label') labelProps(element, item.props);
  item.modal = tag === 'dialog' && matchesSelector(element, ':modal');
  flush(outer.item, outer.said);
  outer.item.children.push(item);
  frame.item = item;
  frame.parent = outer.item;
  frame.undecided = click && !hasHandler(element) && tag !== 'label' && tag !== 'canvas';
  frame.leaf = outer.leaf || leafRoles.has(role);
  frame.covered = outer.covered || frame.covered || coveringRoles.has(role);
  frame.interactive = isInteractiveInside(element, role, outer.interactive);
  if (name.text && (namedFromContent.has(role) || name.from === 'native' || name.from === 'content')) frame.said = name.text;
}

/** A label that is the only visible way to its control. @param {Element} label */
function isLoneLabel(label) {
  const control = /** @type {HTMLLabelElement} */ (label).control;
  return control !== null && (displayOf(control) === 'none' || !isShown(control));
}

/** What a label says and does is its control's, which has a row of its own. @param {Element} label @param {Frame} frame @param {Frame} outer */
function coverLabel(label, frame, outer) {
  const control = /** @type {HTMLLabelElement} */ (label).control;
  if (!control) return;
  flush(outer.item, outer.said);
  frame.covered = true;
  frame.block = true;
  frame.said = nameOf(control).text;
}

/** @param {Element} label @param {import('./state.js').Props} props */
function labelProps(label, props) {
  const control = /** @type {HTMLLabelElement} */ (label).control;
  const role = control ? roleOf(control) : '';
  if (control && (role === 'checkbox' || role === 'radio' || role === 'switch')) props.checked = checkedState(control, role, htmlName(control)) ?? false;
}

/** @param {Frame} frame @param {'::before' | '::after'} pseudo */
function generate(frame, pseudo) {
  if (!frame.leaf && frame.element) frame.item.text += generatedText(frame.element, pseudo, true);
}

/** @param {Frame} frame */
function leave(frame) {
  generate(frame, '::after');
  if (frame.parent) {
    flush(frame.item, frame.said);
    settle(frame, frame.parent);
  } else if (frame.block) {
    flush(frame.item, frame.said);
  }
}

/** Decides what became clear only inside: whether a row is needed, and what it is called. @param {Frame} frame @param {Item} parent */
function settle(frame, parent) {
  const {item} = frame;
  if (frame.undecided && item.children.length && isCovered(item)) {
    parent.children.pop();
    for (const child of item.children) parent.children.push(child);
    return;
  }
  if (item.role === 'generic' && item.tier && !item.name && item.children.every((child) => child.role === 'text')) {
    item.name = item.children.map((child) => child.name).join(' ');
    item.children = [];
  }
}

/** Whether everything inside can be acted on by itself. @param {Item} item @returns {boolean} */
const isCovered = (item) => item.children.every((child) => child.tier > 0 || (child.children.length > 0 && isCovered(child)));

/** Turns the text read so far into a row. @param {Item} item @param {string} said */
function flush(item, said) {
  if (!item.text) return;
  const text = collapse(item.text);
  item.text = '';
  if (!text || (said && said.includes(text))) return;
  item.children.push(newItem(null, 'text', text));
}
