// Which elements an agent can act on. Tier 1: controls and everything that the keyboard reaches. Tier 2: items of an
// interactive container. Tier 3: elements that a person would click because of how they look or behave.

import {controlRoles, interactiveContainers, itemRoles} from '../spec/aria.js';
import {attr, attributeNames, has, integer, isBare, tokens, trimmed} from '../dom/attributes.js';
import {flatParent, isText, SVG} from '../dom/dom.js';
import {isEditingHost, isTabStop} from '../spec/focus.js';
import {
  clientRect,
  localName,
  matchesSelector,
  namespaceURI,
  nodeValue,
  selectAll,
  textContent,
} from '../realm/native.js';
import {handles} from './libraries.js';
import {controls, hidesListener, listensForClicks} from './listeners.js';
import {inherited, oncePerPass} from '../realm/pass.js';
import {hasPointer, looksLikeFigure} from '../dom/style.js';

const handlers = new Set(
  `onclick ondblclick onmousedown onmouseup onpointerdown onpointerup ontouchstart ontouchend onmouseover
  onmouseenter oncontextmenu ondragstart ondrop onkeydown onkeyup onkeypress onwheel`.split(/\s+/),
);

/**
 * @param {Element} element
 * @param {string} role
 * @param {boolean} interactive inside of an interactive container
 * @returns {0 | 1 | 2}
 */
export function ariaTier(element, role, interactive) {
  if (role === 'iframe') return 0;
  if (controlRoles.has(role) || isTabStop(element)) return 1;
  if (isBare(element)) return interactive && itemRoles.has(role) ? 2 : 0;
  if (has(element, 'contenteditable') && isEditingHost(element)) return 1;
  if (!itemRoles.has(role)) return 0;
  return interactive || has(element, 'aria-selected') || has(element, 'tabindex') ? 2 : 0;
}

/**
 * Whether the element's contents belong to an interactive container.
 * @param {Element} element
 * @param {string} role
 * @param {boolean} interactive
 */
export function isInteractiveInside(element, role, interactive) {
  if (interactiveContainers.has(role)) return true;
  if (role === 'list' || role === 'table') return attr(element, 'aria-multiselectable') === 'true';
  return interactive && role !== 'dialog' && role !== 'tabpanel';
}

/** Whether the element has a handler, in markup or by a listener, or is draggable. @param {Element} element */
export function hasHandler(element) {
  if (listensForClicks(element)) return true;
  const names = attributeNames(element);
  if (names.length === 0) return false;
  return isDraggable(element) || names.some((name) => name.startsWith('on') && handlers.has(name));
}

/** @param {Element} element */
const isDraggable = (element) => attr(element, 'draggable') === 'true';

/** Whether the element is dragged as a whole, by the browser or by a library. @param {Element} element */
export const isDragged = (element) => isDraggable(element) || isLibraryHandle(element);

/** @param {Element} element */
export const isLibraryHandle = (element) => tokens(element, 'class').some((name) => Object.hasOwn(handles, name));

/**
 * Whether the element has a cursor that signals interactivity and none of its ancestors has it.
 * @param {Element} element
 * @param {boolean} above an ancestor has it
 */
export const pointerBegins = (element, above) => !above && hasPointer(element);

/**
 * Whether the element is an `a` without `href` and `name`, which is clicked for what a script does.
 * @param {Element} element
 * @param {string} tag
 * @param {Node[]} nodes
 */
export const isPlaceholderLink = (element, tag, nodes) =>
  tag === 'a' && nodes.length > 0 && !has(element, 'href') && !has(element, 'name');

/**
 * Whether an element with `aria-hidden` may be, or may contain, something that a person can click.
 * @param {Element} element
 * @param {boolean} above an ancestor has a pointer cursor or is a control that takes clicks
 */
export const mayBeOperated = (element, above) =>
  hidesListener(element) ||
  hasHandler(element) ||
  matchesSelector(element, controls) ||
  selectAll(element, controls).length > 0 ||
  pointerBegins(element, above);

const longestItem = 100;
/** Maximum number of levels from a list down to its items. */
const mostLevels = 3;

/**
 * Whether the element is one of several similar elements with a roving tabindex: Tab reaches one, the arrow keys the
 * others.
 * https://www.w3.org/WAI/ARIA/apg/practices/keyboard-interface/#kbd_roving_tabindex
 * @param {Element} element
 */
export function isRoving(element) {
  if (!has(element, 'tabindex') || integer(element, 'tabindex') !== -1) return false;
  const text = textContent(element)?.trim() ?? '';
  if (text === '' || text.length > longestItem || selectAll(element, controls).length > 0) return false;
  let list = flatParent(element);
  for (let level = 0; list && level < mostLevels; level++, list = flatParent(list)) {
    if (stopsIn(list)[level].has(kindOf(element))) return true;
  }
  return false;
}

/** @param {Element} element */
const kindOf = (element) => `${localName(element)}.${trimmed(element, 'class')}`;

/** Kinds of elements in a list that Tab reaches, by their level in it. */
const stopsIn = oncePerPass((/** @type {Element} */ list) =>
  Array.from({length: mostLevels}, (_, level) => {
    const stops = selectAll(list, `:scope${' > *'.repeat(level)} > [tabindex="0"]`);
    return new Set([...stops].map((each) => kindOf(/** @type {Element} */ (each))));
  }),
);

const glyph = /^\s*[+\-−×✕✖✗✓▲▼△▽◀▶‹›«»<>←→↑↓☰⋮⋯⚙★☆♥♡]\s*$/;

/**
 * Whether the element consists of a single symbol, as in − 2 +.
 * @param {Element} element @param {string} tag @param {string} role @param {Node[]} nodes
 */
export function isGlyph(element, tag, role, nodes) {
  if (
    role !== '' ||
    (tag !== 'span' && tag !== 'i' && tag !== 'b' && tag !== 'div') ||
    nodes.length !== 1 ||
    !isText(nodes[0])
  )
    return false;
  const text = nodeValue(nodes[0]) ?? '';
  if (text.length >= 8 || !glyph.test(text)) return false;
  // Pages write a single hyphen for an empty value.
  return text.trim() !== '-' || isBesidePlus(element);
}

/** @param {Element} element */
function isBesidePlus(element) {
  const parent = flatParent(element);
  return parent !== null && [...selectAll(parent, ':scope > *')].some((other) => textContent(other)?.trim() === '+');
}

const smallest = 6;
const largest = 400;

/** Whether the element is empty but visible: a coloured box, an icon made with CSS. @param {Element} element */
export function isFigure(element) {
  if (attributeNames(element).length === 0 || !looksLikeFigure(element)) return false;
  const {width, height} = clientRect(element);
  return width >= smallest && height >= smallest && width <= largest && height <= largest;
}

const shapes = new Set('circle ellipse line path polygon polyline rect use'.split(' '));
const mostShapes = 60;
const smallestDrawing = 64;

/**
 * Whether the element is in a drawing of a few shapes that is larger than an icon. The caller knows whether it is
 * inside of a control.
 * @type {(element: Element) => boolean}
 */
const isInDrawing = inherited(flatParent, (element, above) => {
  if (namespaceURI(element) !== SVG || localName(element) !== 'svg') return above === true;
  if (above !== null && above) return true;
  const {width, height} = clientRect(element);
  if (width < smallestDrawing || height < smallestDrawing) return false;
  const {length} = selectAll(element, [...shapes].join());
  return length > 0 && length <= mostShapes;
});

/** @param {Element} element */
export const isDrawing = (element) => localName(element) === 'svg' && isInDrawing(element);

/** Whether the element is a drawing or one of its shapes. @param {Element} element */
export function isShape(element) {
  if (namespaceURI(element) !== SVG) return false;
  const name = localName(element);
  return (name === 'svg' || name === 'text' || shapes.has(name)) && isInDrawing(element);
}
