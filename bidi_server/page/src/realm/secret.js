// The secret event type by which the walker asks the script in the page's own realm: see ../../listen.js.

/** Type of the events for questions and answers; '' if there is no script to ask. */
let type = '';

/** @param {string} given */
export function askBy(given) {
  type = given;
}

export const askedBy = () => type;

/**
 * Ask the script a question about the document. Return whether it cancelled the question, and the data of the event
 * `answer`, if it is one that has an answer.
 * @param {string} question @param {string} [answer]
 */
export function ask(question, answer = '') {
  let data = '';
  if (type === '') return {isCancelled: false, data};
  const hear = (/** @type {Event} */ event) => {
    data = String(/** @type {MessageEvent} */ (event).data);
  };
  if (answer) document.addEventListener(`${type} ${answer}`, hear);
  const isCancelled = !document.dispatchEvent(new Event(`${type} ${question}`, {cancelable: true}));
  if (answer) document.removeEventListener(`${type} ${answer}`, hear);
  return {isCancelled, data};
}
