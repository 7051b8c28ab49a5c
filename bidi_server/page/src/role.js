// Which role an element has. https://www.w3.org/TR/wai-aria-1.2/#host_general_role

import {authorRoles, globalAttributes} from './aria.js';
import {attr, attributeNames, has, isBare, tokens, trimmed} from './attributes.js';
import {flatParent, htmlName} from './dom.js';
import {implicitRole} from './html-role.js';
import {isEditingHost, isFocusable} from './focus.js';
import {oncePerPass} from './pass.js';

/**
 * Role of the element, '' for one without meaning (generic, none, presentation).
 * @type {(element: Element) => string}
 */
export const roleOf = oncePerPass((element) => (isBare(element) ? nativeRole(element) : saidRole(element)));

/** @param {Element} element */
function saidRole(element) {
  for (const token of tokens(element, 'role')) {
    const role = token.toLowerCase();
    if (!authorRoles.has(role)) continue;
    // https://www.w3.org/TR/wai-aria-1.2/#document-handling_author-errors_roles
    if (role === 'none' || role === 'presentation') {
      if (keepsRole(element)) break;
      return '';
    }
    // A landmark that must be named but is not is passed over, so that its native role shows.
    if (
      (role === 'form' || role === 'region') &&
      !trimmed(element, 'aria-label') &&
      !attr(element, 'aria-labelledby') &&
      !trimmed(element, 'title')
    )
      continue;
    if (role === 'generic') return '';
    return role === 'image' ? 'img' : role === 'directory' ? 'list' : role;
  }
  const native = nativeRole(element);
  // No specification gives an editing host a role, but people type into it.
  return native === '' && has(element, 'contenteditable') && isEditingHost(element) ? 'textbox' : native;
}

/** @param {Element} element */
const nativeRole = (element) => (isPresentationalPart(element) ? '' : implicitRole(element, roleOf));

/** https://www.w3.org/TR/wai-aria-1.2/#conflict_resolution_presentation_none @param {Element} element */
const keepsRole = (element) =>
  isFocusable(element) ||
  attributeNames(element).some((name) => globalAttributes.has(name) && attr(element, name) !== '');

/**
 * Parts that lose their role with their container: what they may be in.
 * https://www.w3.org/TR/wai-aria-1.2/#presentation
 */
const containers = new Map(
  Object.entries({
    li: ['ul', 'ol', 'menu'],
    tr: ['table', 'thead', 'tbody', 'tfoot'],
    td: ['tr'],
    th: ['tr'],
    thead: ['table'],
    tbody: ['table'],
    tfoot: ['table'],
    caption: ['table'],
    dt: ['dl', 'div'],
    dd: ['dl', 'div'],
  }),
);

/** @param {Element} element */
function isPresentationalPart(element) {
  const allowed = containers.get(htmlName(element));
  if (!allowed || (!isBare(element) && keepsRole(element))) return false;
  const parent = flatParent(element);
  return parent !== null && allowed.includes(htmlName(parent)) && strips(parent);
}

/** Whether a container takes the roles of its parts away. @type {(element: Element) => boolean} */
const strips = oncePerPass((element) => {
  const role = isBare(element) ? undefined : tokens(element, 'role').find((token) => authorRoles.has(token));
  if (role) return (role === 'none' || role === 'presentation') && !keepsRole(element);
  return isPresentationalPart(element);
});
