// How long a page has been at rest since it loaded: whoever waits for that asks some milliseconds later.

/** How long the answer is kept up, in milliseconds. */
const KEPT = 200;

/** Everything that an observer can tell of. */
export const EVERYTHING = {subtree: true, childList: true, attributes: true, characterData: true};

/** @type {number | null} */
let last = null;

if (top === self) {
  addEventListener('load', () => {
    last = performance.now();
    const observer = new MutationObserver(() => { last = performance.now(); });
    observer.observe(document, EVERYTHING);
    setTimeout(() => {
      observer.disconnect();
      last = null;
    }, KEPT);
  }, {once: true});
}

/** When the document changed last, or loaded; null when that is long past, or to come. */
export const lastChangeSinceLoad = () => last;
