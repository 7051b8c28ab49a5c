// The secret event type by which the walker asks the script in the page's own realm: see ../../listen.js.

/** Type of the events for questions and answers; '' if there is no script to ask. */
let type = '';

/** @param {string} given */
export function askBy(given) {
  type = given;
}

export const askedBy = () => type;
