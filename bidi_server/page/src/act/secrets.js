// Secrets of the user: where they may be entered, and what shows them. Their values are in this realm only.

import {isElement, knownRoots, visitRoots} from '../dom/dom.js';
import {
  attributeNamesOf,
  baseURI,
  childElements,
  closestTo,
  getAttributeOf,
  getter,
  localName,
  selectAll,
  textContent,
} from '../realm/native.js';

/** @typedef {{origins: string[]}} Bound a secret that is bound to origins */

// A form shadows its own properties by the names of its controls.
const actionOf = getter(HTMLFormElement, 'action');
const controlsOf = getter(HTMLFormElement, 'elements');
const formOf = [HTMLInputElement, HTMLTextAreaElement, HTMLSelectElement, HTMLButtonElement].map((type) => ({
  type,
  read: /** @type {(element: Element) => HTMLFormElement | null} */ (
    /** @type {unknown} */ (getter(/** @type {{prototype: {form: HTMLFormElement | null}}} */ (type), 'form'))
  ),
}));

/** @param {Element} element @returns {HTMLFormElement | null} */
function formAround(element) {
  const own = formOf.find(({type}) => element instanceof type);
  return own ? own.read(element) : /** @type {HTMLFormElement | null} */ (closestTo(element, 'form'));
}

/** Return the URLs that a form may send its fields to. @param {HTMLFormElement} form */
function targetsOf(form) {
  const others = [...controlsOf(form)].map((control) => getAttributeOf(control, 'formaction'));
  return [actionOf(form), ...others.filter((url) => url !== null)];
}

/** @param {string} url */
function originOf(url) {
  try {
    const {origin, protocol} = new URL(url, baseURI(document));
    return protocol === 'javascript:' ? globalThis.origin : origin;
  } catch {
    return 'null';
  }
}

/**
 * Return where a secret must not be entered: the page, or a form in it; null if it may be.
 * @param {Element} element @param {Bound} bound
 */
export function foreignPlace(element, {origins}) {
  if (!origins.includes(globalThis.origin)) return 'page';
  const form = formAround(element);
  return form && targetsOf(form).some((url) => !origins.includes(originOf(url))) ? 'form' : null;
}

/** @param {string} text */
const plain = (text) => text.replace(/\s+/g, ' ').toLowerCase();

/** Attributes that say where something leads or comes from, and are not shown. */
const addresses = ['href', 'src', 'action', 'formaction', 'srcset', 'class', 'id', 'style'];

/** Elements whose text is not shown. */
const silent = new Set(['script', 'style', 'template', 'noscript', 'head', 'title', 'meta', 'link']);

/**
 * Return the elements that may show one of some texts: in their text, their value or an attribute.
 * @param {string[]} values @returns {Element[]}
 */
export function showing(values) {
  if (values.length === 0) return [];
  visitRoots();
  const wanted = values.map(plain);
  const shows = (/** @type {string | null} */ text) => {
    const whole = plain(text ?? '');
    return wanted.some((value) => whole.includes(value));
  };
  /** @type {Set<Element>} */
  const found = new Set();
  /** @param {Element} element */
  const visit = (element) => {
    if (silent.has(localName(element)) || !shows(textContent(element))) return;
    const before = found.size;
    for (const child of childElements(element)) visit(child);
    // A part of the text may stand beside the child that has the other.
    if (found.size === before) found.add(element);
  };
  for (const root of [document, ...knownRoots()]) {
    for (const child of root.children) if (isElement(child)) visit(child);
    if (root !== document && !found.size && shows(textContent(root))) found.add(/** @type {ShadowRoot} */ (root).host);
    for (const element of selectAll(root, '*')) {
      const value = element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement ? element.value : '';
      const names = attributeNamesOf(element).filter((name) => !addresses.includes(name));
      if (shows(value) || names.some((name) => shows(getAttributeOf(element, name)))) found.add(element);
    }
  }
  return [...found].map((element) => (localName(element) === 'option' && closestTo(element, 'select')) || element);
}
