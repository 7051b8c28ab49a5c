// Wait for text or elements in the page, without polling over the connection.

import {knownRoots, visitRoots} from '../dom/dom.js';
import {locate} from './locate.js';
import {select} from './select.js';
import {isVisible, visibleText} from '../dom/visible.js';
import {inPass} from '../realm/pass.js';
import {isDisabled} from '../spec/focus.js';
import {describe} from '../tree/describe.js';

const plain = (/** @type {string} */ text) => text.replace(/\s+/g, ' ');

/** Whether the page shows the text now. @param {string} text */
function shows(text) {
  const wanted = plain(text).trim();
  visitRoots();
  const roots = knownRoots();
  const body = document.body ?? document.documentElement;
  const parts = [...(body ? [body] : []), ...roots];
  if (parts.some((part) => plain(visibleText(part)).includes(wanted))) return true;
  if (
    [document, ...roots].some((root) =>
      [...root.querySelectorAll('input, textarea')].some((field) => hasValue(field, wanted)),
    )
  )
    return true;
  return document.title.includes(wanted);
}

/** Whether a visible field has the text in its value. @param {Element} field @param {string} wanted */
function hasValue(field, wanted) {
  const {type, value} = /** @type {HTMLInputElement} */ (field);
  return type !== 'password' && plain(value).includes(wanted) && isVisible(field);
}

/**
 * Whether an element matches the selector, and is visible if that is required.
 * @param {string} selector @param {boolean} visible
 */
const finds = (selector, visible) => select(selector).some((element) => !visible || isVisible(element));

/**
 * Resolve to true once the condition holds, or to false after `timeout` milliseconds.
 * @param {() => boolean} holds @param {number} timeout
 * @returns {Promise<boolean>}
 */
export function until(holds, timeout) {
  return new Promise((resolve, reject) => {
    const start = performance.now();
    /** @type {number | undefined} */
    let planned;
    const stop = () => {
      observer.disconnect();
      clearInterval(regular);
      clearTimeout(planned);
    };
    const look = () => {
      planned = undefined;
      try {
        const held = holds();
        if (held || performance.now() - start >= timeout) {
          stop();
          resolve(held);
        }
      } catch (error) {
        stop();
        reject(error);
      }
    };
    const observer = new MutationObserver(() => {
      planned ??= setTimeout(look, 20);
    });
    observer.observe(document, {subtree: true, childList: true, attributes: true, characterData: true});
    // Styles can show elements without any mutation.
    const regular = setInterval(look, 250);
    setTimeout(look, timeout);
    look();
  });
}

/**
 * Wait until the page shows one of the texts, or no longer any of them.
 * @param {{texts: string[], gone: boolean, timeout: number}} options
 */
export const untilText = ({texts, gone, timeout}) => until(() => texts.some(shows) !== gone, timeout);

/** Wait until an element matches a selector. @param {{selector: string, visible: boolean, timeout: number}} options */
export const untilSelector = ({selector, visible, timeout}) => until(() => finds(selector, visible), timeout);

/** @typedef {'visible' | 'hidden' | 'enabled' | 'disabled' | 'checked' | 'unchecked'} State */

/**
 * Whether the element that a target names is in a state; one that is not there is hidden.
 * @param {import('./locate.js').Target} target @param {State} state
 */
function isIn(target, state) {
  const element = locate(target);
  if (!element || state === 'hidden') return state === 'hidden' && !(element && isVisible(element));
  if (state === 'visible') return isVisible(element);
  if (state === 'enabled' || state === 'disabled') return inPass(() => isDisabled(element)) === (state === 'disabled');
  return (JSON.parse(describe(element)).props.checked === true) === (state === 'checked');
}

/** Wait until an element is in a state. @param {{target: import('./locate.js').Target, state: State, timeout: number}} options */
export const untilState = ({target, state, timeout}) => until(() => isIn(target, state), timeout);
