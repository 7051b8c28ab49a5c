// What the page is leaving for, as the Navigation API announces it in the middle of the click that causes it.

/** @type {string | null} */
let leaving = null;

/* https://html.spec.whatwg.org/multipage/nav-history-apis.html#navigateevent: fired before the document goes, in all frames. */
const navigation = /** @type {any} */ (globalThis).navigation;
navigation?.addEventListener('navigate', (/** @type {any} */ event) => {
  const stays = event.destination.sameDocument || event.hashChange || event.downloadRequest !== null;
  leaving = stays ? null : event.destination.url;
});
navigation?.addEventListener('navigateerror', () => { leaving = null; });

/** The navigation seen so far that would leave this document. */
export const leavingFor = () => leaving;

/** The same; asking forgets it. */
export function takeLeaving() {
  const was = leaving;
  leaving = null;
  return was;
}
