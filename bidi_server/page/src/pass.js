// Everything that is true only while the page stands still is remembered for one pass and forgotten at its end.

/** @type {Map<any, any>[]} */
const memories = [];

/**
 * Returns `compute` with its answers remembered until the pass ends.
 * @template {object} K
 * @template V
 * @param {(key: K) => V} compute
 * @returns {(key: K) => V}
 */
export function oncePerPass(compute) {
  /** @type {Map<K, V>} */
  const known = new Map();
  memories.push(known);
  return (key) => {
    let value = known.get(key);
    if (value === undefined && !known.has(key)) {
      value = compute(key);
      known.set(key, value);
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
    for (const memory of memories) memory.clear();
  }
}
