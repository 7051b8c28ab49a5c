// Text for editors: fields whose scripts take over what is typed, draw it themselves and complete brackets, quotes, indentation or markup.
//
// An editor is recognised by what it does: it takes a paste. Measured with the npm packages of November 2026 in Chromium 156 and Firefox
// ESR 153, with code, brackets, quotes, Markdown and blank lines (CodeMirror 5 and 6, Monaco, Ace, ProseMirror, TipTap, Draft.js, Lexical,
// Slate, Quill, CKEditor 5, TinyMCE):
//   keys          changed in CodeMirror 5 and 6, Monaco, Ace (brackets, indentation), ProseMirror (quotes), TipTap, CKEditor, TinyMCE
//                 (Markdown); scrambled in Draft.js in Firefox
//   insertText    (execCommand) ignored by Slate, CKEditor and Monaco's EditContext, in Firefox by Draft.js; completed by Monaco's textarea;
//                 line breaks lost in Lexical, Draft.js and, in Firefox, in ProseMirror
//   beforeinput   (synthetic, insertFromPaste) taken by Slate only
//   paste         (synthetic) taken by all, literally, as one step to undo. Rich text makes paragraphs of lines and drops blank ones; TipTap
//                 applies its paste rules (`**bold**`).
// All but TinyMCE cancel the event. TinyMCE moves the selection away, to an element that is to catch the paste.

import {focusedElement} from './dom.js';
import {inPass} from './pass.js';

/** Time for an editor to show a paste, in milliseconds: Monaco takes it in a later task, React draws in one. */
const REACTION = 300;

/** Time without a further change after which an editor has shown a paste, in milliseconds. */
const QUIET = 20;

/** Time for `selectionchange` to follow a change of the selection, in milliseconds. */
const NOTICE = 50;

/** @param {'copy' | 'paste'} type */
const clipboardEvent = (type) =>
  new ClipboardEvent(type, {clipboardData: new DataTransfer(), bubbles: true, cancelable: true, composed: true});

/**
 * Places the selection in an editor and waits until the editor knows it.
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
 * Offers a text to the element as a paste. Resolves with whether a script took it, and then once the text is shown.
 * @param {HTMLElement} element @param {string} text
 * @param {{draws: boolean, isShown: () => boolean}} editor `draws` of one whose text is elsewhere than in the element; `isShown`: whether
 *   it holds the text
 */
export async function paste(element, text, {draws, isShown}) {
  const event = clipboardEvent('paste');
  // Firefox 153 ignores the constructor's `clipboardData`, but its own is writable.
  event.clipboardData?.setData('text/plain', text);
  // Without this type Monaco 0.57 asks `navigator.clipboard.read()` for it, which waits for the user's permission; the list is a comment
  // (RFC 2483), and so names nothing. Slate, which does not draw its text, takes plain text only where there is no other type.
  if (draws) event.clipboardData?.setData('text/uri-list', '#');
  let last = -Infinity;
  const observer = new MutationObserver(() => { last = performance.now(); });
  observer.observe(document, {subtree: true, childList: true, attributes: true, characterData: true});
  try {
    const selected = getSelection()?.anchorNode;
    const isTaken = !element.dispatchEvent(event) || inPass(focusedElement) !== element || getSelection()?.anchorNode !== selected;
    if (!isTaken) return false;
    const start = performance.now();
    for (let now = start; now - start < REACTION; now = performance.now()) {
      await new Promise((resolve) => { setTimeout(resolve); });
      if (isShown() || now - last > QUIET && last > -Infinity) break;
    }
    return true;
  } finally {
    observer.disconnect();
  }
}

/** The text that is selected in an editor, as it would be copied; null where it does not answer. @param {HTMLElement} element */
export function copied(element) {
  const event = clipboardEvent('copy');
  if (!element.dispatchEvent(event)) return event.clipboardData?.getData('text/plain') ?? null;
  // CodeMirror 5 puts the text into its textarea for the browser to copy.
  if (!(element instanceof HTMLTextAreaElement)) return null;
  return element.value.slice(element.selectionStart, element.selectionEnd) || null;
}

/**
 * Text without what editors change in how it is kept: kinds of spaces and line ends, blank lines, and where the field
 * collapses white space, all of it.
 * @param {string} text @param {boolean} collapses
 */
function plain(text, collapses) {
  const lines = text.replace(/[\u200b\u2060\ufeff]/g, '').replace(/\u00a0/g, ' ').split(/\r\n?|\n/);
  const kept = lines.map((line) => collapses ? line.replace(/\s+/g, ' ').trim() : line.trimEnd());
  return kept.filter((line) => line !== '').join('\n');
}

/**
 * Whether an editor holds a text: as all that it holds, or at its end.
 * @param {string} held @param {string} text @param {{all: boolean, collapses: boolean}} options
 */
export function holds(held, text, {all, collapses}) {
  const [now, meant] = [plain(held, collapses), plain(text, collapses)];
  return all ? now === meant : now.endsWith(meant);
}
