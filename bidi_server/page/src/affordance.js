// Which elements an agent can act on. Tier 1: controls and whatever the keyboard reaches. Tier 2: items of something interactive.
// Tier 3: what a person would click because it looks or behaves like it.

import {controlRoles, interactiveContainers, itemRoles} from './aria.js';
import {attr, attributeNames, has} from './attributes.js';
import {htmlName} from './dom.js';
import {isEditingHost, isTabStop} from './focus.js';
import {hasPointer} from './style.js';

const handlers = new Set(`onclick ondblclick onmousedown onmouseup onpointerdown onpointerup ontouchstart ontouchend onmouseover
  onmouseenter oncontextmenu ondragstart ondrop onkeydown onkeyup onkeypress onwheel`.split(/\s+/));

/** @param {Element} element @param {string} role @param {boolean} interactive inside of an interactive container @returns {0 | 1 | 2} */
export function ariaTier(element, role, interactive) {
  if (role === 'iframe') return 0;
  if (controlRoles.has(role) || isTabStop(element)) return 1;
  if (has(element, 'contenteditable') && isEditingHost(element)) return 1;
  if (!itemRoles.has(role)) return 0;
  return interactive || has(element, 'aria-selected') || has(element, 'tabindex') ? 2 : 0;
}

/** Whether what the element contains belongs to something interactive. @param {Element} element @param {string} role @param {boolean} interactive */
export function isInteractiveInside(element, role, interactive) {
  if (interactiveContainers.has(role)) return true;
  if (role === 'list' || role === 'table') return attr(element, 'aria-multiselectable') === 'true';
  return interactive && role !== 'dialog' && role !== 'tabpanel';
}

/** Whether the author made something happen here, said in markup. @param {Element} element */
export function hasHandler(element) {
  if (attr(element, 'draggable') === 'true') return true;
  const name = htmlName(element);
  if (name === 'body' || name === 'html') return false;
  return attributeNames(element).some((attribute) => attribute.startsWith('on') && handlers.has(attribute));
}

/** Whether a pointing-hand cursor begins at the element. @param {Element} element @param {boolean} inherited */
export const pointerBegins = (element, inherited) => !inherited && hasPointer(element) && htmlName(element) !== 'html' && htmlName(element) !== 'body';
