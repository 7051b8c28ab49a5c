// Values of controls. https://www.w3.org/TR/html-aam-1.0/#html-attribute-state-and-property-mappings

import {attr, has, integer} from '../dom/attributes.js';
import {htmlName} from '../dom/dom.js';
import {inputType} from './html-role.js';
import {getter, selectAll, textContent} from '../realm/native.js';

const innerText = reader(HTMLElement, 'innerText');
const inputValue = reader(HTMLInputElement, 'value');
const inputFiles = reader(HTMLInputElement, 'files');
const areaValue = reader(HTMLTextAreaElement, 'value');
const selectedOptions = reader(HTMLSelectElement, 'selectedOptions');
const optionLabel = reader(HTMLOptionElement, 'label');
const optionsOf = reader(HTMLSelectElement, 'options');
const meterValue = reader(HTMLMeterElement, 'value');
const progressValue = reader(HTMLProgressElement, 'value');

/**
 * Return a reader for elements that the caller knows to be of the type.
 * @template {object} T
 * @template {keyof T} K
 * @param {{prototype: T}} type @param {K} name
 * @returns {(element: Element) => T[K]}
 */
function reader(type, name) {
  return /** @type {(element: any) => T[K]} */ (getter(type, name));
}

/** Text that replaces the value of a password field: its length is secret too. */
export const mask = '••••';

/** @param {string} label */
const oneLine = (label) => label.replace(/\s+/g, ' ').trim();

/** Return the labels of all options of a `select`, in order. @param {Element} select */
export const optionLabels = (select) => [...optionsOf(select)].map((option) => oneLine(optionLabel(option)));

/**
 * Return the value of a control as a person would read it; undefined if it has none.
 * @param {Element} element @param {string} role @returns {string | undefined}
 */
export function controlValue(element, role) {
  switch (htmlName(element)) {
    case 'input':
      return inputText(element);
    case 'textarea':
      return areaValue(element);
    case 'select':
      return chosenLabels(element).join(', ');
    case 'meter':
      return attr(element, 'aria-valuetext') ?? String(meterValue(element));
    case 'progress':
      return attr(element, 'aria-valuetext') ?? (has(element, 'value') ? String(progressValue(element)) : undefined);
    default:
      return ariaValue(element, role);
  }
}

/** Return the labels of the selected options. @param {Element} list a `select`, or an element with the role of one */
export const chosenLabels = (list) =>
  htmlName(list) === 'select'
    ? [...selectedOptions(list)].map((option) => oneLine(optionLabel(option)))
    : [...selectAll(list, '[role=option][aria-selected=true]')].map((option) => oneLine(textContent(option) ?? ''));

/** @param {Element} input */
function inputText(input) {
  switch (inputType(input)) {
    case 'password':
      return inputValue(input) ? mask : '';
    case 'file':
      return [...(inputFiles(input) ?? [])].map((file) => file.name).join(', ');
    case 'button':
    case 'submit':
    case 'reset':
    case 'image':
    case 'checkbox':
    case 'radio':
    case 'hidden':
      return undefined;
    default:
      return inputValue(input);
  }
}

/** @param {Element} element @param {string} role */
function ariaValue(element, role) {
  switch (role) {
    case 'textbox':
    case 'searchbox':
      return writtenIn(element);
    case 'combobox':
      return comboValue(element);
    case 'listbox':
      return chosenLabels(element).join(', ') || undefined;
    case 'slider':
    case 'spinbutton':
    case 'scrollbar':
    case 'progressbar':
    case 'meter':
    case 'separator':
      return attr(element, 'aria-valuetext') ?? attr(element, 'aria-valuenow') ?? undefined;
    default:
      return undefined;
  }
}

/**
 * Whether an editor shows only a placeholder: Slate and CodeMirror 6 render it inside, as text that ignores the
 * pointer.
 * @param {HTMLElement} editor
 */
function isEmptyButForPlaceholder(editor) {
  const placeholder = /** @type {HTMLElement[]} */ ([...selectAll(editor, '[contenteditable=false]')]).find(
    (each) => getComputedStyle(each).pointerEvents === 'none',
  );
  return placeholder !== undefined && innerText(placeholder).trim() === innerText(editor).trim();
}

/** Return the text in an editor, with its lines. @param {Element} editor */
export function writtenIn(editor) {
  if (!(editor instanceof HTMLElement)) return textContent(editor)?.trim() ?? '';
  if (isEmptyButForPlaceholder(editor)) return '';
  const blocks = /** @type {HTMLElement[]} */ ([...selectAll(editor, ':scope > div, :scope > p')]);
  // An empty line is a block that contains a line break, which would count as two.
  const isOfLines = blocks.length > 1 && textContent(editor) === blocks.map(textContent).join('');
  return (isOfLines ? blocks.map((block) => innerText(block).replace(/\n$/, '')).join('\n') : innerText(editor)).trim();
}

/** @param {Element} combobox */
function comboValue(combobox) {
  const input = selectAll(combobox, 'input')[0];
  if (input) return inputText(input);
  const chosen = selectAll(combobox, '[role=option][aria-selected=true]')[0];
  return oneLine(textContent(chosen ?? combobox) ?? '');
}

/**
 * Return a bound of a range from its attributes; undefined if it has none.
 * @param {Element} element
 * @param {'min' | 'max'} bound
 */
export function rangeBound(element, bound) {
  const native = htmlName(element) ? attr(element, bound) : null;
  return native ?? attr(element, `aria-value${bound}`) ?? undefined;
}

/** @param {Element} element @param {string} name */
export const level = (element, name) => integer(element, name);
