// Accessible names and descriptions. https://www.w3.org/TR/accname-1.2/#computation-steps
// The functions are named after the steps, in the steps' order.

import {namedFromContent} from './aria.js';
import {attr, has, isBare, trimmed} from './attributes.js';
import {flatChildren, htmlName, isElement, isText, ownedBy, ownerOf, referenced} from './dom.js';
import {foreignDescription, nativeAlternative, tooltipAttribute} from './native-name.js';
import {nodeValue, textContent} from './native.js';
import {oncePerPass} from './pass.js';
import {roleOf} from './role.js';
import {generatedText, isExcluded, isHidden, isInline, isShown} from './style.js';
import {controlValue} from './value.js';

/**
 * @typedef {object} Name
 * @property {string} text
 * @property {'' | 'label' | 'native' | 'content' | 'title' | 'placeholder'} from where it came from; '' when there is
 * none
 */

/**
 * One traversal.
 * @typedef {object} Trail
 * @property {Element} root the element that gets the name
 * @property {Set<Node>} visited
 * @property {boolean} referenced inside of what aria-labelledby or aria-describedby names
 * @property {boolean} hidden hidden nodes count: the reference was to something hidden
 */

// Names nest as deep as elements do. Below this level the text is taken as it is, instead of exhausting the stack.
const deepest = 150;

/** @param {string} text */
export const collapse = (text) =>
  (/[\t\n\f\r\u00a0]|  /.test(text) ? text.replace(/[\t\n\f\r \u00a0]+/g, ' ') : text).trim();

/** @type {Name} */
export const nameless = {text: '', from: ''};

/** @type {(element: Element) => Name} */
export const nameOf = oncePerPass((element) => {
  const trail = newTrail(element);
  const bare = isBare(element);
  const label = bare ? '' : labelledBy(element, trail, 0) || ariaLabel(element);
  if (label) return {text: label, from: 'label'};
  const native = nativeAlternative(element, roleOf(element));
  if (native) {
    const text = native.text ?? native.labels.map((each) => fromNativeLabel(each, trail, 0)).join(' ');
    if (text.trim()) return {text: collapse(text), from: 'native'};
  }
  if (takesNameFromContent(element)) {
    const text = collapse(contentOf(element, trail, 0));
    if (text) return {text, from: 'content'};
  }
  if (bare) return nameless;
  const title = tooltip(element);
  if (title) return {text: title, from: 'title'};
  const placeholder = placeholderOf(element);
  return placeholder ? {text: placeholder, from: 'placeholder'} : nameless;
});

/**
 * https://www.w3.org/TR/accname-1.2/#computation-steps-description-computation
 * @param {Element} element
 * @returns {string}
 */
export function descriptionOf(element) {
  const name = nameOf(element);
  if (isBare(element)) return nativeDescription(element, name);
  const described = referenced(element, 'aria-describedby')
    .map((target) => fromReference(target, newTrail(element), 0))
    .filter(Boolean)
    .join(' ');
  const text = collapse(described) || trimmed(element, 'aria-description') || nativeDescription(element, name);
  if (text) return text;
  const title = name.from === 'title' ? '' : tooltip(element);
  return title === name.text ? '' : title;
}

/** What the element says in text, as its content would name it. @param {Element} element */
export const ownText = (element) => collapse(contentOf(element, newTrail(element), 0));

/** @param {Element} element */
const takesNameFromContent = (element) => {
  const role = roleOf(element);
  return namedFromContent.has(role) || (role === 'row' && has(element, 'tabindex')) || htmlName(element) === 'summary';
};

/** @param {Element} root @returns {Trail} */
const newTrail = (root) => ({root, visited: new Set(), referenced: false, hidden: false});

/**
 * The text alternative of an element below the root. https://www.w3.org/TR/accname-1.2/#comp_start
 * @param {Element} node @param {Trail} trail @param {number} level @returns {string}
 */
function alternative(node, trail, level) {
  if (trail.visited.has(node)) return '';
  if (level > deepest) return textContent(node) ?? '';
  if (!trail.hidden && isExcluded(node)) return '';
  trail.visited.add(node);
  if (!trail.hidden && !isShown(node)) return contentOf(node, trail, level);
  // A slot is not rendered: what it says of itself concerns nobody.
  const bare = isBare(node) || htmlName(node) === 'slot';
  const text = (!bare && labelledBy(node, trail, level)) || embeddedControl(node) || (!bare && ariaLabel(node));
  if (text) return apart(text);
  const native = nativeAlternative(node, roleOf(node));
  if (native) {
    const own = native.text ?? native.labels.map((each) => fromNativeLabel(each, trail, level)).join(' ');
    if (own.trim()) return apart(own);
  }
  const content = contentOf(node, trail, level);
  return bare || /\S/.test(content) ? content : apart(tooltip(node)) || content;
}

/** @param {string} text */
const apart = (text) => (text ? ` ${text} ` : '');

/**
 * https://www.w3.org/TR/accname-1.2/#comp_labelledby
 * @param {Element} element
 * @param {Trail} trail
 * @param {number} level
 */
function labelledBy(element, trail, level) {
  if (trail.referenced || !has(element, 'aria-labelledby')) return '';
  return collapse(
    referenced(element, 'aria-labelledby')
      .map((target) => fromReference(target, trail, level))
      .join(' '),
  );
}

/** @param {Element} target @param {Trail} trail @param {number} level */
function fromReference(target, trail, level) {
  const visited = new Set(trail.visited);
  visited.delete(target);
  const text = embeddedInReference(target, trail) || ariaLabel(target);
  return (
    text ||
    collapse(alternative(target, {root: trail.root, visited, referenced: true, hidden: isHidden(target)}, level + 1))
  );
}

/**
 * A control that names itself by a reference to itself counts with its label, not its value.
 * @param {Element} target
 * @param {Trail} trail
 */
const embeddedInReference = (target, trail) => (target === trail.root ? '' : embeddedControl(target));

/** https://www.w3.org/TR/accname-1.2/#comp_embedded_control @param {Element} element */
function embeddedControl(element) {
  switch (roleOf(element)) {
    case 'textbox':
    case 'searchbox':
    case 'combobox':
    case 'listbox':
    case 'slider':
    case 'spinbutton':
    case 'scrollbar':
    case 'progressbar':
    case 'meter':
      return controlValue(element, roleOf(element)) ?? '';
    default:
      return '';
  }
}

/** https://www.w3.org/TR/accname-1.2/#comp_label @param {Element} element */
const ariaLabel = (element) => collapse(attr(element, 'aria-label') ?? '');

/**
 * A hidden label names its control all the same.
 * @param {Element} label a native label, legend or caption
 * @param {Trail} trail
 * @param {number} level
 */
function fromNativeLabel(label, trail, level) {
  const visited = new Set(trail.visited).add(trail.root);
  return ariaLabel(label) || contentOf(label, {...trail, visited, hidden: isHidden(label)}, level + 1);
}

/**
 * https://www.w3.org/TR/accname-1.2/#comp_name_from_content
 * @param {Element} element
 * @param {Trail} trail
 * @param {number} level
 */
function contentOf(element, trail, level) {
  // Visibility is inherited, but what is inside of a hidden element may be visible again.
  const shown = trail.hidden || isShown(element);
  let text = shown ? generatedText(element, '::before') : '';
  for (const child of flatChildren(element)) {
    if (isElement(child)) {
      if (ownerOf(child) === null) text += spaced(child, alternative(child, trail, level + 1));
    } else if (shown && isText(child)) {
      text += nodeValue(child);
    }
  }
  if (has(element, 'aria-owns'))
    for (const child of ownedBy(element)) text += apart(alternative(child, trail, level + 1));
  return shown ? text + generatedText(element, '::after') : text;
}

/**
 * Blocks and everything else with a box of its own stand apart from the text beside them.
 * @param {Element} child
 * @param {string} text
 */
function spaced(child, text) {
  if (htmlName(child) === 'br') return ' ';
  return text && !isInline(child) ? ` ${text} ` : text;
}

/** https://www.w3.org/TR/accname-1.2/#comp_tooltip @param {Element} element */
function tooltip(element) {
  const name = tooltipAttribute(element);
  return name ? collapse(attr(element, name) ?? '') : '';
}

const placeholderInputs = new Set(['textbox', 'searchbox', 'combobox', 'spinbutton']);

/** @param {Element} element */
function placeholderOf(element) {
  if (!placeholderInputs.has(roleOf(element))) return '';
  return collapse(attr(element, 'placeholder') ?? attr(element, 'aria-placeholder') ?? '');
}

/** https://www.w3.org/TR/html-aam-1.0/#accdesc-computation @param {Element} element @param {Name} name */
function nativeDescription(element, name) {
  if (htmlName(element) === '') return foreignDescription(element);
  const native = htmlName(element) === 'table' && name.from !== 'native' ? nativeAlternative(element, 'table') : null;
  return native ? collapse(native.labels.map((each) => fromNativeLabel(each, newTrail(element), 0)).join(' ')) : '';
}
