import {attr, has, integer, isBare} from '../dom/attributes.js';
import {flatParent, htmlName, isElement, SVG} from '../dom/dom.js';
import {inherited} from '../realm/pass.js';
import {isContentEditable, localName, matchesSelector, namespaceURI, parentNode, tabIndex} from '../realm/native.js';

const controls = new Set(['button', 'input', 'select', 'textarea']);
const maybeFocusable = new Set([
  'a',
  'area',
  'audio',
  'button',
  'details',
  'iframe',
  'input',
  'select',
  'summary',
  'textarea',
  'video',
]);

/** Whether the element can get the focus, natively or by its `tabindex`. @param {Element} element */
export function isFocusable(element) {
  const name = htmlName(element);
  if (controls.has(name)) return !isDisabled(element) && attr(element, 'type') !== 'hidden';
  return integer(element, 'tabindex') !== undefined || isTabStop(element);
}

/** Whether the keyboard's Tab reaches the element. @param {Element} element */
export function isTabStop(element) {
  const name = htmlName(element);
  if (isBare(element) && !maybeFocusable.has(name)) return false;
  const index = integer(element, 'tabindex');
  if (index !== undefined) return index >= 0;
  if (!name)
    return (
      namespaceURI(element) === SVG &&
      localName(element) === 'a' &&
      (has(element, 'href') || has(element, 'xlink:href'))
    );
  if (has(element, 'contenteditable')) return isEditingHost(element);
  if (!maybeFocusable.has(name)) return false;
  if ((name === 'audio' || name === 'video') && !has(element, 'controls')) return false;
  if ((name === 'a' || name === 'area') && !has(element, 'href')) return false;
  return name !== 'details' && name !== 'iframe' && tabIndex(/** @type {HTMLElement} */ (element)) >= 0;
}

/** Whether the element is an editing host: it is editable, its parent is not. @param {Element} element */
export function isEditingHost(element) {
  const value = attr(element, 'contenteditable')?.toLowerCase();
  if (
    value === undefined ||
    value === 'false' ||
    htmlName(element) === '' ||
    !isContentEditable(/** @type {HTMLElement} */ (element))
  )
    return false;
  const parent = parentNode(element);
  return (
    !parent || !isElement(parent) || htmlName(parent) === '' || !isContentEditable(/** @type {HTMLElement} */ (parent))
  );
}

/** https://html.spec.whatwg.org/multipage/semantics-other.html#concept-element-disabled @param {Element} element */
export const isNativelyDisabled = (element) => matchesSelector(element, ':disabled');

const canBeDisabled = new Set(['button', 'fieldset', 'input', 'optgroup', 'option', 'select', 'textarea']);

/** Whether the element is disabled in HTML, or by `aria-disabled` on it or an ancestor. @param {Element} element */
export function isDisabled(element) {
  const name = htmlName(element);
  if ((canBeDisabled.has(name) || name.includes('-')) && isNativelyDisabled(element)) return true;
  return isAriaDisabled(element);
}

/**
 * Whether `aria-disabled` applies: it also holds for focusable descendants.
 * https://www.w3.org/TR/wai-aria-1.2/#aria-disabled
 * @type {(element: Element) => boolean}
 */
const isAriaDisabled = inherited(flatParent, (element, above) => {
  const value = attr(element, 'aria-disabled');
  return value === null ? above === true : value === 'true';
});
