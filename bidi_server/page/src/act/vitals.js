// Web vitals, from the entries that the browser has kept since the navigation began. It keeps 150 to 250 of each type,
// and events of 104 ms and more (https://w3c.github.io/timing-entrytypes-registry/#registry).

import {isConnected, nodeType, parentNode} from '../realm/native.js';
import {kept} from '../realm/performance.js';
import {describe} from '../tree/describe.js';

/** Maximum numbers of shifts, of their sources, of frames, of their scripts, and of requests in an answer. */
const MOST = 5;

/** Entries less than this after the previous one, and less than five times this after the first, are one window, in milliseconds. */
const WINDOW = 1000;

/** Events are rendered in the same frame if they end within this time, in milliseconds: durations are rounded to 8. */
const FRAME = 8;

/** Describe the element that an entry is about, or that contains its text. @param {any} node of an entry */
function described(node) {
  const element = node && nodeType(node) !== 1 ? parentNode(node) : node;
  return element && nodeType(element) === 1 && isConnected(element) ? JSON.parse(describe(element)) : null;
}

/** Whether the browser reports entries of a type; Firefox 140 does not tell which events are one interaction. @param {string} type */
const supports = (type) =>
  PerformanceObserver.supportedEntryTypes.includes(type) &&
  (type !== 'event' || 'interactionId' in PerformanceEventTiming.prototype);

/** Return the longest entries. @param {any[]} entries @param {string} key */
const longest = (entries, key) => [...entries].sort((a, b) => b[key] - a[key]).slice(0, MOST);

/** Return the largest contentful paint with its parts. @param {any} entry @param {number} firstByte */
function paint(entry, firstByte) {
  const end = entry.startTime;
  const request = /** @type {PerformanceResourceTiming | undefined} */ (
    entry.url ? performance.getEntriesByName(entry.url, 'resource')[0] : undefined
  );
  const begun = request ? Math.max(firstByte, request.requestStart || request.startTime) : firstByte;
  const loaded = request ? Math.max(begun, Math.min(request.responseEnd, end)) : begun;
  return {
    time: end,
    element: described(entry.element),
    url: entry.url,
    parts: [firstByte, begun - firstByte, loaded - begun, end - loaded],
  };
}

/** Return the window with the largest layout shift: https://web.dev/articles/cls. @param {any[]} entries */
function shifts(entries) {
  /** @type {{sum: number, entries: any[]}} */
  let worst = {sum: 0, entries: []};
  let now = worst;
  for (const entry of entries) {
    if (entry.hadRecentInput) continue;
    const [first, last] = [now.entries[0], now.entries.at(-1)];
    const isNew =
      !first || entry.startTime - last.startTime >= WINDOW || entry.startTime - first.startTime >= 5 * WINDOW;
    now = isNew ? {sum: entry.value, entries: [entry]} : {sum: now.sum + entry.value, entries: [...now.entries, entry]};
    if (now.sum > worst.sum) worst = now;
  }
  return {
    sum: worst.sum,
    largest: longest(worst.entries, 'value').map(({value, startTime, sources}) => ({
      value,
      time: startTime,
      sources: [...sources].slice(0, MOST).map(({node, previousRect: was, currentRect: is}) => ({
        element: described(node),
        before: [was.x, was.y, was.width, was.height].map(Math.round),
        after: [is.x, is.y, is.width, is.height].map(Math.round),
      })),
    })),
  };
}

/**
 * Return the interaction to next paint: the slowest interaction, except one of each 50 (https://web.dev/articles/inp).
 * Null if none took long enough to be kept.
 * @param {any[]} entries
 */
function interaction(entries) {
  /** @type {Map<number, any[]>} */
  const interactions = new Map();
  for (const entry of entries) {
    if (entry.interactionId)
      interactions.set(entry.interactionId, [...(interactions.get(entry.interactionId) ?? []), entry]);
  }
  const duration = (/** @type {any[]} */ events) => Math.max(...events.map((each) => each.duration));
  const sorted = [...interactions.values()].sort((a, b) => duration(b) - duration(a));
  const count = /** @type {any} */ (performance).interactionCount ?? sorted.length;
  const events = sorted[Math.min(sorted.length - 1, Math.floor(count / 50))];
  if (!events) return null;
  const ends = (/** @type {any} */ event) => event.startTime + event.duration;
  const end = Math.max(...events.map(ends));
  const together = events.filter((each) => end - ends(each) <= FRAME);
  const start = Math.min(...together.map((each) => each.startTime));
  const begun = Math.min(...together.map((each) => each.processingStart));
  const done = Math.min(end, Math.max(...together.map((each) => each.processingEnd)));
  const [main] = together.sort((a, b) => b.processingEnd - b.processingStart - (a.processingEnd - a.processingStart));
  return {
    time: start,
    duration: end - start,
    event: main.name,
    element: described(main.target ?? together.find(({target}) => target)?.target),
    parts: [begun - start, done - begun, end - done],
  };
}

/** @param {any} frame a long animation frame, or a long task, which names no scripts */
const busy = ({startTime, duration, blockingDuration, scripts}) => ({
  time: startTime,
  duration,
  blocking: blockingDuration ?? Math.max(0, duration - 50),
  scripts: longest(scripts ?? [], 'duration').map((/** @type {any} */ script) => ({
    invoker: script.invoker,
    url: script.sourceURL,
    duration: script.duration,
    layout: script.forcedStyleAndLayoutDuration,
  })),
});

/** Return the requests that delayed the first paint; null if the browser does not tell. */
function blocking() {
  if (!('renderBlockingStatus' in PerformanceResourceTiming.prototype)) return null;
  const requests = /** @type {any[]} */ (performance.getEntriesByType('resource'));
  return longest(
    requests.filter((each) => each.renderBlockingStatus === 'blocking'),
    'duration',
  ).map((each) => ({
    url: each.name,
    time: each.startTime,
    duration: each.duration,
    size: each.transferSize,
  }));
}

/**
 * Return the web vitals as a JSON string, with times in milliseconds since the navigation began. Null is what the
 * browser does not measure, and what has not happened.
 */
export async function vitals() {
  const frames = supports('long-animation-frame') ? 'long-animation-frame' : 'longtask';
  const [largest, moved, events, inputs, long] = await Promise.all(
    ['largest-contentful-paint', 'layout-shift', 'event', 'first-input', frames].map(kept),
  );
  const navigation = /** @type {any} */ (performance.getEntriesByType('navigation')[0]);
  const firstByte = navigation?.responseStart ?? 0;
  const last = largest.at(-1);
  return JSON.stringify({
    lacks: ['largest-contentful-paint', 'layout-shift', 'event', frames].filter((type) => !supports(type)),
    firstByte,
    firstPaint: performance.getEntriesByName('first-contentful-paint', 'paint')[0]?.startTime ?? null,
    largest: last ? paint(last, firstByte) : null,
    shifts: supports('layout-shift') ? shifts(moved) : null,
    interaction: interaction([...events, ...inputs]),
    busy: {count: long.length, tells: frames, longest: longest(long, 'duration').map(busy)},
    blocking: blocking(),
  });
}
