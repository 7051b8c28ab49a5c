// The key events of text that is put in at once, for pages that count on them. They are not trusted: no browser acts on them.

/** Maximum number of characters with key events of their own. Of longer text the last one has them. */
const MOST = 200;

/** @param {string} type @param {string} key one character */
function keyEvent(type, key) {
  const upper = key.toUpperCase();
  const isLetter = /^[A-Z]$/.test(upper);
  const isDigit = /^\d$/.test(key);
  const code = isLetter ? `Key${upper}` : isDigit ? `Digit${key}` : key === ' ' ? 'Space' : '';
  const keyCode = type === 'keypress' ? key.charCodeAt(0) : code ? upper.charCodeAt(0) : 0;
  // What old pages read: https://w3c.github.io/uievents/#legacy-interface-KeyboardEvent
  const legacy = {keyCode, charCode: type === 'keypress' ? keyCode : 0, which: keyCode};
  return new KeyboardEvent(type, {key, code, ...legacy, bubbles: true, cancelable: true, composed: true, view: window});
}

/** Characters that are typed by a key of their own. Enter and Tab do more than that. @param {string} text */
function keysOf(text) {
  const characters = [...text];
  return (characters.length > MOST ? characters.slice(-1) : characters).filter((each) => each >= ' ');
}

/**
 * Fires `keydown` and `keypress` for each character. Returns whether the page lets all of them through.
 * @param {HTMLElement} target @param {string} text
 */
export const pressKeys = (target, text) =>
  keysOf(text).every((key) => target.dispatchEvent(keyEvent('keydown', key)) && target.dispatchEvent(keyEvent('keypress', key)));

/** Fires `keyup` for each character. @param {HTMLElement} target @param {string} text */
export function releaseKeys(target, text) {
  for (const key of keysOf(text)) target.dispatchEvent(keyEvent('keyup', key));
}
