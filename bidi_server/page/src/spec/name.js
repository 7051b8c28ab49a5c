// Accessible names and descriptions. https://www.w3.org/TR/accname-1.2/#computation-steps
// The functions are named after the steps, in the steps' order.

import {namedFromContent, namedFromHeading} from './aria.js';
import {attr, has, isBare, trimmed} from '../dom/attributes.js';
import {isConcealed, tellsConcealed} from '../dom/concealed.js';
import {flatChildren, htmlName, isElement, isText, knownRoots} from '../dom/dom.js';
import {inputType} from './html-role.js';
import {foreignDescription, nativeAlternative, tooltipAttribute} from './native-name.js';
import {nodeValue, selectAll, textContent} from '../realm/native.js';
import {ownedBy, ownerOf} from '../dom/owns.js';
import {onEndOfPass, oncePerPass} from '../realm/pass.js';
import {referenced} from '../dom/reference.js';
import {roleOf} from './role.js';
import {displayOf, generatedText, isExcluded, isHidden, isInline, isShown, skipsContents} from '../dom/style.js';
import {effectsIn} from '../dom/sheets.js';
import {asShown} from '../dom/text-transform.js';
import {chosenLabels, controlValue} from './value.js';

/**
 * @typedef {object} Name
 * @property {string} text
 * @property {'' | 'label' | 'native' | 'content' | 'heading' | 'title' | 'placeholder'} from its source; ''
 * if there is none
 * @property {string} [written] the name in the letters of the source, if `text-transform` shows others
 * @property {Parts} [parts] if it is from content that no person sees in whole
 */

/**
 * The parts of a name from content.
 * @typedef {{seen: string, unseen: string}} Parts
 */

/**
 * One traversal.
 * @typedef {object} Trail
 * @property {Element} root the element that gets the name
 * @property {Set<Node>} visited
 * @property {boolean} referenced inside of an element that aria-labelledby or aria-describedby references
 * @property {boolean} hidden hidden nodes count, because the referenced element is hidden
 * @property {Letters} letters
 */

/**
 * @typedef {object} Letters
 * @property {boolean} asWritten take the letters of the source, not the rendered ones
 * @property {boolean} changed some rendered letters differ from the source
 * @property {boolean} concealed some text is concealed from people; known only in a walk
 * @property {'seen' | 'unseen'} [only] take only such text
 */

// Names nest as deep as elements do. Below this level the plain text content is taken, to not exhaust the stack.
const deepest = 150;

/** Return text on one line, as rows show it. @param {string} text */
export const collapse = (text) =>
  (/[\t\n\f\r\u00a0]| {2}/.test(text) ? text.replace(/[\t\n\f\r \u00a0]+/g, ' ') : text).trim();

/**
 * Return text on one line, as in names: no-break spaces are not white space, but a text of nothing else is empty.
 * https://infra.spec.whatwg.org/#ascii-whitespace
 * @param {string} text
 */
export function flat(text) {
  const line = /[\t\n\f\r]| {2}/.test(text) ? text.replace(/[\t\n\f\r ]+/g, ' ') : text;
  const words = line.trim();
  return words === '' || words.length === line.length ? words : line.replace(/^ | $/g, '');
}

/** @type {Name} */
export const nameless = {text: '', from: ''};

/** @type {(element: Element) => Name} */
export const nameOf = oncePerPass((element) => {
  const trail = nameTrail(element);
  const name = computeName(element, trail);
  if (trail.letters.concealed && name.from === 'content') name.parts = partsOf(element);
  if (!trail.letters.changed) return name;
  const {text} = computeName(element, {...nameTrail(element), letters: {...newLetters(), asWritten: true}});
  return {...name, written: text};
});

/** @param {Element} element named from its content @returns {Parts} */
function partsOf(element) {
  const [seen, unseen] = /** @type {const} */ (['seen', 'unseen']).map((only) =>
    flat(contentOf(element, {...nameTrail(element), letters: {...newLetters(), only}}, 0)).trim(),
  );
  return {seen, unseen};
}

/** @param {Element} element @param {Trail} trail @returns {Name} */
function computeName(element, trail) {
  const bare = isBare(element);
  const label = bare ? '' : labelledBy(element, trail, 0) || ariaLabel(element);
  if (label) return {text: label, from: 'label'};
  const native = nativeAlternative(element, roleOf(element));
  if (native) {
    const text = fromNative(native, trail, 0).trim();
    if (text) return {text, from: 'native'};
    if (native.text === '') return nameless;
  }
  if (takesNameFromContent(element)) {
    // Spaces around the content do not belong to the name, not even no-break spaces.
    const text = flat(contentOf(element, trail, 0)).trim();
    if (text) return {text, from: 'content'};
  }
  if (namedFromHeading.has(roleOf(element))) {
    const text = fromHeading(element, trail);
    if (text) return {text, from: 'heading'};
  }
  if (bare) return nameless;
  const title = tooltip(element);
  if (title) return {text: title, from: 'title'};
  const placeholder = placeholderOf(element);
  return placeholder ? {text: placeholder, from: 'placeholder'} : nameless;
}

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
  const text = flat(described) || trimmed(element, 'aria-description') || nativeDescription(element, name);
  if (text) return text;
  const title = name.from === 'title' ? '' : tooltip(element);
  return title === name.text ? '' : title;
}

/** Return the element's text, as a name from content. @param {Element} element */
export const ownText = (element) => flat(contentOf(element, newTrail(element), 0));

/** @param {Element} element */
const takesNameFromContent = (element) => {
  const role = roleOf(element);
  return namedFromContent.has(role) || (role === 'row' && has(element, 'tabindex')) || htmlName(element) === 'summary';
};

/** @param {Element} root @param {Set<Node>} [visited] @returns {Trail} */
const newTrail = (root, visited = new Set()) => ({
  root,
  visited,
  referenced: false,
  hidden: false,
  letters: newLetters(),
});

/** @returns {Letters} */
const newLetters = () => ({asWritten: false, changed: false, concealed: false});

/**
 * Return a trail that excludes the element itself, which may be inside of its own label.
 * @param {Element} root @returns {Trail}
 */
const nameTrail = (root) => newTrail(root, new Set().add(root));

/**
 * Return the text alternative of an element below the root. https://www.w3.org/TR/accname-1.2/#comp_start
 * @param {Element} node @param {Trail} trail @param {number} level @returns {string}
 */
function alternative(node, trail, level) {
  if (trail.visited.has(node) || htmlName(node) === 'noscript') return '';
  if (!trail.referenced && isBranch(node, trail.root)) return '';
  if (level > deepest) return textContent(node) ?? '';
  if (!trail.hidden && isExcluded(node)) return '';
  trail.visited.add(node);
  if (!trail.hidden && !isShown(node)) return contentOf(node, trail, level);
  // A slot is not rendered, so its own attributes do not count.
  const bare = isBare(node) || htmlName(node) === 'slot';
  const label = !bare && labelledBy(node, trail, level);
  if (label) return apart(label);
  const value = embeddedControl(node);
  const text = value || (!bare && ariaLabel(node));
  if (text) return apart(text);
  // A field contributes its value to the name of another element, not its label.
  if (value === '') return '';
  const native = nativeAlternative(node, roleOf(node));
  if (native) {
    const own = fromNative(native, trail, level);
    if (own.trim()) return apart(own);
    if (native.text === '') return '';
  }
  const content = contentOf(node, trail, level);
  return bare || /\S/.test(content) ? content : apart(tooltip(node)) || content;
}

/**
 * Whether the node contains items below the root: those do not contribute to the name of an item.
 * https://github.com/w3c/accname/issues/100
 * @param {Element} node @param {Element} root
 */
function isBranch(node, root) {
  if (isBare(node) || !has(node, 'role')) return false;
  const role = roleOf(node);
  return role === 'menu' || (role === 'group' && roleOf(root) === 'treeitem');
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
  const targets = referenced(element, 'aria-labelledby');
  const texts =
    element === trail.root && takesNameFromContent(element)
      ? withItself(element, targets, trail, level)
      : targets.map((target) => fromReference(target, trail, level));
  const text = flat(texts.join(' '));
  // Do not repeat this text at its own position, in the same name.
  if (level > 0) for (const target of targets) trail.visited.add(target);
  return text;
}

/**
 * Return the texts of the elements that label an element. If it is one of them, or inside of one, its own content
 * counts there, once.
 * @param {Element} element @param {Element[]} targets @param {Trail} trail @param {number} level
 */
function withItself(element, targets, trail, level) {
  let said = false;
  return targets.map((target) => {
    if (target === element && said) return '';
    const visited = new Set(trail.visited);
    if (target === element) for (const other of targets) visited.add(other);
    else if (!said) visited.delete(element);
    const text = fromReference(target, trail, level, visited);
    said ||= target === element || visited.has(element);
    return text;
  });
}

/**
 * @param {Element} target
 * @param {Trail} trail
 * @param {number} level
 * @param {Set<Node>} [visited] nodes that have been consulted; those of the target are added
 */
function fromReference(target, trail, level, visited = new Set(trail.visited)) {
  visited.delete(target);
  const text = embeddedInReference(target, trail) || ariaLabel(target);
  return text || flat(alternative(target, {...trail, visited, referenced: true, hidden: isHidden(target)}, level + 1));
}

/**
 * Return the value of a referenced control; '' for the root: a control that references itself counts with its label.
 * @param {Element} target
 * @param {Trail} trail
 */
const embeddedInReference = (target, trail) => (target === trail.root ? '' : embeddedControl(target));

/**
 * Return what a control contributes to the name of another element; null if it is not a control with a value.
 * https://www.w3.org/TR/accname-1.2/#comp_embedded_control
 * @param {Element} element
 */
function embeddedControl(element) {
  const role = roleOf(element);
  switch (role) {
    case 'listbox':
      return chosenLabels(element).join(' ') || null;
    case 'textbox':
    case 'searchbox':
    case 'combobox':
    case 'slider':
    case 'spinbutton':
    case 'scrollbar':
    case 'progressbar':
    case 'meter':
      // An empty text field has an empty value; for other controls the contents may have text.
      return controlValue(element, role) || (isWritten(element, role) ? '' : null);
    default:
      return null;
  }
}

/** @param {Element} element @param {string} role */
const isWritten = (element, role) =>
  role === 'textbox' || role === 'searchbox' || (htmlName(element) === 'input' && inputType(element) !== 'range');

/** https://www.w3.org/TR/accname-1.2/#comp_label @param {Element} element */
const ariaLabel = (element) => flat(attr(element, 'aria-label') ?? '');

/**
 * https://www.w3.org/TR/accname-1.2/#comp_host_language_label
 * @param {import('./native-name.js').Native} native
 * @param {Trail} trail
 * @param {number} level
 * @returns {string}
 */
function fromNative({text, labels, otherwise}, trail, level) {
  if (text !== undefined) return flat(text);
  const fresh = labels.filter((label) => !trail.visited.has(label));
  const said = flat(fresh.map((label) => fromNativeLabel(label, trail, level)).join(' '));
  // Do not repeat this text at its own position, in the same name.
  if (level > 0) for (const label of fresh) trail.visited.add(label);
  return said || (otherwise ? fromNative(otherwise, trail, level) : '');
}

/**
 * Return the text of a native label; '' for a hidden one, unless the root is hidden too.
 * https://github.com/w3c/html-aam/pull/533
 * @param {Element} label a native label, legend or caption
 * @param {Trail} trail
 * @param {number} level
 */
function fromNativeLabel(label, trail, level) {
  const hidden = isHidden(label);
  if (hidden && !isHidden(trail.root)) return '';
  const visited = new Set(trail.visited).add(trail.root);
  return ariaLabel(label) || contentOf(label, {...trail, visited, hidden}, level + 1);
}

/**
 * https://www.w3.org/TR/accname-1.2/#comp_name_from_content
 * @param {Element} element
 * @param {Trail} trail
 * @param {number} level
 */
function contentOf(element, trail, level) {
  // Visibility is inherited, but elements inside of a hidden one may be visible again.
  const shown = trail.hidden || isShown(element);
  let text = shown ? generatedText(element, '::before') : '';
  for (const child of trail.hidden ? flatChildren(element) : renderedChildren(element)) {
    if (isElement(child)) {
      if (ownerOf(child) === null) text += spaced(child, alternative(child, trail, level + 1));
    } else if (shown && isText(child)) {
      text += lettersOf(child, element, trail.letters);
    }
  }
  if (has(element, 'aria-owns'))
    for (const child of ownedBy(element)) text += apart(alternative(child, trail, level + 1));
  return shown ? text + generatedText(element, '::after') : text;
}

/** @param {Text} node @param {Element} element its parent @param {Letters} letters */
function lettersOf(node, element, letters) {
  const text = nodeValue(node) ?? '';
  if (tellsConcealed() && /\S/.test(text)) {
    const concealed = isConcealed(element);
    letters.concealed ||= concealed;
    if (letters.only && concealed !== (letters.only === 'unseen')) return '';
  }
  if (letters.asWritten) return text;
  const shown = asShown(text, element);
  if (shown !== text) letters.changed = true;
  return shown;
}

/**
 * Return the text of the first heading inside. https://w3c.github.io/accname/#comp_name_from_heading
 * @param {Element} element
 * @param {Trail} trail
 */
function fromHeading(element, trail) {
  for (const each of selectAll(element, 'h1,h2,h3,h4,h5,h6,[role]'))
    if (roleOf(each) === 'heading' && !isHidden(each)) return flat(alternative(each, trail, 1));
  return '';
}

/**
 * Add spaces around the text of a block, or of any other element with a box of its own.
 * @param {Element} child
 * @param {string} text
 */
function spaced(child, text) {
  const name = htmlName(child);
  if (name === 'br') return ' ';
  return !isInline(child) && (text || fields.has(name) || separating.test(displayOf(child))) ? ` ${text} ` : text;
}

/** Elements that separate the text around them like a word, even if they have no text. */
const fields = new Set(['input', 'meter', 'progress', 'select', 'textarea']);

/** Displays of boxes that separate the text around them even if they are empty. */
const separating = /^(?:block|flow-root|flex|grid|list-item|table)/;

/** Elements whose contents are for browsers that do not support them. */
const replaced = new Set(['audio', 'iframe', 'video']);

/**
 * Return the children, without those that are not rendered because they are in a closed or skipped part.
 * @param {Element} element
 */
function renderedChildren(element) {
  const nodes = flatChildren(element);
  if (nodes.length === 0) return nodes;
  if (replaced.has(htmlName(element))) return [];
  if (htmlName(element) === 'details' && !has(element, 'open'))
    return nodes.filter((node) => isElement(node) && htmlName(node) === 'summary').slice(0, 1);
  skips.anywhere ??= [document, ...knownRoots()].some((root) => effectsIn(root).skips);
  return skipsContents(element, skips.anywhere) ? [] : nodes;
}

// Whether style sheets may keep contents from being rendered; null until this is needed.
const skips = {anywhere: /** @type {boolean | null} */ (null)};
onEndOfPass(() => {
  skips.anywhere = null;
});

/** https://www.w3.org/TR/accname-1.2/#comp_tooltip @param {Element} element */
function tooltip(element) {
  const name = tooltipAttribute(element);
  return name ? flat(attr(element, name) ?? '') : '';
}

const placeholderInputs = new Set(['textbox', 'searchbox', 'combobox', 'spinbutton']);

/** @param {Element} element */
function placeholderOf(element) {
  if (!placeholderInputs.has(roleOf(element))) return '';
  return flat(attr(element, 'placeholder') ?? attr(element, 'aria-placeholder') ?? '');
}

/** https://www.w3.org/TR/html-aam-1.0/#accdesc-computation @param {Element} element @param {Name} name */
function nativeDescription(element, name) {
  if (htmlName(element) === '') return foreignDescription(element);
  const native = htmlName(element) === 'table' && name.from !== 'native' ? nativeAlternative(element, 'table') : null;
  return native ? flat(native.labels.map((each) => fromNativeLabel(each, newTrail(element), 0)).join(' ')) : '';
}
