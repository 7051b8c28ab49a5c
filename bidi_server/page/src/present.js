// Which row an element gets.

import {
  ariaTier,
  hasHandler,
  isDragged,
  isFigure,
  isDrawing,
  isGlyph,
  isInteractiveInside,
  isLibraryHandle,
  isPlaceholderLink,
  isRoving,
  isShape,
  pointerBegins,
} from './affordance.js';
import {
  controlRoles,
  countedWhenEmpty,
  coveringRoles,
  leafRoles,
  mayScroll,
  namedFromContent,
  plainRoles,
  quietWhenEmpty,
  wrappers,
} from './aria.js';
import {has} from './attributes.js';
import {htmlName} from './dom.js';
import {isEditingHost} from './focus.js';
import {hintOf} from './hint.js';
import {collapse, nameless, nameOf} from './name.js';
import {clientRect, controlOf, localName, matchesSelector, selectAll} from './native.js';
import {isReachable} from './reach.js';
import {roleOf} from './role.js';
import {addEmpty, flush, lift, newItem} from './rows.js';
import {lacksSummary, shapes} from './html-role.js';
import {checkedState, propsOf} from './state.js';
import {displayOf, hasPointer, isHidden, isShown, scrolls} from './style.js';

/** @typedef {import('./rows.js').Item} Item */

/**
 * What holds for a whole tree scope.
 * @typedef {object} Scope
 * @property {Map<Element, Element>} owners what `aria-owns` moves
 * @property {boolean} generates style sheets put text before or after elements
 * @property {boolean} skips style sheets may keep contents from being rendered
 */

/**
 * An element whose children are being visited.
 * @typedef {object} Frame
 * @property {Element | null} element
 * @property {Node[]} nodes
 * @property {number} next
 * @property {Item} item where rows of the children go: the element's own, or that of an ancestor whose row they are
 * lifted to
 * @property {Item | null} parent where the element's own row was put
 * @property {boolean} undecided the row is kept only if what it contains asks for it
 * @property {boolean} block text before and after it is apart
 * @property {boolean} pointer a pointing hand began above
 * @property {boolean} leaf inside of a role whose children are presentational
 * @property {boolean} covered inside of a control that takes clicks
 * @property {boolean} interactive inside of something whose parts are controls
 * @property {boolean} rich inside of a rich text editor that is shown as a tree
 * @property {string} said a name that text inside would only repeat
 * @property {Scope} scope the tree scope that children are in
 * @property {boolean} crosses some children are in another scope
 * @property {boolean} unvoiced in something that is `aria-hidden`: only what a person can act on has rows
 * @property {{figures: number, modals: Item[], all: boolean, scope: Element | null}} walk `all` where rows of what is
 * `aria-hidden` are like others, `scope` where it begins
 */

const mostFigures = 100;
/** Elements whose text is the name of what they are in. */
const captions = new Set(['caption', 'figcaption', 'legend']);

/**
 * Puts the element's row into the tree, if it has one.
 * @param {Element} element
 * @param {string} tag
 * @param {Frame} frame
 * @param {Frame} outer
 */
export function present(element, tag, frame, outer) {
  if (tag === 'html' || tag === 'body') {
    frame.pointer = hasPointer(element);
    if (tag === 'html') return;
  }
  if (captions.has(tag)) frame.said = collapse(outer.item.name);
  const role = (outer.rich && markedUp.get(tag)) || roleOf(element);
  const tier = ariaTier(element, role, outer.interactive) || clickTier(element, tag, role, frame, outer);
  if (tier) frame.pointer ||= hasPointer(element);
  if (tag === 'label' && tier !== 3) speakForControl(element, frame, outer);
  if (frame.unvoiced && !frame.walk.all && (!tier || !isReachable(element))) return;
  const plain =
    role === '' || (plainRoles.has(role) && !(outer.rich && markup.has(role))) || saysNothing(element, tag, role, tier);
  const labelled = plain && tag !== 'label' && (has(element, 'aria-label') || has(element, 'aria-labelledby'));
  if ((plain && !tier && !labelled) || (outer.leaf && !tier) || !isShown(element)) return;
  const name = plain && !labelled && tag !== '' && !namedFromContent.has(role) ? nameless : nameOf(element);
  if (outer.leaf && tier && name.text && asWritten(name) === outer.said.trim() && fills(element, outer.item)) return;
  const item = newItem(element, role || (tag === '' && isDrawing(element) ? 'img' : 'generic'), name.text);
  item.tier = tier;
  item.props = propsOf(element, role, name, tier > 0);
  if (tag === 'details' && lacksSummary(element)) item.children.push(ownSummary(element));
  if (frame.unvoiced) item.props['aria-hidden'] = true;
  if (tag === 'label') showControl(element, item);
  if (tag === 'dialog' && matchesSelector(element, ':modal')) frame.walk.modals.push(item);
  flush(outer.item, outer.said);
  outer.item.children.push(item);
  frame.item = item;
  frame.parent = outer.item;
  frame.leaf =
    (outer.leaf && !tier) ||
    (leafRoles.has(role) && (tag !== '' || has(element, 'role'))) ||
    role === 'textbox' ||
    role === 'searchbox';
  if (outer.element === null && isRichText(element)) {
    // Whoever asks for the editor itself wants the structure of its text instead of the text on one line.
    frame.leaf = false;
    frame.rich = true;
    delete item.props.value;
  }
  frame.covered = outer.covered || coveringRoles.has(role);
  frame.interactive = isInteractiveInside(element, role, outer.interactive);
  // The text of a control that shows its value is that value.
  const value = item.props.value ?? '';
  if (name.from === 'content' || namedFromContent.has(role)) frame.said = `${asWritten(name)}\n${value}`;
  // A row with a ref is called by its own text, wherever it stands: otherwise its name would depend on what is around it.
  else if (tier || name.text || value) frame.said = `${value}`;
}

/**
 * Whether a control fills the control that it is in, so that both are one to the pointer: a link in a tab, a button in
 * an option. A border or a margin of a tenth does not count.
 * @param {Element} inner @param {Item} outer
 */
function fills(inner, {element}) {
  if (!element) return false;
  const [small, large] = [clientRect(inner), clientRect(element)];
  const [x, y] = [large.width / 10, large.height / 10];
  return (
    small.left <= large.left + x &&
    small.right >= large.right - x &&
    small.top <= large.top + y &&
    small.bottom >= large.bottom - y
  );
}

/**
 * The summary that the browser gives to a `details` element without one.
 * https://html.spec.whatwg.org/multipage/rendering.html#the-details-and-summary-elements
 * @param {Element} details
 */
function ownSummary(details) {
  const item = newItem(details, 'button', 'Details');
  item.tier = 1;
  item.props = {expanded: has(details, 'open')};
  return item;
}

/** Roles that are shown in rich text. */
const markup = new Set(['code', 'deletion', 'emphasis', 'insertion', 'mark', 'strong', 'subscript', 'superscript']);
/** Elements without a role whose formatting is shown in rich text. */
const markedUp = new Map([
  ['b', 'strong'],
  ['i', 'emphasis'],
]);
const structure = 'a[href], b, blockquote, code, em, h1, h2, h3, h4, h5, h6, i, img, ol, pre, strong, table, ul';

/** Whether the element is an editor of text that has structure. @param {Element} element */
const isRichText = (element) => isEditingHost(element) && selectAll(element, structure).length > 0;

/**
 * A form without a name, or one of the many shapes of a large drawing.
 * @param {Element} element @param {string} tag @param {string} role @param {number} tier
 */
const saysNothing = (element, tag, role, tier) =>
  (tag === 'form' && role === 'form' && !nameOf(element).text) ||
  (tag === '' && role === 'img' && !tier && shapes.has(localName(element)));

/** A name as rows of text would say it. @param {import('./name.js').Name} name */
const asWritten = (name) => collapse(name.written ?? name.text);

/**
 * Whether a person would click the element because of how it looks or behaves.
 * @param {Element} element
 * @param {string} tag
 * @param {string} role
 * @param {Frame} frame
 * @param {Frame} outer
 */
function clickTier(element, tag, role, frame, outer) {
  if (tag === 'body' || role === 'iframe') return 0;
  if (tag === 'label') return isLoneLabel(element) ? 3 : 0;
  if (hasHandler(element) || isLibraryHandle(element) || (tag === 'canvas' && !outer.covered)) return 3;
  if (outer.covered) return 0;
  if (isRoving(element)) return 3;
  if (pointerBegins(element, outer.pointer)) {
    frame.undecided = true;
    return 3;
  }
  if (isPlaceholderLink(element, tag, frame.nodes)) return 3;
  // What is hidden from assistive technology and looks like a picture is mostly there to be looked at.
  if (frame.unvoiced) return 0;
  if (isGlyph(element, tag, role, frame.nodes)) return 3;
  if (tag === '' ? isShape(element) : frame.nodes.length === 0 && role === '' && isFigure(element)) {
    return frame.walk.figures++ < mostFigures ? 3 : 0;
  }
  return 0;
}

/** A label that is the only visible way to its control. @param {Element} label */
function isLoneLabel(label) {
  const control = controlOf(label);
  return control !== null && (displayOf(control) === 'none' || !isShown(control));
}

/**
 * What a label does is its control's, and so is what it says, where that has a row of its own: widgets hide the control
 * that they stand for.
 * @param {Element} label
 * @param {Frame} frame
 * @param {Frame} outer
 */
function speakForControl(label, frame, outer) {
  const control = controlOf(label);
  if (!control) return;
  flush(outer.item, outer.said);
  frame.covered = true;
  frame.block = true;
  if (!isHidden(control)) frame.said = asWritten(nameOf(control));
}

/** @param {Element} label @param {Item} item */
function showControl(label, item) {
  const control = controlOf(label);
  const role = control ? roleOf(control) : '';
  if (control && (role === 'checkbox' || role === 'radio' || role === 'switch')) {
    item.props = {...item.props, checked: checkedState(control, role, htmlName(control)) ?? false};
  }
}

/** Decides what became clear only inside: whether the row is needed, and what it is called. @param {Frame} frame */
export function decide({element, item, parent, undecided}) {
  if (!parent || !element) return;
  if (item.tier) item.children = item.children.filter((child) => !isPartOf(child, item, element));
  const {children} = item;
  if (undecided && children.length && isCovered(item)) {
    lift(parent, item);
    return;
  }
  if (!item.tier && !item.name && wrappers.has(item.role) && !children.some((child) => child.role === 'text')) {
    if (children.length) lift(parent, item);
    else leaveOut(parent, item);
  } else if (children.length === 0) {
    if (!item.name && !item.tier && quietWhenEmpty.has(item.role) && !Object.keys(item.props ?? {}).length)
      leaveOut(parent, item);
  } else if (item.tier && !item.name && children.every((child) => child.role === 'text') && !isRead(element, item)) {
    item.name = collapse(children.map((child) => child.name).join(' '));
    item.children = [];
  } else if (
    !item.tier &&
    children.length === 1 &&
    children[0].name === item.name &&
    namedFromContent.has(item.role) &&
    item.role !== 'heading'
  ) {
    item.name = '';
  }
  if (item.tier) tellTooltip(element, item);
  if (item.children.length && mayScroll.has(item.role) && scrolls(element)) item.props = {...item.props, scroll: true};
  if (item.tier && !item.name && !item.children.length) {
    const hint = hintOf(element);
    if (hint) item.props = {...item.props, hint};
  }
}

/** Takes away the last child, which says nothing. @param {Item} parent @param {Item} item */
function leaveOut(parent, item) {
  if (!countedWhenEmpty.has(item.role)) {
    lift(parent, item);
    return;
  }
  parent.children.pop();
  addEmpty(parent, item);
}

/**
 * Whether a row without a name only tells what its control looks like: a picture in the middle of a button, which gets
 * the clicks on the button anyway, or the icon and the connectors of what is dragged as a whole (Node-RED's palette).
 * @param {Item} part @param {Item} control @param {Element} element of the control
 */
function isPartOf(part, control, element) {
  if (part.role !== 'generic' || part.name || part.children.length || !part.element) return false;
  if (control.children.length === 1) return coversMiddle(part.element, element);
  return isDragged(element) && !hasHandler(part.element) && isFigure(part.element);
}

/** @param {Element} inner @param {Element} outer */
function coversMiddle(inner, outer) {
  const [small, large] = [clientRect(inner), clientRect(outer)];
  const [x, y] = [large.left + large.width / 2, large.top + large.height / 2];
  return small.left <= x && x <= small.right && small.top <= y && y <= small.bottom;
}

/**
 * A tooltip names what says nothing else, and describes what is called by its text: without a role that has no name of
 * its own.
 * @param {Element} element @param {Item} item
 */
function tellTooltip(element, item) {
  const {text, from} = nameOf(element);
  if (from !== 'title' || text === item.name) return;
  if (item.name || item.children.length) item.props = {...item.props, description: text};
  else item.name = text;
}

/**
 * Whether the keyboard reaches an element of text only for that to be scrolled and read.
 * @param {Element} element @param {Item} item
 */
const isRead = (element, {tier, role, children}) =>
  tier === 1 &&
  !controlRoles.has(role) &&
  !hasHandler(element) &&
  (children.some(({name}) => name.includes('\n')) || scrolls(element));

/** Whether everything inside can be acted on by itself. @param {Item} item @returns {boolean} */
const isCovered = (item) =>
  item.children.every((child) => child.tier > 0 || (child.children.length > 0 && isCovered(child)));
