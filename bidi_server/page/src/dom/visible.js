// Visibility of elements.

import {isElement, isShadowRoot, isText, textOf} from './dom.js';
import {boxesOf, firstChild, isVisible as isRendered, nextSibling, nodeValue} from '../realm/native.js';

/** Whether a person could see the element after scrolling it into view. @param {Element} element */
export function isVisible(element) {
  const options = {visibilityProperty: true, opacityProperty: true, contentVisibilityAuto: true};
  return boxesOf(element).some((box) => box.width > 0 && box.height > 0) && isRendered(element, options);
}

/**
 * Return the text that a person sees in an element or in a shadow tree, without the shadow trees inside of it.
 * @param {Element | ShadowRoot} part
 */
export function visibleText(part) {
  if (!isShadowRoot(part)) return textOf(part);
  let text = '';
  for (let node = firstChild(part); node; node = nextSibling(node)) {
    if (isText(node)) text += nodeValue(node);
    else if (isElement(node)) {
      const {display} = getComputedStyle(node);
      const isInline = display.startsWith('inline') || display === 'contents';
      if (display !== 'none') text += isInline ? textOf(node) : `\n${textOf(node)}\n`;
    }
  }
  return text;
}
