// Compare an element with what the agent saw when it got the ref.

const words = (/** @type {string} */ text) => [...text.toLowerCase().matchAll(/\p{L}+/gu)].map(([word]) => word);

/**
 * Return 'same', 'minor' (a count went up, a word was added), or 'significant' (another role, another name).
 * @param {{role: string, name: string}} was @param {{role: string, name: string}} now
 * @returns {'same' | 'minor' | 'significant'}
 */
export function change(was, now) {
  if (was.role !== now.role) return 'significant';
  if (was.name === now.name) return 'same';
  const [before, after] = [words(was.name), words(now.name)];
  if (before.join() === after.join()) return 'minor';
  const common = before.filter((word) => after.includes(word)).length;
  return common * 2 >= Math.max(before.length, after.length, 1) ? 'minor' : 'significant';
}
