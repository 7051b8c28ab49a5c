// The URL for which the page is left; the Navigation API announces it during the click that causes the navigation.

/** @type {string | null} */
let leaving = null;

/* https://html.spec.whatwg.org/multipage/nav-history-apis.html#navigateevent: fired in all frames, before unloading. */
const navigation = /** @type {any} */ (globalThis).navigation;
navigation?.addEventListener('navigate', (/** @type {any} */ event) => {
  const stays = event.destination.sameDocument || event.hashChange || event.downloadRequest !== null;
  leaving = stays ? null : event.destination.url;
});
navigation?.addEventListener('navigateerror', () => {
  leaving = null;
});

/** Return the URL of the last navigation that would leave this document; null if there was none. */
export const leavingFor = () => leaving;

/** Return the same as `leavingFor`, and forget it. */
export function takeLeaving() {
  const was = leaving;
  leaving = null;
  return was;
}
