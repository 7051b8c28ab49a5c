// Enter text into controls and choose options.

import {flatParent, focusedElement} from '../dom/dom.js';
import {copied, holds, paste, untilSelected} from './editor.js';
import {isDisabled} from '../spec/focus.js';
import {pressKeys, releaseKeys} from './key-events.js';
import {bodyOf, bringIntoView, clientRect, documentElement, getAttributeOf, hasEditContext} from '../realm/native.js';
import {inPass} from '../realm/pass.js';
import {writtenIn} from '../spec/value.js';

/** Types of input that accept no typed characters: their value is set as a whole. */
const setAsAWhole = new Set(['color', 'date', 'datetime-local', 'month', 'range', 'time', 'week']);
const notText = new Set(['button', 'checkbox', 'file', 'hidden', 'image', 'radio', 'reset', 'submit']);

/** @typedef {HTMLInputElement | HTMLTextAreaElement} TextControl */

/**
 * `clear`: whether the text replaces everything; `isClicked`: whether the caller has clicked the element.
 * @typedef {{clear: boolean, isClicked?: boolean}} Typing
 */

/** @param {Element} element @returns {element is TextControl} */
const isTextControl = (element) =>
  element instanceof HTMLTextAreaElement || (element instanceof HTMLInputElement && !notText.has(element.type));

/**
 * Return the element that takes the text: the element itself, the control of a label, or the only text control inside.
 * @param {Element} element @returns {HTMLElement | null}
 */
function editable(element) {
  if (isTextControl(element)) return element;
  if (element instanceof HTMLElement && (element.isContentEditable || hasEditContext(element))) return element;
  const inner = element instanceof HTMLLabelElement ? element.control : (element.shadowRoot ?? element);
  if (inner instanceof Element) return isTextControl(inner) ? inner : null;
  const controls = [...(inner?.querySelectorAll('input, textarea, [contenteditable]') ?? [])].filter(
    (each) => isTextControl(each) || each.hasAttribute('contenteditable'),
  );
  return controls.length === 1 ? /** @type {HTMLElement} */ (controls[0]) : null;
}

/**
 * Whether the element only catches the keys for an editor that draws text and caret itself, as Monaco, Ace and
 * CodeMirror 5 do: its selection is not that of the text. Terminals have such elements too, but theirs have one line
 * and pass every key on.
 * @param {Element} element
 */
export function catchesKeys(element) {
  if (element instanceof HTMLElement && hasEditContext(element)) return true;
  if (!(element instanceof HTMLTextAreaElement) || getAttributeOf(element, 'aria-multiline') === 'false') return false;
  // CodeMirror clips it with a parent that has no size.
  const isThin = [element, inPass(() => flatParent(element)) ?? element].some((each) => {
    const {width, height} = clientRect(each);
    return width <= 1 || height <= 1;
  });
  return isThin || getComputedStyle(element).opacity === '0';
}

/** Return the reason why the element takes no text. @param {Element} element */
function refusal(element) {
  if (element instanceof HTMLSelectElement) return 'a select';
  if (element instanceof HTMLInputElement && notText.has(element.type)) return `a ${element.type} input`;
  return 'not a text field';
}

const noText = 'audio, button, canvas, embed, hr, iframe, img, input, object, select, textarea, video';

/**
 * Return the position after the last character of an editor. Firefox 153 makes a new paragraph of text that is typed
 * after the last paragraph.
 * @param {Node} node @returns {[Node, number]}
 */
function endOf(node) {
  if (node instanceof Text) return [node, node.length];
  const range = document.createRange();
  for (let index = node.childNodes.length - 1; index >= 0; index--) {
    const last = node.childNodes[index];
    // A final `br` keeps an empty line open.
    if (last instanceof HTMLBRElement) return [node, index];
    range.selectNode(last);
    const isDrawn = range.getClientRects().length > 0;
    if (isDrawn && last instanceof HTMLElement)
      return last.isContentEditable && !last.matches(noText) ? endOf(last) : [node, index + 1];
    if (isDrawn) return last instanceof Text ? endOf(last) : [node, index + 1];
  }
  return [node, 0];
}

/** @param {HTMLElement} element @param {boolean} all select everything, instead of placing the caret at the end */
function placeCaret(element, all) {
  if (isTextControl(element)) {
    if (all) {
      element.select();
      return;
    }
    try {
      element.setSelectionRange(element.value.length, element.value.length);
    } catch {
      // scripts can't move the selection of email and number inputs; the caret is at the end after focus
    }
    return;
  }
  const range = document.createRange();
  range.selectNodeContents(element);
  if (!all) {
    range.setStart(...endOf(element));
    range.collapse(true);
  }
  const selection = getSelection();
  selection?.removeAllRanges();
  selection?.addRange(range);
}

/**
 * Set a value with the native setter, bypassing one that a framework may have defined on the element.
 * @param {TextControl} control @param {string} value
 */
function put(control, value) {
  const prototype = control instanceof HTMLTextAreaElement ? HTMLTextAreaElement.prototype : HTMLInputElement.prototype;
  Object.getOwnPropertyDescriptor(prototype, 'value')?.set?.call(control, value);
}

/** Set the value with the two events that an edit by hand fires. @param {TextControl} control @param {string} value */
function setValue(control, value) {
  put(control, value);
  control.dispatchEvent(
    new InputEvent('input', {bubbles: true, composed: true, inputType: 'insertReplacementText', data: value}),
  );
  control.dispatchEvent(new Event('change', {bubbles: true}));
}

/**
 * Focus the element for typing.
 * @param {Element} element @param {Typing} options
 * @returns {{typing: boolean, byKeys?: boolean} | {isUnfocused: true} | {blocked: string, kind?: string}} `typing` is
 *   false for a control that is set as a whole, `byKeys` is true where keys are the only way to place the caret;
 *   `isUnfocused`: the focus stays where it was
 */
function focusForTyping(element, {clear, isClicked}) {
  const target = editable(element);
  if (!target) return {blocked: 'not-editable', kind: refusal(element)};
  if (inPass(() => isDisabled(target))) return {blocked: 'disabled'};
  if (isTextControl(target) && target.readOnly) return {blocked: 'readonly'};
  bringIntoView(target, {block: 'nearest', inline: 'nearest'});
  if (target instanceof HTMLInputElement && setAsAWhole.has(target.type)) {
    const {width, height} = clientRect(target);
    return width || height ? {typing: false} : {blocked: 'hidden'};
  }
  const before = inPass(focusedElement);
  if (before !== target) {
    target.focus({preventScroll: true});
    // WebKitGTK 2.50 ignores `focus()` in a frame of another origin, once the page has had the focus.
    const isIgnored =
      inPass(focusedElement) === before && target !== bodyOf(document) && target !== documentElement(document);
    if (isIgnored && !isClicked) return {isUnfocused: true};
  }
  if (catchesKeys(target)) return {typing: true, byKeys: true};
  placeCaret(target, clear);
  return {typing: true};
}

/** @param {HTMLElement} element whether it renders runs of white space as one space */
const collapses = (element) => !/^(pre|break-spaces)/.test(getComputedStyle(element).whiteSpace);

/**
 * Return the contents of an editor after a text was entered. `differs` is set if they are not that text.
 * @param {string} value @param {boolean} isKept
 */
const outcome = (value, isKept) => (isKept ? {value} : {value, differs: true});

/**
 * Where the caller presses keys: nowhere, in fields that are not editors, or in all fields.
 * @typedef {'none' | 'short' | 'all'} Keys
 */

/**
 * Enter `text`: at the caret, or in place of everything. Editors get it as a paste; other fields by `keys`, which the
 * caller presses, or by a command that fires the events of an edit by hand.
 * @param {Element} element @param {string} text @param {Typing & {keys?: Keys}} options
 * @returns {Promise<{value: string, key?: string, differs?: boolean} | {isUnfocused: true} | {byKeys: true} | {typing: true, before: string} | {blocked: string, kind?: string}>}
 *   `isUnfocused`: the caller has to click the element and ask again; `typing`: the caret is in place, and the caller
 *   has to press the keys; `byKeys`: the editor draws its text itself, and only keys can place its caret, see
 *   `pasteDrawn`
 */
export async function insert(element, text, {clear, isClicked, keys = 'none'}) {
  const target = editable(element);
  if (!target || isTextControl(target)) return insertIntoControl(element, text, {clear, isClicked, keys});
  /** @type {ReturnType<typeof focusForTyping> | undefined} */
  let focus;
  await untilSelected(
    () => {
      focus = focusForTyping(element, {clear, isClicked});
    },
    () => target,
  );
  if (!focus || 'blocked' in focus || 'isUnfocused' in focus) return focus ?? {blocked: 'not-editable'};
  if (focus.byKeys) return {byKeys: true};
  const isKept = () => text === '' || holds(writtenIn(target), text, {all: clear, collapses: collapses(target)});
  const before = clear ? '' : writtenIn(target);
  if (keys === 'all') return {typing: true, before};
  if (text !== '' && (await paste(target, text, {draws: false, isShown: isKept})))
    return outcome(writtenIn(target), isKept());
  // The command `delete` is ignored by Lexical and CKEditor, and makes Draft.js and Slate lose track of their elements.
  if (text === '' || keys === 'short' || !pressKeys(target, text)) return {typing: true, before};
  document.execCommand('insertText', false, text);
  releaseKeys(target, text);
  return outcome(writtenIn(target), isKept());
}

/**
 * @param {Element} element @param {string} text @param {Typing & {keys: Keys}} options
 * @returns {ReturnType<typeof insert>}
 */
async function insertIntoControl(element, text, {clear, isClicked, keys}) {
  const focus = focusForTyping(element, {clear, isClicked});
  if ('blocked' in focus || 'isUnfocused' in focus) return focus;
  const target = /** @type {TextControl} */ (editable(element));
  if (!focus.typing) {
    const input = /** @type {HTMLInputElement} */ (target);
    const probe = document.createElement('input');
    probe.type = input.type;
    probe.value = text;
    if (text !== '' && input.type !== 'range' && probe.value === '') return {blocked: 'bad-value', kind: input.type};
    const had = inPass(focusedElement) === input;
    input.focus({preventScroll: true});
    if (input.type === 'range') return slideBeside(input, text, had);
    setValue(input, text);
    return {value: input.value};
  }
  if (focus.byKeys) return {byKeys: true};
  const before = target.value;
  const typing = /** @type {const} */ ({typing: true, before: clear || target.type === 'password' ? '' : before});
  if (keys !== 'none') return typing;
  if (!pressKeys(target, text)) {
    // The page handles keys itself: send it real ones.
    if (target.value !== before) put(target, before);
    placeCaret(target, clear);
    return typing;
  }
  const done = text === '' ? document.execCommand('delete') : document.execCommand('insertText', false, text);
  const wanted = clear ? text : before + text;
  // Some controls do not allow edits by a command, and some pages cancel the command.
  if (!done && target.value === before && before !== wanted) setValue(target, wanted);
  releaseKeys(target, text);
  return {value: target.value};
}

/**
 * Offer a text as a paste, at the caret that keys have placed, to an editor that draws its text elsewhere.
 * @param {Element} element @param {string} text
 */
export async function pasteDrawn(element, text) {
  const target = editable(element);
  return {isTaken: target !== null && (await paste(target, text, {draws: true, isShown: () => false}))};
}

/**
 * Return the contents of an editor, which keys have selected as a whole, as it would copy them. `differs` is set if
 * they are not the text that was entered.
 * @param {Element} element @param {string} text @param {{clear: boolean}} options
 */
export function heldBy(element, text, {clear}) {
  const target = editable(element);
  const value = target && copied(target);
  return value === null
    ? {}
    : outcome(
        value,
        holds(value, text, {all: clear, collapses: target !== null && !catchesKeys(target) && collapses(target)}),
      );
}

/**
 * Set a slider one step beside the value, and return the key that moves it to the value.
 * @param {HTMLInputElement} input @param {string} text @param {boolean} hadFocus
 * @returns {Promise<{value: string, key?: string}>}
 */
async function slideBeside(input, text, hadFocus) {
  // Components that render again on focus restore the value of their own state.
  if (!hadFocus)
    await new Promise((resolve) => {
      setTimeout(resolve);
    });
  const before = input.value;
  put(input, text);
  const {value} = input;
  if (value === before) return {value};
  if (input.step.toLowerCase() === 'any') {
    setValue(input, text);
    return {value};
  }
  input.stepDown();
  if (input.value !== value) return {value, key: 'ArrowUp'};
  input.stepUp();
  return {value, key: 'ArrowDown'};
}

/**
 * Focus a slider and return its current value. `isUnfocused`: it can take the focus, which stays where it was.
 * @param {Element} element
 */
export function focusSlider(element) {
  if (inPass(() => isDisabled(element))) return {blocked: 'disabled'};
  bringIntoView(element, {block: 'nearest', inline: 'nearest'});
  const before = inPass(focusedElement);
  if (before !== element && element instanceof HTMLElement) element.focus({preventScroll: true});
  const isUnfocused =
    before !== element && inPass(focusedElement) === before && element instanceof HTMLElement && element.tabIndex >= 0;
  const now = getAttributeOf(element, 'aria-valuenow');
  return {now: now === null || now === '' || Number.isNaN(Number(now)) ? null : Number(now), isUnfocused};
}

/** Return the kind of a control, to distinguish text fields from checkboxes and the like. @param {Element} element */
export function controlKind(element) {
  const target = element instanceof HTMLLabelElement && element.control ? element.control : element;
  const role = getAttributeOf(target, 'role');
  if (target instanceof HTMLSelectElement) return {kind: 'select', checked: false};
  if (target instanceof HTMLInputElement && (target.type === 'checkbox' || target.type === 'radio'))
    return {kind: target.type, checked: target.checked};
  if (role === 'checkbox' || role === 'switch' || role === 'radio')
    return {kind: role === 'radio' ? 'radio' : 'checkbox', checked: getAttributeOf(target, 'aria-checked') === 'true'};
  if (role === 'slider' && !isTextControl(target)) return {kind: 'slider', checked: false};
  return {kind: 'text', checked: false};
}

const plain = (/** @type {string | null | undefined} */ text) => (text ?? '').replace(/\s+/g, ' ').trim();

/**
 * Select options of a <select> by value or label.
 * @param {Element} element @param {string[]} wanted
 * @returns {{chosen: string[], selected: string[]} | {blocked: string, kind?: string, options?: string[], unknown?: string}}
 */
export function choose(element, wanted) {
  const select = element instanceof HTMLLabelElement ? element.control : element;
  if (!(select instanceof HTMLSelectElement)) return {blocked: 'not-select', kind: element.localName};
  if (inPass(() => isDisabled(select))) return {blocked: 'disabled'};
  if (wanted.length > 1 && !select.multiple) return {blocked: 'single'};
  const options = [...select.options];
  const labels = options.map((option) => plain(option.label || option.text));
  /** @type {Set<HTMLOptionElement>} */
  const chosen = new Set();
  for (const want of wanted) {
    const found =
      options.find((option) => option.value === want) ??
      options[labels.indexOf(plain(want))] ??
      options[labels.findIndex((label) => label.toLowerCase() === plain(want).toLowerCase())];
    if (!found) return {blocked: 'no-option', unknown: want, options: labels};
    if (found.matches(':disabled')) return {blocked: 'option-disabled', unknown: want};
    chosen.add(found);
  }
  bringIntoView(select, {block: 'nearest', inline: 'nearest'});
  select.focus({preventScroll: true});
  for (const option of options) if (option.selected !== chosen.has(option)) option.selected = chosen.has(option);
  select.dispatchEvent(new Event('input', {bubbles: true, composed: true}));
  select.dispatchEvent(new Event('change', {bubbles: true}));
  return {
    chosen: options.flatMap((option, index) => (chosen.has(option) ? [labels[index]] : [])),
    selected: [...select.selectedOptions].map((option) => plain(option.label || option.text)),
  };
}
