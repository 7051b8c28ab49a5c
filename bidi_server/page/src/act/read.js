// Read properties of elements for tools that extract data.

import {attr, attributeNames, tokens} from '../dom/attributes.js';
import {flatParent, knownRoots, textOf} from '../dom/dom.js';
import {collapse} from '../spec/name.js';
import {clientRect, localName, matchesSelector, tagName} from '../realm/native.js';
import {inPass} from '../realm/pass.js';
import {elementAt} from './ready.js';
import {everywhere, exposed, innermostIn, shownText} from './select.js';
import {selectorOf} from './selector-of.js';
import {readTable} from './table.js';
import {isVisible} from '../dom/visible.js';

const longest = 200;

/** @param {Element} element */
const attributesOf = (element) =>
  Object.fromEntries(attributeNames(element).map((name) => [name, attr(element, name) ?? '']));

/** @param {Element} element */
const doctypeBefore = (element) => {
  const {doctype} = document;
  return element === document.documentElement && doctype ? `${new XMLSerializer().serializeToString(doctype)}\n` : '';
};

/** Functions that read one element. */
export const reads = {
  /** @param {Element} element @param {{outer: boolean}} options */
  html: (element, {outer}) => ({html: `${doctypeBefore(element)}${outer ? element.outerHTML : element.innerHTML}`}),
  /** @param {Element} element */
  text: (element) => ({text: textOf(element)}),
  table: readTable,
  /** @param {Element} element */
  info: (element) => {
    const {x, y, width, height} = clientRect(element);
    return {
      text: textOf(element),
      attributes: attributesOf(element),
      boundingBox: {x: x + scrollX, y: y + scrollY, width, height},
      isVisible: isVisible(element),
      tagName: tagName(element),
      selector: selectorOf(element),
    };
  },
  /** Whether a link or button, such as one to the next page, is enabled. @param {Element} element */
  leads: (element) => ({leads: !isOff(element)}),
};

/** @param {Element} element */
function isOff(element) {
  for (
    let node = /** @type {Element | null} */ (element), level = 0;
    node && level < 2;
    node = flatParent(node), level++
  ) {
    if (matchesSelector(node, ':disabled') || attr(node, 'aria-disabled') === 'true') return true;
    if (tokens(node, 'class').some((name) => /(^|[-_])disabled$/i.test(name))) return true;
  }
  return !isVisible(element) || getComputedStyle(element).pointerEvents === 'none';
}

/** Return the element that a click at a point would hit, as a JSON string. @param {{x: number, y: number}} point */
export function selectorAt(point) {
  const element = elementAt(point);
  const viewport = [innerWidth, innerHeight];
  if (!element) return JSON.stringify({viewport});
  const info = {tagName: tagName(element), text: collapse(textOf(element)).slice(0, longest)};
  return JSON.stringify({selector: selectorOf(element), info, viewport});
}

/**
 * Return the number of elements that match the whole query, and descriptions of the first `limit`, as a JSON string.
 * @param {{text?: string, role?: string, attributes?: Record<string, string>}} query @param {number} limit
 */
export function findElements({text, role, attributes}, limit) {
  const wanted = collapse(text ?? '').toLowerCase();
  const named = Object.entries(attributes ?? {});
  const shows = (/** @type {Element | ShadowRoot} */ part) => shownText(part).toLowerCase().includes(wanted);
  /** @param {Element} element */
  const has = (element) =>
    named.every(([name, value]) =>
      name === 'class'
        ? value
            .split(/\s+/)
            .filter(Boolean)
            .every((each) => tokens(element, 'class').includes(each))
        : attr(element, name) === value,
    );
  /** @type {Element[]} */
  let found;
  if (role) {
    const asked = role.toLowerCase();
    const fits = (/** @type {import('../tree/rows.js').Item} */ item) =>
      item.role === asked &&
      (!wanted || item.name.toLowerCase().includes(wanted) || shows(/** @type {Element} */ (item.element)));
    found = inPass(() => exposed(fits));
  } else if (named.length) {
    found = everywhere('*').filter((element) => has(element) && (!wanted || shows(element)));
  } else {
    found = wanted ? innermostIn([document, ...knownRoots()], shows) : [];
  }
  found = found.filter(has);
  const elements = found.slice(0, limit).map((element) => ({
    selector: selectorOf(element),
    text: collapse(textOf(element)).slice(0, longest),
    attributes: attributesOf(element),
    tagName: localName(element).toUpperCase(),
  }));
  return JSON.stringify({elements, total: found.length});
}
