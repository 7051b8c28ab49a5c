// The page's performance.

/**
 * Return the buffered entries of a type that the browser reports only to observers.
 * @param {string} type @returns {Promise<PerformanceEntryList>}
 */
export function kept(type) {
  return new Promise((resolve) => {
    if (!PerformanceObserver.supportedEntryTypes.includes(type)) {
      resolve([]);
      return;
    }
    const observer = new PerformanceObserver((list) => {
      observer.disconnect();
      resolve(list.getEntries());
    });
    observer.observe({type, buffered: true});
    setTimeout(() => {
      observer.disconnect();
      resolve([]);
    }, 50);
  });
}

/** Return the layout shift of an entry, if no input of the user caused it. @param {any} entry a LayoutShift, which TypeScript does not know */
const unexpected = (entry) => (entry.hadRecentInput ? 0 : entry.value);

/**
 * Return milestones and long tasks in milliseconds since the navigation began, and the layout shift, as a JSON string;
 * values that the browser does not measure are missing or null.
 */
export async function measure() {
  const navigation = /** @type {PerformanceNavigationTiming | undefined} */ (
    performance.getEntriesByType('navigation')[0]
  );
  const paints = performance.getEntriesByType('paint');
  const [largest, tasks, shifts] = await Promise.all(
    ['largest-contentful-paint', 'longtask', 'layout-shift'].map(kept),
  );
  const milestones = {
    redirect: navigation && navigation.redirectEnd - navigation.redirectStart,
    'first byte': navigation?.responseStart,
    'response end': navigation?.responseEnd,
    'DOM ready': navigation?.domContentLoadedEventEnd,
    load: navigation?.loadEventEnd,
    'first paint': paints.find((each) => each.name === 'first-paint')?.startTime,
    'first contentful paint': paints.find((each) => each.name === 'first-contentful-paint')?.startTime,
    'largest contentful paint': largest.at(-1)?.startTime,
  };
  const supported = PerformanceObserver.supportedEntryTypes;
  return JSON.stringify({
    milestones,
    tasks: supported.includes('longtask') ? tasks.map((each) => [each.startTime, each.duration]) : null,
    shift: supported.includes('layout-shift') ? shifts.reduce((sum, each) => sum + unexpected(each), 0) : null,
  });
}
