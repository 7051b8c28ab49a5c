// Knowing when a page has come to rest after an action.

import {knownRoots, shadowRootOf} from './dom.js';
import {leavingFor, takeLeaving} from './leaving.js';
import {matchesSelector, selectAll, textContent} from './native.js';
import {askedBy} from './secret.js';
import {isStill} from './still.js';

/** Timers of a tab in the background are slow, but a frame callback may never come at all. @param {() => void} callback */
const nextFrame = (callback) => {
  let done = false;
  const once = () => { if (!done) { done = true; callback(); } };
  requestAnimationFrame(once);
  setTimeout(once, 50);
};

const empty = 'span, div, i, b';

/**
 * Whether an animation only goes with what happens, as the ripple in a button does: of boxes that the pointer goes through and that
 * show neither text nor picture. @param {Animation} animation
 */
function isDecoration(animation) {
  const target = /** @type {KeyframeEffect | null} */ (animation.effect)?.target;
  if (!target || !matchesSelector(target, empty) || getComputedStyle(target).pointerEvents !== 'none') return false;
  return textContent(target)?.trim() === '' && !shadowRootOf(target) && selectAll(target, `:not(${empty})`).length === 0;
}

/** Finite animations that are under way and end soon: what they move is still coming. @param {number} soon milliseconds */
const animating = (soon) => document.getAnimations().some((animation) => {
  if (animation.playState !== 'running') return false;
  const {endTime, localTime} = animation.effect?.getComputedTiming() ?? {};
  return Number.isFinite(endTime) && Number(endTime) - Number(localTime ?? 0) < soon && !isDecoration(animation);
});

/** Firefox tells of a request only when the service worker that it goes to first has been woken up. */
const tellsLate = CSS.supports('-moz-appearance', 'none');

/** How long nothing may change at least, in milliseconds, where requests are told late. */
const LATE = 250;

/** Whether timers are pending that the page's scripts set for the last input: see ../listen.js. */
const isWorking = () => ask('work', 'done').isCancelled;

/**
 * Asks the listener script a question that it answers with an event. Tells whether it cancelled the question, and the answer's data.
 * @param {string} question @param {string} answer
 */
function ask(question, answer) {
  const secret = askedBy();
  let data = '';
  if (secret === '') return {isCancelled: false, data};
  const hear = (/** @type {Event} */ event) => { data = String(/** @type {MessageEvent} */ (event).data); };
  document.addEventListener(`${secret} ${answer}`, hear);
  const isCancelled = !document.dispatchEvent(new Event(`${secret} ${question}`, {cancelable: true}));
  document.removeEventListener(`${secret} ${answer}`, hear);
  return {isCancelled, data};
}

/** URLs of the requests that the page's scripts have made for the last input, where the browser tells of them late: see ../listen.js. */
const askedFor = () => (tellsLate ? listed(ask('requests', 'asked').data, ' ') : []);

/** @param {string} text @param {string} separator */
const listed = (text, separator) => text.split(separator).filter((part) => part !== '');

/** Whether a worker or a server may still answer what the page's scripts have sent it for the last input: see ../listen.js. */
const isAwaiting = () => ask('answers', 'unanswered').isCancelled;

/** Names of those who have not answered, and of those who have not answered before either. */
function unanswered() {
  const [waited = '', silent = ''] = ask('answers', 'unanswered').data.split('\0');
  return {unanswered: listed(waited, '\n'), silent: listed(silent, '\n')};
}

/** Whether a service worker stands between the page and the network. */
const hasServiceWorker = () => {
  try {
    return Boolean(navigator.serviceWorker?.controller);
  } catch {
    return false; // a sandboxed frame may not even ask
  }
};

/**
 * Resolves once nothing in the document has changed for `quiet` milliseconds and nothing is moving, or when it is leaving.
 * Where scripts aside the browser is done, as after a load and after a key, `plain` says so: a page that has none is at rest.
 * @param {{quiet: number, ceiling: number, plain?: boolean}} options milliseconds
 * @returns {Promise<{leaving: string | null, cut: string | null, since: number, asked: string[], served: boolean,
 *   unanswered: string[], silent: string[]}>} `cut` is the `Cause` (see browser/loading/unfinished.py) that went on at
 *   the ceiling, `since` when it was quiet from, in milliseconds after the call, or -Infinity (in JSON null) where no change
 *   can come, `asked` the URLs of requests that the browser may not have told of yet, `served` whether through a service worker,
 *   `unanswered` who has not answered a message, `silent` who did not answer the one before in time either
 */
export function settle({quiet: asked, ceiling, plain}) {
  const quiet = asked && tellsLate && hasServiceWorker() ? Math.max(asked, LATE) : asked;
  return new Promise((resolve) => {
    const start = performance.now();
    let last = plain && isStill() ? -Infinity : start;
    const observer = new MutationObserver(() => { last = performance.now(); });
    const kinds = {subtree: true, childList: true, attributes: true, characterData: true};
    observer.observe(document, kinds);
    for (const root of knownRoots()) observer.observe(root, kinds);
    /** @param {string | null} cut */
    const finish = (cut) => {
      observer.disconnect();
      // Told once: what becomes a download leaves nothing, and no event says so.
      resolve({leaving: takeLeaving(), cut, since: last - start, asked: askedFor(), served: hasServiceWorker(), ...unanswered()});
    };
    let due = start;
    const look = () => {
      const now = performance.now();
      // Where our own timer comes late the machine is busy, and the page's timers may be late as well.
      if (now - due > quiet / 2) last = Math.max(last, now - quiet / 2);
      if (leavingFor() !== null) { finish(null); return; }
      const moving = animating(ceiling - (now - start));
      const still = now - last >= quiet && !moving;
      const working = still && isWorking();
      const awaiting = still && !working && isAwaiting();
      if (still && !working && !awaiting) { finish(null); return; }
      if (now - start >= ceiling) { finish(working ? 'work' : awaiting ? null : moving ? 'animation' : 'changes'); return; }
      if (working || awaiting) {
        last = now - quiet / 2; // what the timer or the answer does may show a little later
        due = Infinity;
        nextFrame(look);
        return;
      }
      const pause = Math.max(1, quiet - (now - last));
      due = moving ? Infinity : now + pause;
      if (moving) nextFrame(look);
      else setTimeout(look, pause);
    };
    look();
  });
}

/** For how long the page's tasks may hold up ours, in milliseconds; where tasks have no priorities, how long we wait. */
const [BUSY, WITHOUT_PRIORITIES] = [50, 4];

/** Whether a navigation would leave this document; forms and links begin theirs in a task that a script has queued. */
export async function isLeaving() {
  await new Promise((/** @type {(value: unknown) => void} */ resolve) => {
    // The lowest comes after all that has been queued: https://wicg.github.io/scheduling-apis/#sec-task-priorities
    const {scheduler} = /** @type {any} */ (globalThis);
    scheduler?.postTask(resolve, {priority: 'background'});
    setTimeout(resolve, scheduler ? BUSY : WITHOUT_PRIORITIES);
  });
  return leavingFor() !== null;
}
