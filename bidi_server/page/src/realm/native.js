// DOM accessors captured from their prototypes. Controls of a form or a document shadow its properties by their names
// (`<input name="parentNode">`), so nothing here is read as a plain property of an untrusted node.

/**
 * @template {object} T
 * @template {keyof T} K
 * @param {{prototype: T}} type
 * @param {K} name
 */
const accessor = (type, name) =>
  /** @type {(this: T) => T[K]} */ (
    /** @type {PropertyDescriptor} */ (Object.getOwnPropertyDescriptor(type.prototype, name)).get
  );

/**
 * @template {object} T
 * @template {keyof T} K
 * @param {{prototype: T}} type
 * @param {K} name
 * @returns {(target: T) => T[K]}
 */
export function getter(type, name) {
  const read = accessor(type, name);
  return (target) => read.call(target);
}

// Properties that are read of every node have separate functions: engines optimise calls whose target never changes.
const readNodeType = accessor(Node, 'nodeType');
const readParentNode = accessor(Node, 'parentNode');
const readFirstChild = accessor(Node, 'firstChild');
const readNextSibling = accessor(Node, 'nextSibling');
const readNodeValue = accessor(Node, 'nodeValue');
const readLocalName = accessor(Element, 'localName');
const readNamespaceURI = accessor(Element, 'namespaceURI');
const readShadowRoot = accessor(Element, 'shadowRoot');

/** @param {Node} node */
export const nodeType = (node) => readNodeType.call(node);
/** @param {Node} node */
export const parentNode = (node) => readParentNode.call(node);
/** @param {Node} node */
export const firstChild = (node) => readFirstChild.call(node);
/** @param {Node} node */
export const nextSibling = (node) => readNextSibling.call(node);
/** @param {Node} node */
export const nodeValue = (node) => readNodeValue.call(node);
/** @param {Element} element */
export const localName = (element) => readLocalName.call(element);
/** @param {Element} element */
export const namespaceURI = (element) => readNamespaceURI.call(element);
/** @param {Element} element */
export const openShadowRoot = (element) => readShadowRoot.call(element);

export const textContent = getter(Node, 'textContent');
export const isConnected = getter(Node, 'isConnected');
export const tagName = getter(Element, 'tagName');
export const firstElementOf = getter(Element, 'firstElementChild');
export const childElements = getter(Element, 'children');
export const assignedSlotOf = getter(Element, 'assignedSlot');
export const assignedSlotOfText = getter(Text, 'assignedSlot');
export const scrollLeft = getter(Element, 'scrollLeft');
export const scrollTop = getter(Element, 'scrollTop');
export const scrollWidth = getter(Element, 'scrollWidth');
export const scrollHeight = getter(Element, 'scrollHeight');
export const clientWidth = getter(Element, 'clientWidth');
export const clientHeight = getter(Element, 'clientHeight');
export const tabIndex = getter(HTMLElement, 'tabIndex');
export const isContentEditable = getter(HTMLElement, 'isContentEditable');
const readEditContext = Object.getOwnPropertyDescriptor(HTMLElement.prototype, 'editContext')?.get;
/**
 * Whether a script handles what is typed into the element, without text in the DOM. https://w3c.github.io/edit-context/
 * @param {HTMLElement} element
 */
export const hasEditContext = (element) => Boolean(readEditContext?.call(element));
/** Return the window of the document that an `object` embeds; null if it embeds something else. */
export const objectWindow = /** @type {(object: Element) => Window | null} */ (
  getter(HTMLObjectElement, 'contentWindow')
);
/** Return the control of a label. */
export const controlOf = /** @type {(label: Element) => Element | null} */ (getter(HTMLLabelElement, 'control'));
/** Return the labels of a control. Forms have none, and their `labels` could be a control of that name. */
export const labelsOf = (/** @type {Element & {labels?: NodeListOf<Element> | null}} */ element) =>
  element instanceof HTMLFormElement ? [] : [...(element.labels ?? [])];
export const documentElement = getter(Document, 'documentElement');
export const bodyOf = getter(Document, 'body');
export const documentURL = getter(Document, 'URL');
export const documentTitle = getter(Document, 'title');
export const contentType = getter(Document, 'contentType');
export const styleSheetsIn = getter(Document, 'styleSheets');
export const styleSheetsInShadow = getter(ShadowRoot, 'styleSheets');
export const baseURI = getter(Node, 'baseURI');
export const activeElementIn = getter(Document, 'activeElement');
export const activeElementInShadow = getter(ShadowRoot, 'activeElement');
export const timelineOf = getter(Document, 'timeline');
export const fontsOf = getter(Document, 'fonts');
export const styleOf = getter(HTMLElement, 'style');
export const hostOf = getter(ShadowRoot, 'host');

const {getAttribute, getAttributeNames, hasAttribute, hasAttributes, removeAttribute} = Element.prototype;
const {matches, closest, checkVisibility, getClientRects} = Element.prototype;
const {getBoundingClientRect, scrollIntoView} = Element.prototype;
const {getRootNode, contains, compareDocumentPosition} = Node.prototype;
const {getElementById, querySelector, querySelectorAll, evaluate} = Document.prototype;
const inFragment = DocumentFragment.prototype;
const {assignedNodes} = HTMLSlotElement.prototype;

/** @param {Element} element @param {string} name */
export const getAttributeOf = (element, name) => getAttribute.call(element, name);
/** @param {Element} element */
export const attributeNamesOf = (element) => getAttributeNames.call(element);
/** @param {Element} element @param {string} name */
export const hasAttributeAt = (element, name) => hasAttribute.call(element, name);
/** @param {Element} element @param {string} name */
export const removeAttributeOf = (element, name) => removeAttribute.call(element, name);
/** @param {Element} element */
export const hasAttributesAt = (element) => hasAttributes.call(element);
/** @param {Element} element @param {string} selector */
export const matchesSelector = (element, selector) => matches.call(element, selector);
/** @param {Element} element @param {string} selector @returns {Element | null} */
export const closestTo = (element, selector) => closest.call(element, selector);
const range = document.createRange();
/** Whether any of the element's contents, including text, has a box. @param {Element} element */
export function rangeHasBoxes(element) {
  range.selectNodeContents(element);
  const boxes = range.getClientRects().length > 0;
  range.selectNodeContents(document);
  return boxes;
}

/** @param {Element} element @param {CheckVisibilityOptions} options */
export const isVisible = (element, options) => checkVisibility.call(element, options);
/** @param {Element} element */
export const hasBoxes = (element) => getClientRects.call(element).length > 0;
/** @param {Element} element */
export const boxesOf = (element) => [...getClientRects.call(element)];
/** @param {Element} element */
export const clientRect = (element) => getBoundingClientRect.call(element);
/** @param {Element} element @param {ScrollIntoViewOptions} options */
export const bringIntoView = (element, options) => scrollIntoView.call(element, {...options, behavior: 'instant'});
/** @param {Node} node */
export const rootOf = (node) => getRootNode.call(node);
/** @param {Node} node @param {Node} other */
export const containsNode = (node, other) => contains.call(node, other);
/** @param {Node} node @param {Node} other */
export const isBefore = (node, other) =>
  (compareDocumentPosition.call(node, other) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0;
/** @param {HTMLSlotElement} slot */
export const assignedTo = (slot) => assignedNodes.call(slot);

/** @param {Node} root a document, a shadow root, or the root of a detached tree @param {string} id */
export function elementById(root, id) {
  const type = nodeType(root);
  if (type === 9) return getElementById.call(/** @type {Document} */ (root), id);
  return type === 11 ? inFragment.getElementById.call(/** @type {DocumentFragment} */ (root), id) : null;
}

/** @param {Document} root @param {string} selector */
export const selectFirst = (root, selector) => querySelector.call(root, selector);

/** @param {Node} root a document or a shadow root @param {string} selector */
export function selectAll(root, selector) {
  const type = nodeType(root);
  if (type === 9) return querySelectorAll.call(/** @type {Document} */ (root), selector);
  if (type === 11) return inFragment.querySelectorAll.call(/** @type {DocumentFragment} */ (root), selector);
  return Element.prototype.querySelectorAll.call(/** @type {Element} */ (root), selector);
}

/**
 * Return the elements that an XPath selects, in document order. Throws if it is invalid.
 * @param {string} path @param {Node} scope a document or an element
 */
export function selectByPath(path, scope) {
  const found = evaluate.call(document, path, scope, null, XPathResult.ORDERED_NODE_SNAPSHOT_TYPE, null);
  return Array.from({length: found.snapshotLength}, (_, index) => found.snapshotItem(index)).filter(
    /** @returns {node is Element} */ (node) => node !== null && nodeType(node) === 1,
  );
}
