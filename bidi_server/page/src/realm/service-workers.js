// The service workers of this origin.

/** @param {ServiceWorker | null} worker */
const shown = (worker) => worker && {url: worker.scriptURL, state: worker.state};

/** Return the registrations of the origin as a JSON string; null if its pages can't have any. */
export async function serviceWorkers() {
  const container = navigator.serviceWorker;
  // A data: page is not a secure context, although Firefox reports it as one.
  if (!container || !['http:', 'https:'].includes(location.protocol)) return 'null';
  const found = [];
  for (const each of await container.getRegistrations()) {
    found.push({
      scope: each.scope,
      installing: shown(each.installing),
      waiting: shown(each.waiting),
      active: shown(each.active),
      controls: each.active !== null && container.controller === each.active,
    });
  }
  return JSON.stringify(found);
}

/**
 * Unregister registrations, or check for a new version of their scripts. Resolve to their scopes, as a JSON string.
 * @param {{action: 'unregister' | 'update', scope: string | null}} options
 */
export async function changeServiceWorkers({action, scope}) {
  const changed = [];
  for (const each of (await navigator.serviceWorker?.getRegistrations()) ?? []) {
    if (scope !== null && each.scope !== scope) continue;
    await each[action]();
    changed.push(each.scope);
  }
  return JSON.stringify(changed);
}
