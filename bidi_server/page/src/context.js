// Roles that mean something only inside of others. https://w3c.github.io/aria/#mustContain

import {flatParent, ownerOf} from './dom.js';

/**
 * For roles that browsers pass over outside of their context: which roles they must be in, and which may come between.
 * Others, such as a menu item without a menu, tell an agent more than nothing.
 * @type {Map<string, {parents: string[], between: string[]}>}
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
  if (!context) return false;
  for (let node = parentOf(element); node; node = parentOf(node)) {
    const above = roleOf(node);
    if (context.parents.includes(above)) return false;
    if (above !== '' && !context.between.includes(above)) return true;
  }
  return true;
}

/** @param {Element} element */
const parentOf = (element) => ownerOf(element) ?? flatParent(element);
