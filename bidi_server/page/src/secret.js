// How the page's own realm is asked which elements listen for clicks: see ../listen.js.

/** Type of the events by which it is asked and answered; '' where nobody is to be asked. */
let type = '';

/** @param {string} given */
export function askBy(given) {
  type = given;
}

export const askedBy = () => type;
