// Errors about invalid selectors, whose messages the server passes on.

/**
 * Return the error for an invalid selector. Its message has the form of the browsers' own.
 * @param {string} selector @param {string} [advice] what is wrong, and what to write instead
 */
export const invalid = (selector, advice = '') => {
  const message = `'${selector}' is not a valid selector`;
  return new SyntaxError(advice ? `${message}: ${advice}` : message);
};
