// Functions that the server calls, as methods of the realm's `__bidi`. Those that act on elements (act/act.js) and those
// that few calls need (act/extra.js) wait until one is called.

import {adoptRoots} from './dom/closed.js';
import {documentTitle} from './realm/native.js';
import {sourceOf} from './realm/source.js';
import {missed} from './act/pressed.js';
import {settle as settled} from './act/settle.js';
import {describe} from './tree/describe.js';
import {elementOf, wasGiven} from './tree/refs.js';
import {walk} from './tree/answer.js';

export {describe} from './tree/describe.js';
export {walk} from './tree/answer.js';
export {isLeaving} from './act/settle.js';
export {takeLeaving} from './realm/leaving.js';
export {loadState} from './realm/load-state.js';
export {measure} from './realm/performance.js';
export {changeServiceWorkers, serviceWorkers} from './realm/service-workers.js';

/** Return the element of a ref while it is in the document, without a walk. @param {string} ref */
export const find = (ref) => elementOf(ref);

/** Whether a ref was assigned in this frame, even if its element is no longer in the document. @param {string} ref */
export const known = (ref) => wasGiven(ref);

/**
 * Accept the closed shadow roots that the protocol found: host, root, host, root …
 * @param {(Element | ShadowRoot)[]} pairs
 */
export const adopt = (...pairs) => adoptRoots(pairs);

/** Return the whole text of a page that is a file, as a JSON string. */
export const source = () => JSON.stringify({text: sourceOf()});

/**
 * Wait until the page has settled, and return how, as a JSON string.
 * @param {Parameters<typeof settled>[0]} rest
 */
export async function settle(rest) {
  const state = await settled(rest);
  const miss = missed();
  return JSON.stringify({
    ...state,
    missed: miss ? JSON.parse(describe(miss.hit)) : null,
    kept: miss?.kept,
    unclicked: miss?.unclicked,
  });
}

/**
 * Wait until the page has settled, and walk it.
 * @param {Parameters<typeof settle>[0]} rest
 * @param {Parameters<typeof walk>[0]} options
 */
export async function settleAndWalk(rest, options) {
  const state = await settle(rest);
  return [state, ...(await walk(options))];
}

export const stopLoading = () => stop();

export const title = () => documentTitle(document);
