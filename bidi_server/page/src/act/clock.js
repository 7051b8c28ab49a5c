// Change the emulated clock of the page: see ../../../clock.js.

import {ask} from '../realm/secret.js';

/**
 * State of an emulated clock: `time` is the emulated time when the real time is `at`, and `fixed` a time that `Date`
 * shows in its place. All are in milliseconds since 1970.
 * @typedef {{at: number, time: number, runs: boolean, fixed: number | null}} ClockState
 */
/** Wait for a turn of the event loop. No event of ours must be in the page's `window.event` then. */
const turn = () =>
  new Promise((/** @type {(value: unknown) => void} */ resolve) => {
    const {scheduler} = /** @type {any} */ (globalThis);
    if (scheduler) scheduler.postTask(resolve);
    else setTimeout(resolve); // in Firefox 140, which waits for 4 ms each time
  });

/**
 * Change the clock, and fire the timers that are due. After `limit` milliseconds, each of those that are left fires only
 * once, as if `skips` were set. `isMissing` means that the document has no clock of this secret.
 * @param {string} secret
 * @param {{state: ClockState, by: number, skips: boolean}} change
 * @param {number} limit
 */
export async function turnClock(secret, change, limit) {
  /** @param {string} type */
  const tell = (type, data = '') =>
    !window.dispatchEvent(new MessageEvent(`${secret} ${type}`, {data, cancelable: true}));
  ask('act');
  if (!tell('clock', JSON.stringify(change))) return {fired: 0, isCut: false, isMissing: true};
  const end = performance.now() + limit;
  let fired = 0;
  let isCut = false;
  while (tell('tick')) {
    fired++;
    await turn();
    if (!isCut && performance.now() > end) {
      isCut = true;
      tell('skip');
    }
  }
  return {fired, isCut, isMissing: false};
}

/** Return the real time, and that of a text, in milliseconds since 1970. @param {string} text */
export const readTime = (text) => ({now: Date.now(), time: Date.parse(text)});
