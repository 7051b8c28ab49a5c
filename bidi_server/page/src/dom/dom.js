// The flat tree, which is rendered: with open and adopted closed shadow roots, slots and their fallback content.
// https://drafts.csswg.org/css-scoping/#flattening

import {onEndOfPass, oncePerPass} from '../realm/pass.js';
import {
  activeElementIn,
  activeElementInShadow,
  assignedSlotOf,
  assignedSlotOfText,
  assignedTo,
  documentElement,
  firstChild,
  hostOf,
  isConnected,
  localName,
  namespaceURI,
  nextSibling,
  nodeType,
  openShadowRoot,
  parentNode,
  rootOf,
  selectAll,
} from '../realm/native.js';

export const HTML = 'http://www.w3.org/1999/xhtml';
export const SVG = 'http://www.w3.org/2000/svg';
export const MATHML = 'http://www.w3.org/1998/Math/MathML';

/** Closed roots that the protocol has passed to the page. @type {WeakMap<Element, ShadowRoot>} */
const adoptedRoots = new WeakMap();

// https://dom.spec.whatwg.org/#valid-shadow-host-name
const hostNames = new Set(
  'article aside blockquote body div footer h1 h2 h3 h4 h5 h6 header main nav p section span'.split(' '),
);

/** @param {Node} node @returns {node is Element} */
export const isElement = (node) => nodeType(node) === 1;
/** @param {Node} node @returns {node is Text} */
export const isText = (node) => nodeType(node) === 3 || nodeType(node) === 4;
/** @param {Node | null} node @returns {node is ShadowRoot} */
export const isShadowRoot = (node) =>
  node !== null && nodeType(node) === 11 && parentNode(node) === null && node instanceof ShadowRoot;

/**
 * Return the root of the node's tree: a document, a shadow root, or the top of a detached tree.
 * @type {(node: Node) => Node}
 */
export const scopeOf = oncePerPass(rootOf);

const lastNamed = {element: /** @type {Element | null} */ (null), name: ''};
onEndOfPass(() => {
  lastNamed.element = null;
});

/**
 * Return the lower-case name of an HTML element, '' for elements of other namespaces.
 * @param {Element} element
 * @returns {string}
 */
export function htmlName(element) {
  if (element === lastNamed.element) return lastNamed.name;
  lastNamed.element = element;
  return (lastNamed.name = namespaceURI(element) === HTML ? localName(element) : '');
}

/** @type {Map<string, boolean>} */
const hostable = new Map();

/** @param {string} name @returns {boolean} whether an HTML element of that name can host a shadow root */
export function canHost(name) {
  let answer = hostable.get(name);
  if (answer === undefined) {
    answer = hostNames.has(name) || name.includes('-');
    hostable.set(name, answer);
  }
  return answer;
}

/** @param {Element} host @param {ShadowRoot} root */
export function adoptRoot(host, root) {
  adoptedRoots.set(host, root);
}

/** @param {Element} element @returns {ShadowRoot | null} */
export function shadowRootOf(element) {
  if (!canHost(htmlName(element))) return null;
  const root = openShadowRoot(element) ?? adoptedRoots.get(element) ?? null;
  if (root) seenRoots.add(root);
  return root;
}

/** Shadow roots that a walk has visited. @type {Set<ShadowRoot>} */
const seenRoots = new Set();

/** Return the visited shadow roots that are still in the document. @returns {ShadowRoot[]} */
export function knownRoots() {
  for (const root of seenRoots) if (!isConnected(root)) seenRoots.delete(root);
  return [...seenRoots];
}

/** Visit open shadow trees that are newer than the last walk. */
export function visitRoots() {
  const roots = /** @type {(Document | ShadowRoot)[]} */ ([document]);
  for (const root of roots) {
    for (const element of selectAll(root, '*')) {
      const inner = shadowRootOf(element);
      if (inner) roots.push(inner);
    }
  }
}

/**
 * Return the next node in tree order, up to the end of `root`.
 * @param {Node} node @param {Node} root @param {boolean} [into] whether to visit the children of `node`
 */
export function following(node, root, into = true) {
  let next = into ? firstChild(node) : null;
  for (let at = /** @type {Node | null} */ (node); !next && at && at !== root; at = parentNode(at))
    next = nextSibling(at);
  return next;
}

/** @param {Node} parent @returns {Node[]} */
function childNodes(parent) {
  /** @type {Node[]} */
  const nodes = [];
  for (let node = firstChild(parent); node; node = nextSibling(node)) nodes.push(node);
  return nodes;
}

/** Return the children in the flat tree. @param {Element} element @returns {Node[]} */
export function flatChildren(element) {
  const shadow = shadowRootOf(element);
  if (shadow) return childNodes(shadow);
  if (htmlName(element) === 'slot' && isShadowRoot(scopeOf(element))) {
    const assigned = assignedTo(/** @type {HTMLSlotElement} */ (element));
    if (assigned.length) return assigned;
  }
  return childNodes(element);
}

/** Slots of the children of a host with an adopted root: their `assignedSlot` is null. */
const closedSlots = oncePerPass((/** @type {ShadowRoot} */ root) => {
  /** @type {Map<Node, Element>} */
  const slots = new Map();
  for (const slot of selectAll(root, 'slot')) {
    for (const node of assignedTo(/** @type {HTMLSlotElement} */ (slot))) slots.set(node, slot);
  }
  return slots;
});

/**
 * Return the parent element in the flat tree; null at the top and for nodes without a slot.
 * @param {Node} node
 * @returns {Element | null}
 */
export function flatParent(node) {
  const parent = parentNode(node);
  if (parent === null) return null;
  if (isShadowRoot(parent)) return hostOf(parent);
  if (!isElement(parent)) return null;
  const shadow = shadowRootOf(parent);
  if (!shadow) return parent;
  const slot = isElement(node) ? assignedSlotOf(node) : isText(node) ? assignedSlotOfText(node) : null;
  return slot ?? closedSlots(shadow).get(node) ?? null;
}

/** Whether `ancestor` is `node` or one of its ancestors in the flat tree. @param {Node} ancestor @param {Node} node */
export function flatContains(ancestor, node) {
  for (let each = /** @type {Node | null} */ (node); each; each = flatParent(each)) if (each === ancestor) return true;
  return false;
}

/**
 * Return the element that has the focus, also inside of shadow roots; null for the body or none.
 * @returns {Element | null}
 */
export function focusedElement() {
  let active = activeElementIn(document);
  for (let root = active && shadowRootOf(active); root; root = active && shadowRootOf(active)) {
    const inner = activeElementInShadow(root);
    if (!inner) break;
    active = inner;
  }
  return active && active !== documentElement(document) && htmlName(active) !== 'body' ? active : null;
}

/** Return the text that a person sees in an element. @param {Element} element */
export const textOf = (element) => (element instanceof HTMLElement ? element.innerText : (element.textContent ?? ''));
