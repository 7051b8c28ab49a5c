// Roles that are valid only inside of others. https://w3c.github.io/aria/#mustContain

import {flatParent} from './dom.js';
import {ownerOf} from './owns.js';

/** @typedef {{parents: string[], between: string[]}} Context roles around it, and roles in between */

/**
 * Contexts of the roles that browsers ignore outside of them.
 * Others, such as a menu item without a menu, are still useful to an agent.
 * @type {Map<string, Context>}
 */
const contexts = new Map(
  Object.entries({
    listitem: {parents: ['list'], between: ['group']},
    option: {parents: ['listbox', 'combobox'], between: ['group', 'list']},
    treeitem: {parents: ['tree', 'treeitem'], between: ['group', 'list']},
  }),
);

/**
 * Whether the role requires a context and the element is outside of it.
 * https://w3c.github.io/aria/#document-handling_author-errors_roles
 * @param {Element} element
 * @param {string} role
 * @param {(element: Element) => string} roleOf role of other elements
 */
export function lacksContext(element, role, roleOf) {
  const context = contexts.get(role);
  if (context === undefined || isBelow(flatParent(element), context, roleOf)) return false;
  return !isBelow(ownerOf(element), context, roleOf);
}

/**
 * @param {Element | null} start element to start at
 * @param {Context} context
 * @param {(element: Element) => string} roleOf
 */
function isBelow(start, {parents, between}, roleOf) {
  for (let node = start; node; node = flatParent(node)) {
    const above = roleOf(node);
    if (parents.includes(above)) return true;
    if (above !== '' && !between.includes(above)) return false;
  }
  return false;
}
