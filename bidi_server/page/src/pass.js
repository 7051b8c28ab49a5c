// Everything that is true only while the page stands still is remembered for one pass and forgotten at its end.

/** One record for each node that was asked about, one place in it for each question. @type {Map<object, unknown[]>} */
const records = new Map();
/** The record used last: questions come in runs about the same node. @type {{key: object | null, record: unknown[]}} */
const last = {key: null, record: []};
const questions = {count: 0};

/** @param {object} key */
function recordOf(key) {
  if (last.key === key) return last.record;
  let record = records.get(key);
  if (!record) {
    record = new Array(questions.count).fill(undefined);
    records.set(key, record);
  }
  last.key = key;
  last.record = record;
  return record;
}

/**
 * Returns `compute` with its answers remembered until the pass ends. It must not answer undefined.
 * @template {object} K
 * @template V
 * @param {(key: K) => V} compute
 * @returns {(key: K) => V}
 */
export function oncePerPass(compute) {
  const place = questions.count++;
  return (key) => {
    const record = recordOf(key);
    const known = record[place];
    if (known !== undefined) return /** @type {V} */ (known);
    const value = compute(key);
    record[place] = value;
    return value;
  };
}

/**
 * Like `oncePerPass` for what a node takes over from the node above it, without recursion: pages nest deeper than a stack is.
 * @template {object} K
 * @template V
 * @param {(key: K) => K | null} above
 * @param {(key: K, inherited: V | null) => V} compute
 * @returns {(key: K) => V}
 */
export function inherited(above, compute) {
  const place = questions.count++;
  return (key) => {
    /** @type {K[]} */
    const chain = [];
    let value = /** @type {V | null} */ (null);
    for (let node = /** @type {K | null} */ (key); node; node = above(node)) {
      const known = recordOf(node)[place];
      if (known !== undefined) {
        value = /** @type {V} */ (known);
        break;
      }
      chain.push(node);
    }
    for (let index = chain.length - 1; index >= 0; index--) {
      value = compute(chain[index], value);
      recordOf(chain[index])[place] = value;
    }
    return /** @type {V} */ (value);
  };
}

/**
 * Runs one entry point; nothing that it learned about the page outlives it.
 * @template T
 * @param {() => T} work
 * @returns {T}
 */
export function inPass(work) {
  try {
    return work();
  } finally {
    records.clear();
    last.key = null;
    last.record = [];
  }
}
