// Roles of elements. https://www.w3.org/TR/wai-aria-1.2/#host_general_role

import {authorRoles, globalAttributes} from './aria.js';
import {attr, attributeNames, has, isBare, tokens} from '../dom/attributes.js';
import {lacksContext} from '../dom/context.js';
import {flatParent, htmlName} from '../dom/dom.js';
import {hasAuthorName, implicitRole, synonyms} from './html-role.js';
import {isEditingHost, isFocusable} from './focus.js';
import {oncePerPass} from '../realm/pass.js';

/**
 * Return the role of the element; '' for one without meaning (generic, none, presentation).
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
      return minimumRole(element);
    }
    // A landmark that lacks its required name is ignored, and so is a part outside of its context: the native role
    // applies.
    if ((role === 'form' || role === 'region') && !hasAuthorName(element)) continue;
    if (lacksContext(element, role, roleOf)) continue;
    if (role === 'generic') return minimumRole(element);
    return synonyms.get(role) ?? role;
  }
  return nativeRole(element) || minimumRole(element);
}

const generics = new Set('a b bdi bdo data div i li pre q samp section small span u'.split(' '));

/**
 * Return the minimum role of an element that would have none. https://w3c.github.io/html-aam/#minimum-role, except for
 * draggable elements: they are named by their text, and a group is not.
 * @param {Element} element
 */
function minimumRole(element) {
  // No specification gives an editing host a role, but people type into it.
  if (has(element, 'contenteditable') && isEditingHost(element)) return 'textbox';
  return (has(element, 'popover') || has(element, 'autofocus')) && generics.has(htmlName(element)) ? 'group' : '';
}

/** @param {Element} element */
const nativeRole = (element) => (isPresentationalPart(element) ? '' : implicitRole(element, roleOf));

/** https://www.w3.org/TR/wai-aria-1.2/#conflict_resolution_presentation_none @param {Element} element */
const keepsRole = (element) =>
  isFocusable(element) ||
  attributeNames(element).some((name) => globalAttributes.has(name) && attr(element, name) !== '');

/**
 * Containers of the parts that lose their role when their container does.
 * https://www.w3.org/TR/wai-aria-1.2/#presentation
 */
const containers = new Map(
  Object.entries({
    li: ['ul', 'ol', 'menu', 'dir'],
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

/** Whether a container removes the roles of its parts. @type {(element: Element) => boolean} */
const strips = oncePerPass((element) => {
  const role = isBare(element) ? undefined : tokens(element, 'role').find((token) => authorRoles.has(token));
  if (role) return (role === 'none' || role === 'presentation') && !keepsRole(element);
  return isPresentationalPart(element);
});
