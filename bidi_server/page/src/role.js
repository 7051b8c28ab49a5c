// Which role an element has. https://www.w3.org/TR/wai-aria-1.2/#host_general_role

import {authorRoles, globalAttributes} from './aria.js';
import {attr, attributeNames, has, tokens, trimmed} from './attributes.js';
import {flatParent, htmlName} from './dom.js';
import {implicitRole} from './html-role.js';
import {isEditingHost, isFocusable} from './focus.js';
import {oncePerPass} from './pass.js';

/** Role of the element, '' for one without meaning (generic, none, presentation). @type {(element: Element) => string} */
export const roleOf = oncePerPass((element) => {
  for (const token of tokens(element, 'role')) {
    const role = token.toLowerCase();
    if (!authorRoles.has(role)) continue;
    // https://www.w3.org/TR/wai-aria-1.2/#document-handling_author-errors_roles
    if (role === 'none' || role === 'presentation') {
      if (keepsRole(element)) break;
      return '';
    }
    // A landmark that must be named but is not is passed over, so that its native role shows.
    if ((role === 'form' || role === 'region') && !trimmed(element, 'aria-label') && !attr(element, 'aria-labelledby') && !trimmed(element, 'title')) continue;
    if (role === 'generic') return '';
    return role === 'image' ? 'img' : role === 'directory' ? 'list' : role;
  }
  const native = isPresentationalPart(element) ? '' : implicitRole(element, roleOf);
  // No specification gives an editing host a role, but people type into it.
  return native === '' && has(element, 'contenteditable') && isEditingHost(element) ? 'textbox' : native;
});

/** https://www.w3.org/TR/wai-aria-1.2/#conflict_resolution_presentation_none @param {Element} element */
const keepsRole = (element) => isFocusable(element) || attributeNames(element).some((name) => globalAttributes.has(name) && attr(element, name) !== '');

/** Parts that lose their role with their container. https://www.w3.org/TR/wai-aria-1.2/#presentation */
const owners = new Map(Object.entries({
  li: ['ul', 'ol', 'menu'], tr: ['table', 'thead', 'tbody', 'tfoot'], td: ['tr'], th: ['tr'], thead: ['table'], tbody: ['table'], tfoot: ['table'],
  caption: ['table'], dt: ['dl', 'div'], dd: ['dl', 'div'],
}));

/** @param {Element} element */
function isPresentationalPart(element) {
  let parts = owners.get(htmlName(element));
  if (!parts) return false;
  if (keepsRole(element)) return false;
  for (let node = flatParent(element); node; node = flatParent(node)) {
    const name = htmlName(node);
    if (!parts.includes(name)) return false;
    const role = tokens(node, 'role').find((token) => authorRoles.has(token));
    if (role) return (role === 'none' || role === 'presentation') && !keepsRole(node);
    parts = owners.get(name);
    if (!parts) return false;
  }
  return false;
}
