// What is wrong with a selector, in the words that the server passes on.

/**
 * The error for a text that is no selector. Its message has the form of the engines' own.
 * @param {string} selector @param {string} [advice] what is wrong, and what to write instead
 */
export const invalid = (selector, advice = '') => new SyntaxError(`'${selector}' is not a valid selector${advice && `: ${advice}`}`);
