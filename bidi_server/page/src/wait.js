// Waiting for text, without asking again and again over the wire.

import {knownRoots} from './dom.js';

const plain = (/** @type {string} */ text) => text.replace(/\s+/g, ' ');

/** Whether the text can be read on the page now. @param {string} text */
function shows(text) {
  const wanted = plain(text).trim();
  const parts = [document.body ?? document.documentElement, ...knownRoots().flatMap((root) => [...root.children])];
  if (parts.some((part) => part instanceof HTMLElement && plain(part.innerText).includes(wanted))) return true;
  return document.title.includes(wanted);
}

/**
 * Resolves to true once the text is there (or gone), to false after `timeout` milliseconds.
 * @param {{text: string, gone: boolean, timeout: number}} options
 * @returns {Promise<boolean>}
 */
export function untilText({text, gone, timeout}) {
  return new Promise((resolve) => {
    const start = performance.now();
    /** @type {number | undefined} */
    let planned;
    const finish = (/** @type {boolean} */ result) => { observer.disconnect(); clearInterval(regular); clearTimeout(planned); resolve(result); };
    const look = () => {
      planned = undefined;
      if (shows(text) !== gone) finish(true);
      else if (performance.now() - start >= timeout) finish(false);
    };
    const observer = new MutationObserver(() => { planned ??= setTimeout(look, 20); });
    observer.observe(document, {subtree: true, childList: true, attributes: true, characterData: true});
    // Styles can show text without any mutation.
    const regular = setInterval(look, 250);
    setTimeout(look, timeout);
    look();
  });
}
