// Wait until a page has settled after an action.

import {knownRoots, shadowRootOf} from '../dom/dom.js';
import {leavingFor, takeLeaving} from '../realm/leaving.js';
import {matchesSelector, selectAll, textContent} from '../realm/native.js';
import {ask} from '../realm/secret.js';
import {isStill} from '../realm/still.js';

/**
 * Call back with the next frame, or after 50 ms: in a background tab no frame may come, and timers are slow.
 * @param {() => void} callback
 */
export const nextFrame = (callback) => {
  let done = false;
  const once = () => {
    if (!done) {
      done = true;
      callback();
    }
  };
  requestAnimationFrame(once);
  setTimeout(once, 50);
};

const empty = 'span, div, i, b';

/**
 * Whether an animation is mere decoration, like the ripple in a button: its boxes ignore the pointer and contain
 * neither text nor picture.
 * @param {Animation} animation
 */
function isDecoration(animation) {
  const target = /** @type {KeyframeEffect | null} */ (animation.effect)?.target;
  if (!target || !matchesSelector(target, empty) || getComputedStyle(target).pointerEvents !== 'none') return false;
  return (
    textContent(target)?.trim() === '' && !shadowRootOf(target) && selectAll(target, `:not(${empty})`).length === 0
  );
}

/**
 * Whether finite animations run that end soon: the elements that they move have not arrived yet.
 * @param {number} soon milliseconds
 */
const animating = (soon) =>
  document.getAnimations().some((animation) => {
    if (animation.playState !== 'running') return false;
    const {endTime, localTime} = animation.effect?.getComputedTiming() ?? {};
    return Number.isFinite(endTime) && Number(endTime) - Number(localTime ?? 0) < soon && !isDecoration(animation);
  });

/** Whether timers are pending that the page's scripts set because of the last input: see ../../listen.js. */
const isWorking = () => ask('work').isCancelled;

/** URLs of requests that scripts made because of the last input: see ../../listen.js. */
const askedFor = () => listed(ask('requests', 'asked').data, ' ');

/** @param {string} text @param {string} separator */
const listed = (text, separator) => text.split(separator).filter((part) => part !== '');

/**
 * Return whether a worker or server may still reply to a message that scripts sent because of the last input, the names
 * of receivers that have not replied, and of those that missed the deadline before as well: see ../../listen.js.
 */
function messages() {
  const {isCancelled, data} = ask('answers', 'unanswered');
  const [waited = '', silent = ''] = data.split('\0');
  return {isAwaited: isCancelled, unanswered: listed(waited, '\n'), silent: listed(silent, '\n')};
}

/** Whether a service worker controls the page. */
const hasServiceWorker = () => {
  try {
    return Boolean(navigator.serviceWorker?.controller);
  } catch {
    return false; // a sandboxed frame may not read it
  }
};

/**
 * Resolve once nothing in the document has changed for `quiet` milliseconds and nothing is moving, or when a navigation
 * leaves the document. `plain` means that only scripts can still have effects, as after a load and after a key: a page
 * without scripts is settled. `late` is set where the browser reports requests late: minimum time without a change where
 * a service worker handles them. `frame` is set where frames come late: maximum time to wait for one, before which the
 * page does not hear that it has scrolled.
 * @param {{quiet: number, ceiling: number, plain?: boolean, late?: number, frame?: number}} options milliseconds
 * @returns {Promise<{leaving: string | null, cut: string | null, since: number, asked: string[], served: boolean,
 *   unanswered: string[], silent: string[]}>} `cut` is the `Cause` (see browser/loading/unfinished.py) of activity at
 *   the ceiling; `since` the time from which it was quiet, in milliseconds after the call, or -Infinity (in JSON null)
 *   if no change is possible; `asked` the URLs of requests that the browser may not have reported yet; `served` whether
 *   a service worker controls the page; `unanswered` the receivers that have not replied to a message, `silent` those
 *   that did not reply to the one before in time either
 */
export function settle({quiet: asked, ceiling, plain, late, frame}) {
  const quiet = asked && late && hasServiceWorker() ? Math.max(asked, late) : asked;
  return new Promise((resolve) => {
    const start = performance.now();
    let last = plain && isStill() ? -Infinity : start;
    const observer = new MutationObserver(() => {
      last = performance.now();
    });
    const kinds = {subtree: true, childList: true, attributes: true, characterData: true};
    observer.observe(document, kinds);
    for (const root of knownRoots()) observer.observe(root, kinds);
    /** @param {string | null} cut */
    const finish = (cut, {unanswered, silent} = messages()) => {
      observer.disconnect();
      // Report it only once: a navigation that becomes a download leaves no document, and no event reports it.
      resolve({
        leaving: takeLeaving(),
        cut,
        since: last - start,
        asked: late ? askedFor() : [],
        served: hasServiceWorker(),
        unanswered,
        silent,
      });
    };
    // WebKitGTK paints all frames of a page together, but holds back the callbacks of those out of view.
    let painted = !frame || window !== top || last === -Infinity || document.visibilityState === 'hidden';
    if (!painted) {
      const paint = () => {
        painted = true;
      };
      requestAnimationFrame(paint);
      setTimeout(paint, frame);
    }
    let due = start;
    const look = () => {
      const now = performance.now();
      // If our own timer is late, the machine is busy, and the page's timers may be late as well.
      if (now - due > quiet / 2) last = Math.max(last, now - quiet / 2);
      if (leavingFor() !== null) {
        finish(null);
        return;
      }
      const moving = animating(ceiling - (now - start));
      const still = now - last >= quiet && !moving && painted;
      const working = still && isWorking();
      const sent = still && !working ? messages() : null;
      if (sent && !sent.isAwaited) {
        finish(null, sent);
        return;
      }
      if (now - start >= ceiling) {
        finish(working ? 'work' : sent ? null : moving ? 'animation' : 'changes');
        return;
      }
      if (working || sent) {
        last = now - quiet / 2; // the effect of the timer or the reply may show a little later
        due = Infinity;
        nextFrame(look);
        return;
      }
      const pause = Math.max(1, quiet - (now - last));
      due = moving || !painted ? Infinity : now + pause;
      if (moving || !painted) nextFrame(look);
      else setTimeout(look, pause);
    };
    look();
  });
}

/** Maximum wait behind the page's tasks, and the wait in browsers without task priorities, in milliseconds. */
const [BUSY, WITHOUT_PRIORITIES] = [50, 4];

/**
 * Whether a navigation is about to leave this document; forms and links start theirs in a task that a script has
 * queued.
 */
export async function isLeaving() {
  await new Promise((/** @type {(value: unknown) => void} */ resolve) => {
    // A task of the lowest priority runs after all that are queued:
    // https://wicg.github.io/scheduling-apis/#sec-task-priorities
    const {scheduler} = /** @type {any} */ (globalThis);
    scheduler?.postTask(resolve, {priority: 'background'});
    setTimeout(resolve, scheduler ? BUSY : WITHOUT_PRIORITIES);
  });
  return leavingFor() !== null;
}
