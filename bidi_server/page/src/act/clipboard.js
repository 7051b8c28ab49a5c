// The clipboard, by the keys that copy and paste, in a document of the server's own: see browser/contexts/clipboard.py.

/** @type {string | null} */
let pasted = null;

/**
 * Make the keys that copy put a text on the clipboard, and those that paste keep its text for `pastedText`.
 * @param {string} text
 */
export function watchClipboard(text) {
  addEventListener('copy', (event) => {
    event.clipboardData?.setData('text/plain', text);
    event.preventDefault();
  });
  addEventListener('paste', (event) => {
    pasted = event.clipboardData?.getData('text/plain') ?? null;
    event.preventDefault();
  });
  const field = document.createElement('textarea');
  field.value = 'selected'; // without a selection there is nothing to copy
  document.documentElement.append(field);
  field.select();
}

/** Return the text that was pasted; null if there was none. */
export const pastedText = () => ({text: pasted});
