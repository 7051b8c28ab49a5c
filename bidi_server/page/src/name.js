// Accessible names and descriptions. https://www.w3.org/TR/accname-1.2/#computation-steps
// The functions are named after the steps, in the steps' order.

import {namedFromContent} from './aria.js';
import {attr, has, trimmed} from './attributes.js';
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
 * @property {'' | 'label' | 'native' | 'content' | 'title' | 'placeholder'} from where it came from; '' when there is none
 */

/**
 * One traversal.
 * @typedef {object} Trail
 * @property {Element} root the element that gets the name
 * @property {Set<Node>} visited
 * @property {boolean} referenced inside of what aria-labelledby or aria-describedby names
 * @property {boolean} content inside of a name from content, or of a native label
 * @property {boolean} hidden hidden nodes count: the reference was to something hidden
 * @property {number} level
 */

// Names nest as deep as elements do. Below this level the text is taken as it is, instead of exhausting the stack.
const deepest = 150;

/** @param {string} text */
export const collapse = (text) => (/[\t\n\f\r\u00a0]|  /.test(text) ? text.replace(/[\t\n\f\r \u00a0]+/g, ' ') : text).trim();

/** @type {(element: Element) => Name} */
export const nameOf = oncePerPass((element) => {
  const trail = newTrail(element);
  const label = labelledBy(element, trail) || ariaLabel(element);
  if (label) return {text: label, from: 'label'};
  const native = nativeAlternative(element, roleOf(element));
  if (native) {
    const text = native.text ?? collapse(native.labels.map((each) => fromNativeLabel(each, trail)).join(' '));
    if (text) return {text: collapse(text), from: native.from};
  }
  if (takesNameFromContent(element)) {
    const text = collapse(contentOf(element, {...trail, content: true}));
    if (text) return {text, from: 'content'};
  }
  const title = tooltip(element);
  if (title) return {text: title, from: 'title'};
  const placeholder = placeholderOf(element);
  return placeholder ? {text: placeholder, from: 'placeholder'} : {text: '', from: ''};
});

/** https://www.w3.org/TR/accname-1.2/#computation-steps-description-computation @param {Element} element @returns {string} */
export function descriptionOf(element) {
  const name = nameOf(element);
  const described = referenced(element, 'aria-describedby')
    .map((target) => fromReference(target, newTrail(element))).filter(Boolean).join(' ');
  const text = collapse(described) || trimmed(element, 'aria-description') || nativeDescription(element, name) || '';
  if (text) return text;
  const title = name.from === 'title' ? '' : tooltip(element);
  return title === name.text ? '' : title;
}

/** What the element says in text, as its content would name it. @param {Element} element */
export const ownText = (element) => collapse(contentOf(element, {...newTrail(element), content: true}));

/** @param {Element} element */
const takesNameFromContent = (element) => {
  const role = roleOf(element);
  return namedFromContent.has(role) || (role === 'row' && has(element, 'tabindex')) || htmlName(element) === 'summary';
};

/** @param {Element} root @returns {Trail} */
const newTrail = (root) => ({root, visited: new Set(), referenced: false, content: false, hidden: false, level: 0});

/** The text alternative of a node below the root. https://www.w3.org/TR/accname-1.2/#comp_start @param {Element} node @param {Trail} trail @returns {string} */
function alternative(node, trail) {
  if (trail.visited.has(node)) return '';
  if (trail.level > deepest) return textContent(node) ?? '';
  if (!trail.hidden && isExcluded(node)) return '';
  trail.visited.add(node);
  const inner = {...trail, level: trail.level + 1};
  if (!trail.hidden && !isShown(node)) return contentOf(node, inner);
  const text = labelledBy(node, trail) || embeddedControl(node);
  if (text) return apart(text);
  const label = ariaLabel(node);
  if (label) return apart(label);
  const native = nativeAlternative(node, roleOf(node));
  if (native) {
    const own = native.text ?? native.labels.map((each) => fromNativeLabel(each, inner)).join(' ');
    if (own.trim()) return apart(own);
  }
  const content = contentOf(node, inner);
  return /\S/.test(content) ? content : apart(tooltip(node)) || content;
}

/** @param {string} text */
const apart = (text) => (text ? ` ${text} ` : '');

/** https://www.w3.org/TR/accname-1.2/#comp_labelledby @param {Element} element @param {Trail} trail */
function labelledBy(element, trail) {
  if (trail.referenced || !has(element, 'aria-labelledby')) return '';
  return collapse(referenced(element, 'aria-labelledby').map((target) => fromReference(target, trail)).join(' '));
}

/** @param {Element} target @param {Trail} trail */
function fromReference(target, trail) {
  const inner = {...trail, visited: new Set(trail.visited), referenced: true, content: true, hidden: isHidden(target), level: trail.level + 1};
  inner.visited.delete(target);
  const text = embeddedInReference(target, trail) || ariaLabel(target) || '';
  return text || collapse(alternative(target, inner));
}

/** A control that names itself by a reference to itself counts with its label, not its value. @param {Element} target @param {Trail} trail */
const embeddedInReference = (target, trail) => (target === trail.root ? '' : embeddedControl(target));

/** https://www.w3.org/TR/accname-1.2/#comp_embedded_control @param {Element} element */
function embeddedControl(element) {
  switch (roleOf(element)) {
    case 'textbox': case 'searchbox': case 'combobox': case 'listbox': case 'slider': case 'spinbutton': case 'scrollbar':
    case 'progressbar': case 'meter':
      return controlValue(element, roleOf(element)) ?? '';
    default:
      return '';
  }
}

/** https://www.w3.org/TR/accname-1.2/#comp_label @param {Element} element */
const ariaLabel = (element) => collapse(attr(element, 'aria-label') ?? '');

/** @param {Element} label a native label, legend or caption @param {Trail} trail */
function fromNativeLabel(label, trail) {
  if (isHidden(label)) return '';
  const visited = new Set(trail.visited).add(trail.root);
  const own = ariaLabel(label);
  return own || contentOf(label, {...trail, visited, content: true, level: trail.level + 1});
}

/** https://www.w3.org/TR/accname-1.2/#comp_name_from_content @param {Element} element @param {Trail} trail */
function contentOf(element, trail) {
  // Visibility is inherited, but what is inside of a hidden element may be visible again.
  const shown = trail.hidden || isShown(element);
  let text = shown ? generatedText(element, '::before') : '';
  for (const child of flatChildren(element)) {
    if (isElement(child)) {
      if (ownerOf(child) === null) text += spaced(child, alternative(child, trail));
    } else if (shown && isText(child)) {
      text += nodeValue(child);
    }
  }
  if (has(element, 'aria-owns')) for (const child of ownedBy(element)) text += apart(alternative(child, trail));
  return shown ? text + generatedText(element, '::after') : text;
}

/** Blocks and everything else with a box of its own stand apart from the text beside them. @param {Element} child @param {string} text */
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
  return native ? collapse(native.labels.map((each) => fromNativeLabel(each, newTrail(element))).join(' ')) : '';
}
