// Knowing that a turn of the wheel has moved something: the compositor does that when it comes to it.

/** @type {Promise<void> | null} */
let moved = null;

/** Begins to look for what the next turn of the wheel scrolls in this frame. */
export function watchScroll() {
  moved = new Promise((resolve) => {
    document.addEventListener('scroll', () => resolve(), {capture: true, once: true, passive: true});
  });
}

/** Waits until something has been scrolled, or so many milliseconds. @param {number} longest */
export async function scrolled(longest) {
  await Promise.race([moved, new Promise((resolve) => setTimeout(resolve, longest))]);
}
