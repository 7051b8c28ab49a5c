// Enter text into editors: fields whose scripts handle typing, draw the text themselves and complete brackets, quotes,
// indentation or markup.
//
// An editor is recognised by its behaviour: it takes a paste. Measured with the npm packages of November 2026 in
// Chromium 156 and Firefox ESR 153, with code, brackets, quotes, Markdown and blank lines (CodeMirror 5 and 6, Monaco,
// Ace, ProseMirror, TipTap, Draft.js, Lexical, Slate, Quill, CKEditor 5, TinyMCE):
//   keys          changed in CodeMirror 5 and 6, Monaco, Ace (brackets, indentation), ProseMirror (quotes), TipTap,
//                 CKEditor, TinyMCE (Markdown); scrambled in Draft.js in Firefox
//   insertText    (execCommand) ignored by Slate, CKEditor and Monaco's EditContext, in Firefox by Draft.js; completed
//                 by Monaco's textarea; line breaks lost in Lexical, Draft.js and, in Firefox, in ProseMirror
//   beforeinput   (synthetic, insertFromPaste) taken by Slate only
//   paste         (synthetic) taken by all, literally, as one undo step. Rich text editors turn lines into paragraphs
//                 and drop blank ones; TipTap applies its paste rules (`**bold**`).
// All except TinyMCE cancel the event. TinyMCE moves the selection to an element that is to catch the paste.

import {focusedElement} from '../dom/dom.js';
import {inPass} from '../realm/pass.js';

/** Timeout for an editor to show a paste, in milliseconds: Monaco handles it in a later task, React renders in one. */
const REACTION = 300;

/** Time without further changes after which an editor has shown a paste, in milliseconds. */
const QUIET = 20;

/** Timeout for `selectionchange` after a change of the selection, in milliseconds. */
const NOTICE = 50;

/** @param {'copy' | 'paste'} type */
const clipboardEvent = (type) =>
  new ClipboardEvent(type, {clipboardData: new DataTransfer(), bubbles: true, cancelable: true, composed: true});

/**
 * Place the selection in an editor and wait until the editor has noticed it.
 * @param {() => void} place @param {() => HTMLElement | null} field
 */
export async function untilSelected(place, field) {
  const before = getSelection();
  const was = before && [before.anchorNode, before.anchorOffset, before.focusNode, before.focusOffset];
  place();
  const now = getSelection();
  const is = now && [now.anchorNode, now.anchorOffset, now.focusNode, now.focusOffset];
  if (is?.every((each, index) => each === was?.[index])) return;
  await new Promise((/** @type {(value?: unknown) => void} */ resolve) => {
    document.addEventListener('selectionchange', () => setTimeout(resolve), {once: true});
    setTimeout(resolve, NOTICE);
  });
  // Slate 0.146 reads the selection at most every 100 ms, or before an input. This input changes nothing.
  field()?.dispatchEvent(new InputEvent('beforeinput', {data: '', bubbles: true, cancelable: true, composed: true}));
}

/**
 * Offer a text to the element as a paste. Resolve with false if no script took it, or else with true once the text is
 * shown.
 * @param {HTMLElement} element @param {string} text
 * @param {{draws: boolean, isShown: () => boolean}} editor `draws`: the text is not in the element itself; `isShown`:
 *   whether the editor contains the text
 */
export async function paste(element, text, {draws, isShown}) {
  const event = clipboardEvent('paste');
  // Firefox 153 ignores the constructor's `clipboardData`, but its own is writable.
  event.clipboardData?.setData('text/plain', text);
  // Without this type Monaco 0.57 asks `navigator.clipboard.read()` for it, which waits for the user's permission; the list is a comment
  // (RFC 2483), so it contains no URL. Slate, which does not draw its text, takes plain text only if there is no other
  // type.
  if (draws) event.clipboardData?.setData('text/uri-list', '#');
  let last = -Infinity;
  const observer = new MutationObserver(() => {
    last = performance.now();
  });
  observer.observe(document, {subtree: true, childList: true, attributes: true, characterData: true});
  try {
    const selected = getSelection()?.anchorNode;
    const isTaken =
      !element.dispatchEvent(event) || inPass(focusedElement) !== element || getSelection()?.anchorNode !== selected;
    if (!isTaken) return false;
    const start = performance.now();
    for (let now = start; now - start < REACTION; now = performance.now()) {
      await new Promise((resolve) => {
        setTimeout(resolve);
      });
      if (isShown() || (now - last > QUIET && last > -Infinity)) break;
    }
    return true;
  } finally {
    observer.disconnect();
  }
}

/**
 * Return the text that is selected in an editor, as it would be copied; null if the editor does not provide it.
 * @param {HTMLElement} element
 */
export function copied(element) {
  const event = clipboardEvent('copy');
  if (!element.dispatchEvent(event)) return event.clipboardData?.getData('text/plain') ?? null;
  // CodeMirror 5 puts the text into its textarea, from which the browser copies it.
  if (!(element instanceof HTMLTextAreaElement)) return null;
  return element.value.slice(element.selectionStart, element.selectionEnd) || null;
}

/**
 * Return text without the differences that editors introduce: kinds of spaces and line ends, blank lines, and runs of
 * white space if the field collapses them.
 * @param {string} text @param {boolean} collapses
 */
function plain(text, collapses) {
  const lines = text
    .replace(/[\u200b\u2060\ufeff]/g, '')
    .replace(/\u00a0/g, ' ')
    .split(/\r\n?|\n/);
  const kept = lines.map((line) => (collapses ? line.replace(/\s+/g, ' ').trim() : line.trimEnd()));
  return kept.filter((line) => line !== '').join('\n');
}

/**
 * Whether an editor contains a text: as its whole contents, or at their end.
 * @param {string} held @param {string} text @param {{all: boolean, collapses: boolean}} options
 */
export function holds(held, text, {all, collapses}) {
  const [now, meant] = [plain(held, collapses), plain(text, collapses)];
  return all ? now === meant : now.endsWith(meant);
}
