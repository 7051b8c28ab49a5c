// Key events for text that is entered at once, for pages that rely on them. They are untrusted: no browser acts on
// them.

/** Maximum number of characters that each get key events. For longer text only the last character gets them. */
const MOST = 200;

/** @param {string} type @param {string} key one character */
function keyEvent(type, key) {
  const upper = key.toUpperCase();
  const isLetter = /^[A-Z]$/.test(upper);
  const isDigit = /^\d$/.test(key);
  const code = isLetter ? `Key${upper}` : isDigit ? `Digit${key}` : key === ' ' ? 'Space' : '';
  const keyCode = type === 'keypress' ? key.charCodeAt(0) : code ? upper.charCodeAt(0) : 0;
  // Properties that old pages read: https://w3c.github.io/uievents/#legacy-interface-KeyboardEvent
  const legacy = {keyCode, charCode: type === 'keypress' ? keyCode : 0, which: keyCode};
  return new KeyboardEvent(type, {key, code, ...legacy, bubbles: true, cancelable: true, composed: true, view: window});
}

/**
 * Return the characters to fire key events for. Enter and Tab are left out: they do more than enter a character.
 * @param {string} text
 */
function keysOf(text) {
  const characters = [...text];
  return (characters.length > MOST ? characters.slice(-1) : characters).filter((each) => each >= ' ');
}

/**
 * Fire `keydown` and `keypress` for each character. Return whether the page cancelled none of them.
 * @param {HTMLElement} target @param {string} text
 */
export const pressKeys = (target, text) =>
  keysOf(text).every(
    (key) => target.dispatchEvent(keyEvent('keydown', key)) && target.dispatchEvent(keyEvent('keypress', key)),
  );

/** Fire `keyup` for each character. @param {HTMLElement} target @param {string} text */
export function releaseKeys(target, text) {
  for (const key of keysOf(text)) target.dispatchEvent(keyEvent('keyup', key));
}
