// Decide which row of the snapshot an element gets.

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
} from '../spec/aria.js';
import {has} from '../dom/attributes.js';
import {htmlName} from '../dom/dom.js';
import {isEditingHost} from '../spec/focus.js';
import {hintOf} from './hint.js';
import {collapse, nameless, nameOf} from '../spec/name.js';
import {clientRect, controlOf, localName, matchesSelector, selectAll} from '../realm/native.js';
import {fills, isReachable} from './reach.js';
import {roleOf} from '../spec/role.js';
import {addEmpty, flush, lift, newItem} from './rows.js';
import {lacksSummary, shapes} from '../spec/html-role.js';
import {checkedState, propsOf} from '../spec/state.js';
import {displayOf, hasPointer, isHidden, isShown, scrolls} from '../dom/style.js';

/** @typedef {import('./rows.js').Item} Item */

/**
 * Properties of a whole tree scope.
 * @typedef {object} Scope
 * @property {Map<Element, Element>} owners elements that `aria-owns` moves, with their owners
 * @property {boolean} generates style sheets put text before or after elements
 * @property {boolean} skips style sheets may keep contents from being rendered
 */

/**
 * An element whose children are being visited.
 * @typedef {object} Frame
 * @property {Element | null} element
 * @property {Node[]} nodes
 * @property {number} next
 * @property {Item} item parent of the children's rows: the element's own row, or that of the ancestor to which they
 * are lifted
 * @property {Item | null} parent parent of the element's own row
 * @property {boolean} undecided whether to keep the row depends on its contents
 * @property {boolean} block text before it is separate from text after it
 * @property {boolean} pointer an ancestor has a pointer cursor
 * @property {boolean} leaf inside of an element whose role makes its children presentational
 * @property {boolean} covered inside of a control that takes clicks
 * @property {boolean} interactive inside of a container whose parts are controls
 * @property {boolean} rich inside of a rich text editor that is shown as a tree
 * @property {string} said a name that text inside would only repeat
 * @property {Scope} scope the tree scope of the children
 * @property {boolean} crosses some children are in another scope
 * @property {boolean} unvoiced inside of an `aria-hidden` element: only elements that a person can act on get rows
 * @property {{figures: number, modals: Item[], all: boolean, scope: Element | null}} walk `all` if elements with
 * `aria-hidden` get rows like all others, `scope` the element at which the walk starts
 */

const mostFigures = 100;
/** Elements whose text is the name of their parent. */
const captions = new Set(['caption', 'figcaption', 'legend']);

/**
 * Add the element's row to the tree, if it has one.
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
  const around = outer.leaf ? outer.item.element : null;
  if (around && tier && name.text && asWritten(name) === outer.said.trim() && fills(element, around)) return;
  const item = newItem(element, role || (tag === '' && isDrawing(element) ? 'img' : 'generic'), name.text);
  item.tier = tier;
  item.props = propsOf(element, role, name, tier > 0);
  if (tag === 'details' && lacksSummary(element)) item.children.push(ownSummary(element));
  if (frame.unvoiced) item.props.unvoiced = true;
  if (name.parts) tellParts(item.props, name.parts);
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
    // A request for the editor itself is for the structure of its text, not for the text on one line.
    frame.leaf = false;
    frame.rich = true;
    delete item.props.value;
  }
  frame.covered = outer.covered || coveringRoles.has(role);
  frame.interactive = isInteractiveInside(element, role, outer.interactive);
  // The text in a control that shows its value is that value.
  const value = item.props.value ?? '';
  if (name.from === 'content' || namedFromContent.has(role)) frame.said = `${asWritten(name)}\n${value}`;
  // A row with a ref is named by its own text everywhere: otherwise its name would depend on the rows around it.
  else if (tier || name.text || value) frame.said = `${value}`;
}

/** @param {import('../spec/state.js').Props} props @param {import('../spec/name.js').Parts} parts of the name */
function tellParts(props, {seen, unseen}) {
  props.unseen = seen ? unseen : true;
  if (seen) props.seen = seen;
}

/**
 * Return the row for the default summary that the browser gives to a `details` element without one.
 * https://html.spec.whatwg.org/multipage/rendering.html#the-details-and-summary-elements
 * @param {Element} details
 */
function ownSummary(details) {
  const item = newItem(details, 'button', 'Details');
  item.tier = 1;
  item.props = {expanded: has(details, 'open')};
  return item;
}

/** Roles that get rows only in rich text. */
const markup = new Set(['code', 'deletion', 'emphasis', 'insertion', 'mark', 'strong', 'subscript', 'superscript']);
/** Roles in rich text for elements that have none, to show their formatting. */
const markedUp = new Map([
  ['b', 'strong'],
  ['i', 'emphasis'],
]);
const structure = 'a[href], b, blockquote, code, em, h1, h2, h3, h4, h5, h6, i, img, ol, pre, strong, table, ul';

/** Whether the element is an editor whose text has structure. @param {Element} element */
const isRichText = (element) => isEditingHost(element) && selectAll(element, structure).length > 0;

/**
 * Whether the element is a form without a name, or one of the many shapes of a large drawing.
 * @param {Element} element @param {string} tag @param {string} role @param {number} tier
 */
const saysNothing = (element, tag, role, tier) =>
  (tag === 'form' && role === 'form' && !nameOf(element).text) ||
  (tag === '' && role === 'img' && !tier && shapes.has(localName(element)));

/** Return a name as rows of text would show it. @param {import('../spec/name.js').Name} name */
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
  // Elements that are hidden from assistive technology and look like a picture are mostly decoration.
  if (frame.unvoiced) return 0;
  if (isGlyph(element, tag, role, frame.nodes)) return 3;
  if (tag === '' ? isShape(element) : frame.nodes.length === 0 && role === '' && isFigure(element)) {
    return frame.walk.figures++ < mostFigures ? 3 : 0;
  }
  return 0;
}

/** Whether the label is the only visible way to operate its control. @param {Element} label */
function isLoneLabel(label) {
  const control = controlOf(label);
  return control !== null && (displayOf(control) === 'none' || !isShown(control));
}

/**
 * Leave a label's action to its control, and its text too if the control has a row of its own: widgets hide the control
 * that they represent.
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

/** Decide, once the contents are known, whether the row is needed and how it is named. @param {Frame} frame */
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
    const [seen, unseen] = [false, true].map((is) =>
      children.filter(({props}) => (props?.unseen === true) === is).map((child) => child.name),
    );
    if (unseen.length)
      tellParts((item.props ??= {}), {seen: collapse(seen.join(' ')), unseen: collapse(unseen.join(' '))});
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

/** Remove the last child, which carries no information. @param {Item} parent @param {Item} item */
function leaveOut(parent, item) {
  if (!countedWhenEmpty.has(item.role)) {
    lift(parent, item);
    return;
  }
  parent.children.pop();
  addEmpty(parent, item);
}

/**
 * Whether a row without a name is only part of its control's appearance: a picture in the middle of a button, which
 * gets the clicks on the button anyway, or the icon and the connectors of an element that is dragged as a whole
 * (Node-RED's palette).
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
 * Use a tooltip as the name of a row without any other text, or else as its description: an element without a role is
 * named by its text.
 * @param {Element} element @param {Item} item
 */
function tellTooltip(element, item) {
  const {text, from} = nameOf(element);
  if (from !== 'title' || text === item.name) return;
  if (item.name || item.children.length) item.props = {...item.props, description: text};
  else item.name = text;
}

/**
 * Whether the keyboard reaches an element of text only so that a person can scroll and read it.
 * @param {Element} element @param {Item} item
 */
const isRead = (element, {tier, role, children}) =>
  tier === 1 &&
  !controlRoles.has(role) &&
  !hasHandler(element) &&
  (children.some(({name}) => name.includes('\n')) || scrolls(element));

/** Whether everything inside can be acted on individually. @param {Item} item @returns {boolean} */
const isCovered = (item) =>
  item.children.every((child) => child.tier > 0 || (child.children.length > 0 && isCovered(child)));
