// Roles that mean something only inside of others. https://w3c.github.io/aria/#mustContain

import {flatParent} from './dom.js';
import {ownerOf} from './owns.js';

/** @typedef {{parents: string[], between: string[]}} Context which roles it must be in, and which may come between */

/**
 * For roles that browsers pass over outside of their context.
 * Others, such as a menu item without a menu, tell an agent more than nothing.
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
 * Whether the role is that of a part, and the element is not in the whole.
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
 * @param {Element | null} start where to begin
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
