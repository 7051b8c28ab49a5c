// Caches for values that hold only while the page does not change: they last for one pass.

/** @type {(() => void)[]} */
const forgetters = [];

/** Call `forget` when a pass ends. @param {() => void} forget */
export function onEndOfPass(forget) {
  forgetters.push(forget);
}

/** What is known about a node in this pass: an answer for each cached function, at its number. @type {Map<object, unknown[]>} */
const facts = new Map();
// Consecutive calls are often about the same node.
const last = {key: /** @type {object | null} */ (null), known: /** @type {unknown[]} */ ([])};
let functions = 0;
forgetters.push(() => {
  facts.clear();
  last.key = null;
  last.known = [];
});

/** @param {object} key @returns {unknown[]} what is known about it, to be added to */
function factsOf(key) {
  if (key === last.key) return last.known;
  let known = facts.get(key);
  if (known === undefined) {
    known = [];
    facts.set(key, known);
  }
  last.key = key;
  last.known = known;
  return known;
}

/**
 * Return `compute` with its results cached until the pass ends. It must not return undefined.
 * @template {object} K
 * @template V
 * @param {(key: K) => V} compute
 * @returns {(key: K) => V}
 */
export function oncePerPass(compute) {
  const number = functions++;
  return (key) => {
    const known = factsOf(key);
    const answer = known[number];
    return /** @type {V} */ (answer === undefined ? (known[number] = compute(key)) : answer);
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
  const number = functions++;
  return (key) => {
    const known = factsOf(key)[number];
    if (known !== undefined) return /** @type {V} */ (known);
    const chain = [key];
    let answer = /** @type {V | null} */ (null);
    for (let node = above(key); node; node = above(node)) {
      const found = factsOf(node)[number];
      if (found !== undefined) {
        answer = /** @type {V} */ (found);
        break;
      }
      chain.push(node);
    }
    for (let index = chain.length - 1; index >= 0; index--) {
      answer = compute(chain[index], answer);
      factsOf(chain[index])[number] = answer;
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
