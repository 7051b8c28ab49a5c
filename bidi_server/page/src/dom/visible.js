// Visibility of elements.

import {boxesOf, isVisible as isRendered} from '../realm/native.js';

/** Whether a person could see the element after scrolling it into view. @param {Element} element */
export function isVisible(element) {
  const options = {visibilityProperty: true, opacityProperty: true, contentVisibilityAuto: true};
  return boxesOf(element).some((box) => box.width > 0 && box.height > 0) && isRendered(element, options);
}
