// The storage of the origin: https://html.spec.whatwg.org/multipage/webstorage.html

/**
 * Change the entries of a storage and return what it holds then, as a JSON string. `denied` means that the page has no
 * storage, `full` that an entry has no room. `Object.entries` leaves out entries that are named like a member of
 * `Storage`, such as "key" and "length": https://webidl.spec.whatwg.org/#dfn-named-property-visibility
 * @param {'local' | 'session'} area
 * @param {{clear?: boolean, remove?: string[], set?: [name: string, value: string][]}} [change]
 */
export function storage(area, {clear = false, remove = [], set = []} = {}) {
  try {
    const stored = area === 'local' ? localStorage : sessionStorage;
    if (clear) stored.clear();
    for (const name of remove) stored.removeItem(name);
    for (const [name, value] of set) stored.setItem(name, value);
    const names = Array.from({length: stored.length}, (_, index) => stored.key(index) ?? '');
    return JSON.stringify({entries: names.map((name) => [name, stored.getItem(name) ?? ''])});
  } catch (error) {
    if (!(error instanceof DOMException)) throw error;
    return JSON.stringify({entries: [], error: error.name === 'SecurityError' ? 'denied' : 'full'});
  }
}
