// States and properties that a row shows; default values are left out.
// https://www.w3.org/TR/wai-aria-1.2/#state_prop_def,
// https://www.w3.org/TR/html-aam-1.0/#html-attribute-state-and-property-mappings

import {defaultOrientation, supports} from './aria.js';
import {attr, has, integer, isBare, trimmed} from '../dom/attributes.js';
import {htmlName} from '../dom/dom.js';
import {isDisabled, isEditingHost} from './focus.js';
import {inputType, isListBox} from './html-role.js';
import {baseURI, matchesSelector, selectAll} from '../realm/native.js';
import {descriptionOf, flat} from './name.js';
import {controlValue, optionLabels, rangeBound} from './value.js';

/**
 * States and properties of an element, and what a walk adds to them: class `Props` of page/api.py has the same.
 * @typedef {object} Props
 * @property {boolean} [active]
 * @property {number[]} [box] x, y, width and height in CSS pixels of the viewport
 * @property {boolean} [busy]
 * @property {boolean | 'mixed'} [checked]
 * @property {string | true} [current]
 * @property {string} [description]
 * @property {boolean} [disabled]
 * @property {boolean} [empty] whether it is a container without content
 * @property {boolean} [expanded]
 * @property {number} [frame] number of the frame's window among those of its document
 * @property {string} [haspopup]
 * @property {string} [hint] id, class or picture of a control without a name
 * @property {string | true} [invalid]
 * @property {number} [level]
 * @property {boolean} [modal]
 * @property {boolean} [multiline]
 * @property {boolean} [multiselectable]
 * @property {number} [optionCount]
 * @property {string[]} [options]
 * @property {string} [orientation]
 * @property {number[]} [origin] position of the content of a frame in CSS pixels of the viewport
 * @property {boolean} [painted] whether the document shows something although it has no content for assistive technology
 * @property {string} [placeholder]
 * @property {boolean | 'mixed'} [pressed]
 * @property {boolean} [readonly]
 * @property {boolean} [required]
 * @property {number} [rows]
 * @property {boolean} [scroll]
 * @property {string} [seen] the part of the name that people see, if they don't see all of it
 * @property {boolean} [selected]
 * @property {string} [sort]
 * @property {string} [target]
 * @property {number} [tier]
 * @property {string} [type]
 * @property {string | true} [unseen] text that people don't see: all of the name, or a part
 * @property {boolean} [unvoiced] whether it is hidden from assistive technology only
 * @property {string} [url]
 * @property {string} [value]
 * @property {string} [valuemax]
 * @property {string} [valuemin]
 * @property {string} [valuetext]
 */

const checkedOf = /** @type {(element: Element) => boolean} */ (read(HTMLInputElement, 'checked'));
const indeterminateOf = /** @type {(element: Element) => boolean} */ (read(HTMLInputElement, 'indeterminate'));
const selectedOf = /** @type {(element: Element) => boolean} */ (read(HTMLOptionElement, 'selected'));
const anchorURL = /** @type {(element: Element) => string} */ (read(HTMLAnchorElement, 'href'));
const areaURL = /** @type {(element: Element) => string} */ (read(HTMLAreaElement, 'href'));

/** @param {{prototype: object}} type @param {string} name */
function read(type, name) {
  const get = /** @type {() => unknown} */ (Object.getOwnPropertyDescriptor(type.prototype, name)?.get);
  return (/** @type {Element} */ element) => get.call(element);
}

const plainTypes = new Set([
  'text',
  'search',
  'button',
  'submit',
  'reset',
  'checkbox',
  'radio',
  'range',
  'number',
  'hidden',
  'image',
]);
const textual = new Set(['textbox', 'searchbox', 'combobox', 'spinbutton']);
const withValue = new Set([
  'textbox',
  'searchbox',
  'combobox',
  'slider',
  'spinbutton',
  'scrollbar',
  'progressbar',
  'meter',
  'separator',
]);
const mostOptions = 25;

/**
 * @param {Element} element
 * @param {string} role
 * @param {{text: string, from: string}} name
 * @param {boolean} operable whether it can be acted on
 * @returns {Props}
 */
export function propsOf(element, role, name, operable) {
  /** @type {Props} */
  const props = {};
  const tag = htmlName(element);
  if (isBare(element) && !operable && role !== 'heading') {
    if (withValue.has(role)) values(element, role, tag, name, props);
    return props;
  }
  if (role === 'heading') props.level = headingLevel(element, tag);
  else if (supports.level.has(role)) put(props, 'level', integer(element, 'aria-level'));
  if (role === 'link') link(element, tag, props);
  states(element, role, tag, props);
  if (withValue.has(role) || tag === 'input') values(element, role, tag, name, props);
  if (operable && isDisabled(element)) props.disabled = true;
  // Grids describe each cell by its own text, which adds nothing.
  const description = descriptionOf(element);
  if (description !== name.text) put(props, 'description', description || undefined);
  return props;
}

/**
 * @template {keyof Props} K
 * @param {Props} props @param {K} key @param {Props[K]} value
 */
function put(props, key, value) {
  if (value !== undefined) props[key] = value;
}

/** @param {Element} element @param {string} tag */
function headingLevel(element, tag) {
  const level = integer(element, 'aria-level');
  if (level !== undefined && level > 0) return level;
  return /^h[1-6]$/.test(tag) ? Number(tag[1]) : 2;
}

/** @param {Element} element @param {string} tag @param {Props} props */
function link(element, tag, props) {
  const url = tag === 'a' ? anchorURL(element) : tag === 'area' ? areaURL(element) : foreignURL(element);
  if (url) props.url = url;
  if (attr(element, 'target') === '_blank') props.target = '_blank';
}

/** @param {Element} element */
function foreignURL(element) {
  const href = attr(element, 'href') ?? attr(element, 'xlink:href');
  return href && URL.canParse(href, baseURI(document)) ? new URL(href, baseURI(document)).href : href;
}

/** @param {Element} element @param {string} role @param {string} tag @param {Props} props */
function states(element, role, tag, props) {
  if (supports.checked.has(role)) put(props, 'checked', checkedState(element, role, tag));
  if (
    supports.selected.has(role) &&
    (tag === 'option' ? selectedOf(element) : attr(element, 'aria-selected') === 'true')
  )
    props.selected = true;
  if (supports.pressed.has(role)) put(props, 'pressed', tristate(attr(element, 'aria-pressed')));
  put(props, 'expanded', expandedState(element, tag));
  if (supports.required.has(role) && (has(element, 'required') || attr(element, 'aria-required') === 'true'))
    props.required = true;
  if (
    supports.readonly.has(role) &&
    ((has(element, 'readonly') && tag !== 'select') || attr(element, 'aria-readonly') === 'true')
  )
    props.readonly = true;
  put(props, 'invalid', invalidState(element, role, tag));
  if (
    supports.modal.has(role) &&
    (attr(element, 'aria-modal') === 'true' || (tag === 'dialog' && matchesSelector(element, ':modal')))
  )
    props.modal = true;
  if (
    supports.multiselectable.has(role) &&
    (attr(element, 'aria-multiselectable') === 'true' || (tag === 'select' && has(element, 'multiple')))
  )
    props.multiselectable = true;
  if (supports.sort.has(role)) put(props, 'sort', token(element, 'aria-sort', sorts));
  if (supports.rows.has(role)) put(props, 'rows', rowCount(element));
  put(props, 'current', currentState(element));
  const popup = token(element, 'aria-haspopup', popups);
  put(props, 'haspopup', popup === 'true' ? 'menu' : popup);
  if (attr(element, 'aria-busy') === 'true') props.busy = true;
  const orientation = token(element, 'aria-orientation', orientations);
  if (orientation !== defaultOrientation.get(role)) put(props, 'orientation', orientation);
}

/**
 * Return the total number of rows if some of them are not in the document, as in grids that render only visible rows.
 * https://www.w3.org/TR/wai-aria-1.2/#aria-rowcount
 * @param {Element} table
 */
function rowCount(table) {
  const all = integer(table, 'aria-rowcount') ?? 0;
  return all > selectAll(table, 'tr, [role=row]').length ? all : undefined;
}

// Values that carry information, https://www.w3.org/TR/wai-aria-1.2/#state_prop_def
const sorts = new Set(['ascending', 'descending', 'other']);
const popups = new Set(['true', 'menu', 'listbox', 'tree', 'grid', 'dialog']);
const orientations = new Set(['horizontal', 'vertical']);
const currents = new Set(['page', 'step', 'location', 'date', 'time']);

/**
 * Return an attribute's value if it is one of `words`; undefined for any other, which has to be ignored.
 * https://www.w3.org/TR/wai-aria-1.2/#document-handling_author-errors_states-properties
 * @param {Element} element @param {string} name @param {Set<string>} words
 */
function token(element, name, words) {
  const said = trimmed(element, name).toLowerCase();
  return words.has(said) ? said : undefined;
}

/**
 * Return the value of `aria-current`; unknown values count as `true`. https://www.w3.org/TR/wai-aria-1.2/#aria-current
 * @param {Element} element
 */
function currentState(element) {
  const said = trimmed(element, 'aria-current').toLowerCase();
  if (!said || said === 'false') return undefined;
  return token(element, 'aria-current', currents) ?? true;
}

/** @param {string | null} value */
const tristate = (value) =>
  value === 'true' ? true : value === 'mixed' ? 'mixed' : value === 'false' ? false : undefined;

/** @param {Element} element @param {string} role @param {string} tag */
export function checkedState(element, role, tag) {
  if (tag === 'input') {
    const type = inputType(element);
    if (type === 'checkbox' || type === 'radio')
      return type === 'checkbox' && indeterminateOf(element) ? 'mixed' : checkedOf(element);
  }
  const said = tristate(attr(element, 'aria-checked'));
  if (said !== undefined) return said;
  return role === 'option' || role === 'treeitem' ? undefined : false;
}

/** @param {Element} element @param {string} tag */
function expandedState(element, tag) {
  if (tag === 'summary') return has(/** @type {Element} */ (element.parentNode), 'open');
  const said = attr(element, 'aria-expanded');
  return said === 'true' ? true : said === 'false' ? false : undefined;
}

/** @param {Element} element @param {string} role @param {string} tag */
function invalidState(element, role, tag) {
  const said = trimmed(element, 'aria-invalid');
  if (supports.invalid.has(role) || said) {
    if (said && said !== 'false') return said === 'grammar' || said === 'spelling' ? said : true;
  }
  // Fields that the browser itself marks as invalid, not an empty required field before any input.
  const validates = tag === 'input' || tag === 'textarea' || tag === 'select';
  return validates && matchesSelector(element, ':user-invalid') ? true : undefined;
}

/**
 * @param {Element} element
 * @param {string} role
 * @param {string} tag
 * @param {{text: string, from: string}} name
 * @param {Props} props
 */
function values(element, role, tag, name, props) {
  const value = controlValue(element, role);
  if (value) props.value = value;
  if (tag === 'select' && !isListBox(element)) {
    const labels = optionLabels(element);
    if (labels.length <= mostOptions) props.options = labels;
    else props.optionCount = labels.length;
  }
  if (textual.has(role)) {
    const placeholder = flat(attr(element, 'placeholder') ?? attr(element, 'aria-placeholder') ?? '');
    if (placeholder && placeholder !== name.text) props.placeholder = placeholder;
    if (
      tag === 'textarea' ||
      (tag !== 'input' && (attr(element, 'aria-multiline') === 'true' || isEditingHost(element)))
    )
      props.multiline = true;
  }
  if (tag === 'input' && !plainTypes.has(inputType(element))) props.type = inputType(element);
  if (supports.range.has(role)) {
    put(props, 'valuemin', rangeBound(element, 'min'));
    put(props, 'valuemax', rangeBound(element, 'max'));
    const valuetext = trimmed(element, 'aria-valuetext');
    if (valuetext && valuetext !== props.value) props.valuetext = valuetext;
  }
}
