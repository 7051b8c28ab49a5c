// The focus of a page in a browser whose windows share it. The window of another session takes it and gives it back,
// and a list of suggestions, say, is not left by that: the page does not hear of it.

const {hasFocus} = Document.prototype;

/** The element that has lost the focus together with the window. @type {EventTarget | null} */
let kept = null;

/** Whether an event only says that the window has lost the focus or has it again. @param {Event} event */
function isOfWindow({target, type}) {
  const isLost = type === 'blur' || type === 'focusout';
  // The document and the window follow the element, or are alone. Alone, the focus may have gone to a frame.
  if (!(target instanceof Element)) return kept !== null;
  if (isLost && !hasFocus.call(document)) kept = target;
  const isKept = target === kept;
  if (!isLost && (type === 'focusin' || !isKept)) kept = null;
  return isKept;
}

/** Keep the page from hearing of it, if it is no frame: a frame cannot tell its window from another frame. */
export function keepFocus() {
  if (window !== top) return;
  for (const type of ['blur', 'focusout', 'focus', 'focusin']) {
    addEventListener(
      type,
      (event) => {
        if (event.isTrusted && isOfWindow(event)) event.stopImmediatePropagation();
      },
      {capture: true, passive: true},
    );
  }
}
