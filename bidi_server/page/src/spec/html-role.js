// Implicit roles. https://www.w3.org/TR/html-aam-1.0/#html-element-role-mappings,
// https://www.w3.org/TR/svg-aam-1.0/#mapping_role_table, https://w3c.github.io/mathml-aam/#mathml-element-mappings

import {authorRoles, globalAttributes} from './aria.js';
import {attr, attributeNames, has, integer, trimmed} from '../dom/attributes.js';
import {flatParent, htmlName, MATHML, SVG} from '../dom/dom.js';
import {isFocusable} from './focus.js';
import {internalsOf} from '../dom/internals.js';
import {
  firstChild,
  localName,
  namespaceURI,
  nextSibling,
  nodeType,
  selectAll,
  textContent,
  objectWindow,
} from '../realm/native.js';
import {referenced} from '../dom/reference.js';

/** Roles that depend only on the element's name; '' is generic. */
const fixed = new Map(
  Object.entries({
    address: 'group',
    article: 'article',
    blockquote: 'blockquote',
    button: 'button',
    caption: 'caption',
    code: 'code',
    datalist: 'listbox',
    dd: 'definition',
    del: 'deletion',
    details: 'group',
    dfn: 'term',
    dialog: 'dialog',
    dir: 'list',
    dt: 'term',
    em: 'emphasis',
    fieldset: 'group',
    figure: 'figure',
    form: 'form',
    h1: 'heading',
    h2: 'heading',
    h3: 'heading',
    h4: 'heading',
    h5: 'heading',
    h6: 'heading',
    hgroup: 'group',
    hr: 'separator',
    html: 'document',
    iframe: 'iframe',
    frame: 'iframe',
    ins: 'insertion',
    main: 'main',
    mark: 'mark',
    math: 'math',
    menu: 'list',
    meter: 'meter',
    nav: 'navigation',
    ol: 'list',
    optgroup: 'group',
    option: 'option',
    output: 'status',
    p: 'paragraph',
    progress: 'progressbar',
    s: 'deletion',
    search: 'search',
    strong: 'strong',
    sub: 'subscript',
    summary: 'summary',
    sup: 'superscript',
    table: 'table',
    tbody: 'rowgroup',
    textarea: 'textbox',
    tfoot: 'rowgroup',
    thead: 'rowgroup',
    time: 'time',
    tr: 'row',
    ul: 'list',
    video: 'video',
    audio: 'audio',
    canvas: 'canvas',
  }),
);

const inputRoles = new Map(
  Object.entries({
    button: 'button',
    checkbox: 'checkbox',
    image: 'button',
    number: 'spinbutton',
    radio: 'radio',
    range: 'slider',
    reset: 'button',
    submit: 'button',
    color: 'button',
    file: 'button',
    hidden: '',
  }),
);

const listInputs = new Set(['text', 'search', 'tel', 'url', 'email', '']);
/** https://html.spec.whatwg.org/multipage/dom.html#sectioning-content, each with the equivalent role. */
const sectioning = new Map([
  ['article', 'article'],
  ['aside', 'complementary'],
  ['nav', 'navigation'],
  ['section', 'region'],
]);
/**
 * https://www.w3.org/TR/html-aam-1.0/#el-header: elements other than the page to which headers and footers may belong.
 */
const scoping = new Map([...sectioning, ['main', 'main']]);
const knownTypes = new Set(
  `button checkbox color date datetime-local email file hidden image month number password radio range reset
  search submit tel text time url week`.split(/\s+/),
);

/** Return the `type` of an input as the browser understands it. @param {Element} input */
export function inputType(input) {
  const type = (attr(input, 'type') ?? '').toLowerCase();
  return knownTypes.has(type) ? type : 'text';
}

/**
 * Return the role of an element without a `role` attribute; '' if it has no meaningful one.
 * @param {Element} element
 * @param {(element: Element) => string} roleOf role of other elements
 */
export function implicitRole(element, roleOf) {
  const name = htmlName(element);
  if (!name) return foreignRole(element);
  switch (name) {
    // Browsers treat an anchor with an `onclick` as a link, too: https://github.com/w3c/aria/pull/2863.
    case 'a':
    case 'area':
      return has(element, 'href') || has(element, 'onclick') ? 'link' : '';
    case 'img':
      return imageRole(element);
    case 'input':
      return inputRole(element);
    case 'select':
      return isListBox(element) ? 'listbox' : 'combobox';
    case 'header':
      return isIn(element, scoping) ? 'sectionheader' : 'banner';
    case 'footer':
      return isIn(element, scoping) ? 'sectionfooter' : 'contentinfo';
    case 'aside':
      return isIn(element, sectioning) && !hasAuthorName(element) ? '' : 'complementary';
    case 'section':
      return hasAuthorName(element) ? 'region' : '';
    case 'li':
      return isItem(element, roleOf) ? 'listitem' : '';
    case 'td':
      return cellRole(element, roleOf);
    case 'th':
      return headerRole(element, roleOf);
    case 'summary':
      return isDetailsSummary(element) ? 'button' : '';
    case 'object':
      return objectWindow(element) ? 'iframe' : '';
    case 'canvas':
      return 'canvas';
    case 'body':
      return '';
    default:
      return fixed.get(name) ?? (name.includes('-') ? customRole(element) : '');
  }
}

/** Return the role that a custom element gives itself. @param {Element} element */
function customRole(element) {
  for (const token of internalsOf(element)?.get('role')?.toLowerCase().split(/\s+/) ?? []) {
    if (meaningless.has(token)) break;
    if (authorRoles.has(token)) return synonyms.get(token) ?? token;
  }
  return '';
}

const meaningless = new Set(['generic', 'none', 'presentation']);

/** https://w3c.github.io/aria/#image, https://w3c.github.io/aria/#directory */
export const synonyms = new Map([
  ['image', 'img'],
  ['directory', 'list'],
]);

/** @param {Element} element */
function foreignRole(element) {
  const namespace = namespaceURI(element);
  const name = localName(element);
  if (namespace === MATHML) return name === 'math' ? 'math' : '';
  if (namespace !== SVG) return '';
  switch (name) {
    case 'a':
      return has(element, 'href') || has(element, 'xlink:href') ? 'link' : '';
    // https://www.w3.org/TR/svg-aam-1.0/#include_elements: elements with neither name nor description are excluded.
    case 'svg':
      return isDescribed(element) ? 'img' : '';
    case 'g':
      return isDescribed(element) ? 'group' : '';
    case 'image':
      return 'img';
    default:
      return shapes.has(name) && isDescribed(element) ? 'img' : '';
  }
}

const describing = new Set(['title', 'desc']);
/** SVG's basic shapes, https://svgwg.org/svg2-draft/shapes.html. */
export const shapes = new Set('circle ellipse line path polygon polyline rect'.split(' '));

/** @param {Element} svg */
function isDescribed(svg) {
  if (hasLabel(svg) || has(svg, 'aria-describedby') || has(svg, 'aria-description') || has(svg, 'tabindex'))
    return true;
  for (let node = firstChild(svg); node; node = nextSibling(node)) {
    if (nodeType(node) === 1 && describing.has(localName(/** @type {Element} */ (node)))) return true;
  }
  return false;
}

/** @param {Element} image */
function imageRole(image) {
  const alt = attr(image, 'alt');
  // https://w3c.github.io/html-aam/#el-img-empty-alt: without a name from another source it is decorative.
  return alt === '' && !hasAuthorName(image) && !isFocusable(image) && !hasGlobal(image) ? '' : 'img';
}

/** https://www.w3.org/TR/wai-aria-1.2/#conflict_resolution_presentation_none @param {Element} image */
const hasGlobal = (image) =>
  attributeNames(image).some((name) => globalAttributes.has(name) && !naming.has(name) && attr(image, name) !== '');

const naming = new Set(['aria-label', 'aria-labelledby']);

/** @param {Element} input */
function inputRole(input) {
  const type = inputType(input);
  const fixedRole = inputRoles.get(type);
  // https://w3c.github.io/html-aam/#el-input-checkbox-switch
  if (type === 'checkbox' && has(input, 'switch')) return 'switch';
  if (fixedRole !== undefined) return fixedRole;
  // Browsers want the list to be there already; a page may add it when it has suggestions.
  if (listInputs.has(type) && attr(input, 'list')) return 'combobox';
  return type === 'search' ? 'searchbox' : 'textbox';
}

/** Whether a `select` always shows its options. @param {Element} select */
export const isListBox = (select) => has(select, 'multiple') || (integer(select, 'size') ?? 0) > 1;

/**
 * Whether an ancestor is one of the elements, or has the role of one.
 * @param {Element} element
 * @param {Map<string, string>} these
 */
function isIn(element, these) {
  for (let node = flatParent(element); node; node = flatParent(node)) {
    const role = attr(node, 'role');
    if (role ? [...these.values()].includes(role) : these.has(htmlName(node))) return true;
  }
  return false;
}

/** Whether an ARIA attribute gives a name that is not empty. @param {Element} element */
const hasLabel = (element) =>
  trimmed(element, 'aria-label') !== '' || referenced(element, 'aria-labelledby').some(says);

/** Whether a label has any text, from its contents or its attributes. @param {Element} label */
const says = (label) =>
  /\S/.test(textContent(label) ?? '') ||
  speaking.some((name) => trimmed(label, name) !== '') ||
  selectAll(label, '[alt],[aria-label],[title],input,select').length > 0;

const speaking = ['aria-label', 'alt', 'title', 'value'];

/**
 * Whether the author named the element; for roles that require a name and never take it from content.
 * @param {Element} element
 */
export const hasAuthorName = (element) => hasLabel(element) || trimmed(element, 'title') !== '';

/**
 * Whether the nearest ancestor that is not generic is a list. https://www.w3.org/TR/html-aam-1.0/#el-li
 * @param {Element} element
 * @param {(element: Element) => string} roleOf
 */
function isItem(element, roleOf) {
  for (let node = flatParent(element); node; node = flatParent(node)) {
    const role = roleOf(node);
    if (role) return role === 'list';
  }
  return false;
}

const tables = new Set(['table', 'grid', 'treegrid']);

/**
 * Return the role of the table that contains an element, '' if there is none.
 * @param {Element | null} element
 * @param {(element: Element) => string} roleOf
 * @returns {string}
 */
function tableRole(element, roleOf) {
  for (let node = element; node; node = flatParent(node)) {
    const role = roleOf(node);
    if (tables.has(role)) return role;
    if (htmlName(node) === 'table') return '';
  }
  return '';
}

/** https://www.w3.org/TR/html-aam-1.0/#el-td @param {Element} cell @param {(element: Element) => string} roleOf */
function cellRole(cell, roleOf) {
  const table = tableRole(flatParent(cell), roleOf);
  return table === 'table' ? 'cell' : table ? 'gridcell' : '';
}

/**
 * https://html.spec.whatwg.org/multipage/tables.html#column-header
 * @param {Element} header
 * @param {(element: Element) => string} roleOf
 */
function headerRole(header, roleOf) {
  const role = cellRole(header, roleOf);
  if (!role) return '';
  const scope = (attr(header, 'scope') ?? '').toLowerCase();
  if (scope === 'row' || scope === 'rowgroup') return 'rowheader';
  if (scope === 'col' || scope === 'colgroup') return 'columnheader';
  const row = flatParent(header);
  if (!row || htmlName(row) !== 'tr') return 'columnheader';
  const hasData = selectAll(row, ':scope > td').length > 0;
  return hasData ? 'rowheader' : 'columnheader';
}

/** Whether the browser shows its default summary. @param {Element} details */
export const lacksSummary = (details) => selectAll(details, ':scope > summary').length === 0;

/** @param {Element} summary */
function isDetailsSummary(summary) {
  const details = flatParent(summary);
  return details !== null && htmlName(details) === 'details' && selectAll(details, ':scope > summary')[0] === summary;
}
