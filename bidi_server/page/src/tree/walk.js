// One pass over the flat tree, without recursion: pages nest deeper than the stack allows.

import {forgetGone, suspect, suspectParent} from '../dom/closed.js';
import {has} from '../dom/attributes.js';
import {isConcealed, tellsConcealed} from '../dom/concealed.js';
import {
  flatChildren,
  flatContains,
  focusedElement,
  htmlName,
  isElement,
  isText,
  MATHML,
  scopeOf,
  shadowRootOf,
} from '../dom/dom.js';
import {mayBeOperated} from './affordance.js';
import {isListBox} from '../spec/html-role.js';
import {kept} from './lines.js';
import {
  clientRect,
  documentElement,
  isVisible,
  localName,
  namespaceURI,
  nodeValue,
  selectAll,
} from '../realm/native.js';
import {ownedBy, ownersIn} from '../dom/owns.js';
import {oncePerPass} from '../realm/pass.js';
import {decide, present} from './present.js';
import {isCoveredWhole} from './reach.js';
import {addText, flush, newItem, tellUnseen} from './rows.js';
import {effectsIn} from '../dom/sheets.js';
import {
  displayOf,
  generatedText,
  hasBackground,
  isAbsent,
  isAriaHidden,
  isDecorated,
  isInline,
  isPainted,
  isShown,
  skipsContents,
  whiteSpaceOf,
} from '../dom/style.js';
import {tellTitle} from './title.js';

/** @typedef {import('./rows.js').Item} Item */
/** @typedef {import('./present.js').Frame} Frame */

const silent = new Set(
  `script style template noscript head title meta link datalist param source track col colgroup noembed noframes
  rp`.split(/\s+/),
);
const childless = new Set(
  'iframe frame video audio object embed textarea input img br hr meter progress wbr'.split(' '),
);
const silentForeign = new Set(
  'title desc defs metadata symbol clipPath mask pattern marker linearGradient radialGradient filter'.split(' '),
);

/** Return the tree of the document, or of the part below `scope`. @param {Element | null} scope @returns {Item} */
export function collect(scope) {
  const root = treeOf(scope, false);
  if (scope || !isBlank(root)) return root;
  // The tree is blank: content that the page hides from assistive technology may still be visible.
  const all = treeOf(scope, true);
  if (!isBlank(all)) return all;
  if (paintsSomething()) root.props = {painted: true};
  return root;
}

/** @param {Element | null} scope @param {boolean} all treat `aria-hidden` elements like all others @returns {Item} */
function treeOf(scope, all) {
  forgetGone();
  const root = newItem(null, 'document', '');
  const top = scope ?? documentElement(document);
  /** @type {Frame} */
  const outermost = {
    element: null,
    nodes: top ? [top] : [],
    next: 0,
    item: root,
    parent: null,
    undecided: false,
    block: true,
    pointer: false,
    leaf: false,
    covered: false,
    interactive: false,
    rich: false,
    said: '',
    scope: scopeAt(top ?? document),
    crosses: false,
    unvoiced: false,
    walk: {figures: 0, modals: [], all, scope},
  };
  const stack = [outermost];
  for (let frame = stack.at(-1); frame; frame = stack.at(-1)) {
    const node = frame.nodes[frame.next++];
    if (node === undefined) {
      stack.pop();
      leave(frame);
    } else if (isElement(node)) {
      const inner = enter(node, frame);
      if (inner) stack.push(inner);
    } else if (isText(node) && !frame.leaf && (!frame.unvoiced || all) && (!frame.element || isShown(frame.element))) {
      const text = textIn(frame, nodeValue(node) ?? '');
      tellSeen(frame, text);
      addText(frame.item, text);
    }
  }
  // https://html.spec.whatwg.org/multipage/interaction.html#blocked-by-a-modal-dialog: the rest of the page is inert.
  // The last dialog is on top.
  const modal = scope ? undefined : topmost(outermost.walk.modals);
  if (modal) root.children = [modal];
  return root;
}

/** Tell whether people see the text that is about to be added. @param {Frame} frame that of its parent @param {string} text */
function tellSeen({element, item, said}, text) {
  if (tellsConcealed() && element && /\S/.test(text)) tellUnseen(item, isConcealed(element), said);
}

/** Return text with the line breaks that are rendered. @param {Frame} frame that of its parent @param {string} text */
function textIn({element, item}, text) {
  // Most line breaks are between blocks, where they mean nothing: read the style only where they might matter.
  if (!element || !text.includes('\n') || (!item.text && !/\S/.test(text))) return text;
  const shown = whiteSpaceOf(element);
  return shown ? kept(text, shown === 'indented') : text;
}

/** @type {(root: Node) => import('./present.js').Scope} */
const scopeOfRoot = oncePerPass((root) => {
  const {selector, skips} = effectsIn(/** @type {Document | ShadowRoot} */ (root));
  return {owners: ownersIn(root), generates: selector !== '', skips};
});

/** @param {Node} node */
const scopeAt = (node) => scopeOfRoot(scopeOf(node));

/** @param {Element} element @param {Frame} outer @returns {Frame | null} null if nothing inside is to be visited */
function enter(element, outer) {
  const tag = htmlName(element);
  if (tag ? silent.has(tag) : silentForeign.has(localName(element))) return null;
  const scope = outer.crosses ? scopeAt(element) : outer.scope;
  const owner = scope.owners.size > 0 ? scope.owners.get(element) : undefined;
  if (owner && owner !== outer.element && outer.element) return null;
  if (displayOf(element) === '' || has(element, 'slot')) suspectParent(outer.element);
  if (isAbsent(element)) return null;
  const hides = isAriaHidden(element) && element !== outer.walk.scope;
  if (hides && !outer.unvoiced && !outer.walk.all && !isInPlainView(element, outer)) return null;
  if (tag === 'br') {
    addText(outer.item, textIn(outer, '\n'));
    return null;
  }
  const block = !isInline(element) || (tag === '' && localName(element) === 'text');
  if (block) flush(outer.item, outer.said);
  /** @type {Frame} */
  const frame = {
    element,
    nodes: childrenOf(element, tag, scope),
    next: 0,
    item: outer.item,
    parent: null,
    undecided: false,
    block,
    pointer: outer.pointer,
    leaf: outer.leaf,
    covered: outer.covered,
    interactive: outer.interactive,
    rich: outer.rich,
    said: outer.said,
    scope,
    crosses: tag === 'slot' || shadowRootOf(element) !== null,
    unvoiced: outer.unvoiced || hides,
    walk: outer.walk,
  };
  suspect(element, tag, frame.nodes);
  present(element, tag, frame, outer);
  if (scope.generates) generate(frame, '::before');
  if (frame.nodes.length) return frame;
  leave(frame);
  return null;
}

/**
 * Whether the pointer may be able to use an `aria-hidden` element nevertheless.
 * @param {Element} element @param {Frame} outer
 */
const isInPlainView = (element, outer) =>
  mayBeOperated(element, outer.pointer || outer.covered) && !isCoveredWhole(element);

/** Roles of elements that only contain others. */
const frameworks = new Set(['document', 'generic', 'group', 'main', 'region']);

/** Whether there is nothing to read and nothing to act on. @param {Item} item @returns {boolean} */
const isBlank = (item) => frameworks.has(item.role) && !item.name && !item.tier && item.children.every(isBlank);

/** Maximum number of elements to check for something painted. */
const mostPainted = 500;

/** Whether the page shows pictures or coloured boxes; for pages without text and controls. */
function paintsSomething() {
  // For these two only a picture counts: a page that shows nothing yet may have a background colour.
  if ([...selectAll(document, 'html, body')].some(hasBackground)) return true;
  const elements = [...selectAll(document, 'body *')].slice(0, mostPainted);
  return elements.some((element) => isVisible(element, seen) && (showsBox(element) || isDecorated(element)));
}

/** @param {Element} element */
const showsBox = (element) => (pictures.has(localName(element)) || isPainted(element)) && hasArea(element);

const seen = {opacityProperty: true, visibilityProperty: true};
const pictures = new Set('img svg video canvas embed object picture'.split(' '));

/** @param {Element} element */
function hasArea(element) {
  const {width, height} = clientRect(element);
  return width >= 1 && height >= 1;
}

/**
 * Return the modal dialog that is not inert. No API reveals the order of the top layer: take the dialog with the focus,
 * or else the last one.
 * @param {Item[]} modals
 */
function topmost(modals) {
  const focused = modals.length > 1 ? focusedElement() : null;
  return modals.findLast(({element}) => element && focused && flatContains(element, focused)) ?? modals.at(-1);
}

/** @type {Node[]} */
const none = [];

/**
 * Return the nodes to visit inside of an element.
 * @param {Element} element
 * @param {string} tag
 * @param {import('./present.js').Scope} scope
 * @returns {Node[]}
 */
function childrenOf(element, tag, scope) {
  if (childless.has(tag) || (tag === 'select' && !isListBox(element))) return none;
  if (tag === '' && namespaceURI(element) === MATHML) return none;
  if (tag === 'details' && !has(element, 'open')) return [...selectAll(element, ':scope > summary')].slice(0, 1);
  const nodes = flatChildren(element);
  // The contents of a canvas are for people who cannot see it, and for keyboards.
  if (tag === 'canvas') return nodes.filter(isElement);
  if (nodes.length && skipsContents(element, scope.skips)) return none;
  return has(element, 'aria-owns') ? [...nodes, ...ownedBy(element)] : nodes;
}

/** @param {Frame} frame @param {'::before' | '::after'} pseudo */
function generate(frame, pseudo) {
  if (frame.leaf || !frame.element || (frame.unvoiced && !frame.walk.all)) return;
  const text = generatedText(frame.element, pseudo, true);
  if (!text || !isShown(frame.element)) return;
  tellSeen(frame, text);
  addText(frame.item, text);
}

/** @param {Frame} frame */
function leave(frame) {
  if (frame.scope.generates) generate(frame, '::after');
  tellTitle(frame);
  if (frame.block || frame.parent) flush(frame.item, frame.said);
  decide(frame);
}
