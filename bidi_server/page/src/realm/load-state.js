// Progress of a document that is loading.

import {bodyOf, documentElement, selectAll, textContent} from './native.js';

/** Whether the parser and the deferred and module scripts are done: `readyState` is "interactive" before those scripts. */
function isParsed() {
  const [entry] = /** @type {PerformanceNavigationTiming[]} */ (performance.getEntriesByType('navigation'));
  return entry ? entry.domContentLoadedEventEnd > 0 : true;
}

/** Return the document's size so far, whether it is parsed, and whether it has content, as a JSON string. */
export function loadState() {
  const root = documentElement(document);
  const text = root ? (textContent(root)?.length ?? 0) : 0;
  const size = `${selectAll(document, '*').length} ${text}`;
  const hasContent = selectAll(document, 'body *').length > 0 || Boolean(bodyOf(document)?.textContent?.trim());
  return JSON.stringify({size, parsed: isParsed(), content: hasContent});
}
