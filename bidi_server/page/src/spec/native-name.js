// Names from native markup. https://www.w3.org/TR/html-aam-1.0/#accessible-name-and-description-computation

import {attr, has, trimmed} from '../dom/attributes.js';
import {flatChildren, flatParent, htmlName, isElement, isShadowRoot, isText, scopeOf, SVG} from '../dom/dom.js';
import {inputType} from './html-role.js';
import {
  controlOf,
  firstChild,
  hostOf,
  isBefore,
  localName,
  namespaceURI,
  nextSibling,
  nodeType,
  nodeValue,
  selectAll,
  textContent,
} from '../realm/native.js';
import {oncePerPass} from '../realm/pass.js';
import {knowsTargets, targetOf} from '../dom/reference.js';

/**
 * @typedef {object} Native
 * @property {'native'} from
 * @property {string} [text] the name itself
 * @property {Element[]} labels elements whose content is the name, if `text` is missing
 * @property {Native | null} [otherwise] the fallback if the labels have no text
 */

/** @param {string} text @returns {Native} */
const text = (text) => ({from: 'native', text, labels: []});
/** @param {(Element | null | undefined)[]} elements @returns {Native} */
const labels = (elements) => ({from: 'native', labels: elements.filter((element) => element != null)});

const labelable = new Set(['button', 'input', 'meter', 'output', 'progress', 'select', 'textarea']);

/** Labels of all controls of a tree scope: the property `labels` would search the whole scope for each control. */
const labelsIn = oncePerPass((/** @type {Node} */ root) => {
  /** @type {Map<Element, Element[]>} */
  const found = new Map();
  for (const label of selectAll(root, 'label')) {
    const labelled = htmlName(label) === 'label' ? controlOf(label) : null;
    const control = labelled && targetOf(labelled);
    if (!control) continue;
    const labels = found.get(control);
    if (labels) labels.push(label);
    else found.set(control, [label]);
  }
  return found;
});

/**
 * Return the name that the host language gives the element; null if there is none.
 * https://www.w3.org/TR/accname-1.2/#comp_host_language_label
 * @param {Element} element @param {string} role @returns {Native | null}
 */
export function nativeAlternative(element, role) {
  const name = htmlName(element);
  if (!name) return foreignAlternative(element);
  if (labelable.has(name)) return controlAlternative(element, name);
  switch (name) {
    case 'img':
      // https://w3c.github.io/html-aam/#img-element-accessible-name-computation: an empty `alt` counts, unless there
      // is a title.
      if (attr(element, 'alt') === '' && (role === '' || trimmed(element, 'title') === '')) return text('');
      return role === '' ? null : (fromAttribute(element, 'alt') ?? labels([captionOf(element)]));
    case 'area':
      return role === '' ? null : fromAttribute(element, 'alt');
    case 'fieldset':
      return labels([child(element, 'legend')]);
    // HTML-AAM gives a figure no name. Firefox 153 does, and so the caption is not said twice.
    case 'figure':
      return labels([child(element, 'figcaption')]);
    case 'table':
      return {...labels([child(element, 'caption')]), otherwise: fromAttribute(element, 'summary')};
    case 'optgroup':
      return fromAttribute(element, 'label');
    case 'option':
      return fromAttribute(element, 'label');
    case 'html':
      return role === 'document' ? text(titleOf(element)) : null;
    default:
      // https://html.spec.whatwg.org/multipage/custom-elements.html#form-associated-custom-element
      return name.includes('-') ? customAlternative(element) : null;
  }
}

/** @param {Element} element */
function customAlternative(element) {
  const found = labelsOf(element);
  return found.length ? labels(found) : null;
}

/** @type {Element[]} */
const unlabelled = [];

/**
 * Return the labels of a control, and those of its shadow host if the control is the host's reference target.
 * @param {Element} control
 */
function labelsOf(control) {
  const scope = scopeOf(control);
  const found = labelsIn(scope).get(control) ?? unlabelled;
  if (!knowsTargets || !isShadowRoot(scope)) return found;
  let all = found;
  for (let host = hostOf(scope); targetOf(host) === control; ) {
    const outer = scopeOf(host);
    const more = labelsIn(outer).get(control) ?? [];
    all = [...more.filter((label) => isBefore(label, host)), ...all, ...more.filter((label) => !isBefore(label, host))];
    if (!isShadowRoot(outer)) break;
    host = hostOf(outer);
  }
  return all;
}

/** @param {Element} control @param {string} name */
function controlAlternative(control, name) {
  const own = name === 'input' ? inputAlternative(control) : null;
  const found = labelsOf(control);
  return found.length ? {...labels(found), otherwise: own} : own;
}

/** Return the name of an input without a label. @param {Element} control @returns {Native | null} */
function inputAlternative(control) {
  switch (inputType(control)) {
    case 'button':
      return fromAttribute(control, 'value');
    case 'submit':
      return fromAttribute(control, 'value') ?? (has(control, 'value') ? null : text('Submit'));
    case 'reset':
      return fromAttribute(control, 'value') ?? (has(control, 'value') ? null : text('Reset'));
    case 'image':
      return fromAttribute(control, 'alt') ?? fromAttribute(control, 'value') ?? unlessTitled(control, 'Submit');
    // Browsers write a text on it, each in its own words.
    case 'file':
      return unlessTitled(control, 'Choose File');
    default:
      return null;
  }
}

/**
 * Return the caption of a figure that contains only this picture, which has no name itself.
 * https://w3c.github.io/html-aam/#img-element-accessible-name-computation
 * @param {Element} image
 */
function captionOf(image) {
  const figure = flatParent(image);
  if (!figure || htmlName(figure) !== 'figure' || has(image, 'alt') || has(image, 'title')) return null;
  const caption = child(figure, 'figcaption');
  const alone = flatChildren(figure).every(
    (node) =>
      node === image || node === caption || (!isElement(node) && !(isText(node) && /\S/.test(nodeValue(node) ?? ''))),
  );
  return alone ? caption : null;
}

/** @param {Element} control @param {string} words */
const unlessTitled = (control, words) => (has(control, 'title') ? null : text(words));

/** @param {Element} element https://www.w3.org/TR/svg-aam-1.0/#mapping_additional_nd */
function foreignAlternative(element) {
  if (namespaceURI(element) !== SVG) return null;
  const title = foreignChild(element, 'title');
  if (title) return text(title);
  return localName(element) === 'a' ? fromAttribute(element, 'xlink:title') : null;
}

/** @param {Element} element https://www.w3.org/TR/svg-aam-1.0/#mapping_additional_nd */
export const foreignDescription = (element) =>
  namespaceURI(element) === SVG ? foreignChild(element, 'desc').trim() : '';

/** Return the text of the first child with that name. @param {Element} element @param {string} name */
function foreignChild(element, name) {
  for (let node = firstChild(element); node; node = nextSibling(node)) {
    if (nodeType(node) === 1 && localName(/** @type {Element} */ (node)) === name) return textContent(node) ?? '';
  }
  return '';
}

/** @param {Element} element @param {string} attribute @returns {Native | null} */
function fromAttribute(element, attribute) {
  const value = attr(element, attribute)?.trim();
  return value ? text(value) : null;
}

/** Return the first child with that name in the flat tree. @param {Element} element @param {string} name */
const child = (element, name) =>
  /** @type {Element | undefined} */ (flatChildren(element).find((node) => isElement(node) && htmlName(node) === name));

/** @param {Element} html */
function titleOf(html) {
  return textContent(selectAll(scopeOf(html), 'title')[0] ?? html.ownerDocument.createTextNode('')) ?? '';
}

/** Return the name of the attribute that holds the tooltip, '' if there is none. @param {Element} element */
export const tooltipAttribute = (element) => (htmlName(element) && has(element, 'title') ? 'title' : '');
