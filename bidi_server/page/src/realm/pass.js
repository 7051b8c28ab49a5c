// Caches for values that hold only while the page does not change: they last for one pass.

/** @type {(() => void)[]} */
const forgetters = [];

/** Call `forget` when a pass ends. @param {() => void} forget */
export function onEndOfPass(forget) {
  forgetters.push(forget);
}

/**
 * Return `compute` with its results cached until the pass ends. It must not return undefined.
 * @template {object} K
 * @template V
 * @param {(key: K) => V} compute
 * @returns {(key: K) => V}
 */
export function oncePerPass(compute) {
  /** @type {Map<K, V>} */
  const answers = new Map();
  // Consecutive calls are often about the same node.
  let lastKey = /** @type {K | null} */ (null);
  let lastAnswer = /** @type {V | undefined} */ (undefined);
  forgetters.push(() => {
    answers.clear();
    lastKey = null;
    lastAnswer = undefined;
  });
  return (key) => {
    if (key === lastKey) return /** @type {V} */ (lastAnswer);
    let answer = answers.get(key);
    if (answer === undefined) {
      answer = compute(key);
      answers.set(key, answer);
    }
    lastKey = key;
    lastAnswer = answer;
    return answer;
  };
}

/**
 * Like `oncePerPass`, for values that a node inherits from the node above it, without recursion: pages nest deeper than
 * the stack allows.
 * @template {object} K
 * @template V
 * @param {(key: K) => K | null} above
 * @param {(key: K, inherited: V | null) => V} compute
 * @returns {(key: K) => V}
 */
export function inherited(above, compute) {
  /** @type {Map<K, V>} */
  const answers = new Map();
  forgetters.push(() => answers.clear());
  return (key) => {
    const known = answers.get(key);
    if (known !== undefined) return known;
    const chain = [key];
    let answer = /** @type {V | null} */ (null);
    for (let node = above(key); node; node = above(node)) {
      const found = answers.get(node);
      if (found !== undefined) {
        answer = found;
        break;
      }
      chain.push(node);
    }
    for (let index = chain.length - 1; index >= 0; index--) {
      answer = compute(chain[index], answer);
      answers.set(chain[index], answer);
    }
    return /** @type {V} */ (answer);
  };
}

/**
 * Run one entry point and clear all caches at its end.
 * @template T
 * @param {() => T} work
 * @returns {T}
 */
export function inPass(work) {
  try {
    return work();
  } finally {
    for (const forget of forgetters) forget();
  }
}
