// The URL for which the page is left. The Navigation API announces it during the click that causes the navigation.

import {baseURI, documentURL, getAttributeOf, hasAttributeAt, matchesSelector, selectFirst} from './native.js';

/** @type {string | null} */
let leaving = null;

/* https://html.spec.whatwg.org/multipage/nav-history-apis.html#navigateevent: fired in all frames, before unloading. */
const navigation = /** @type {any} */ (globalThis).navigation;
navigation?.addEventListener('navigate', (/** @type {any} */ event) => {
  const stays = event.destination.sameDocument || event.hashChange || event.downloadRequest !== null;
  leaving = stays ? null : event.destination.url;
});
navigation?.addEventListener('navigateerror', () => {
  leaving = null;
});

// Firefox 140 and WebKitGTK 2.50 lack it. A click on a link and the submission of a form announce it there, unless the
// page prevents what they do. WebKitGTK asks its application first: under load the request comes 50 ms after the click.

/** The last click on a link or submission of a form, and the URL that it leads to. @type {[Event, string] | null} */
let followed = null;

/** A link follows no click on an input in it. */
const acting = ':any-link, input';

/** @param {{protocol: string}} url */
const isPage = ({protocol}) => ['http:', 'https:', 'file:', 'blob:'].includes(protocol);

/** Whether a link or form with this target opens in this window, or frame. @param {string | null} target */
function isHere(target) {
  const base = selectFirst(document, 'base[target]');
  const name = target || (base && getAttributeOf(base, 'target')) || '_self';
  return name.toLowerCase() === '_self' || name === window.name;
}

/** Return the URL of another document that a link leads to; null if it leads to none. @param {MouseEvent} event */
function linked(event) {
  const link = event.composedPath().find((each) => each instanceof Element && matchesSelector(each, acting));
  const isLink = link instanceof HTMLAnchorElement || link instanceof HTMLAreaElement || link instanceof SVGAElement;
  const url = isLink && URL.parse(link instanceof SVGAElement ? link.href.baseVal : link.href, baseURI(document));
  if (!url) return null;
  const isBeside = event.ctrlKey || event.metaKey || event.shiftKey || event.altKey || hasAttributeAt(link, 'download');
  const isPart = url.href.includes('#') && url.href.split('#')[0] === documentURL(document).split('#')[0];
  return isPage(url) && !isBeside && !isPart && isHere(getAttributeOf(link, 'target')) ? url.href : null;
}

/** Return the URL that a form is sent to; null if it does not replace the document. @param {SubmitEvent} event */
function submitted({target: form, submitter}) {
  if (!(form instanceof HTMLFormElement)) return null;
  /** @param {string} name */
  const of = (name) => (submitter && getAttributeOf(submitter, `form${name}`)) ?? getAttributeOf(form, name);
  const url = URL.parse(of('action') || documentURL(document), baseURI(document));
  const isSent = url !== null && isPage(url) && of('method')?.toLowerCase() !== 'dialog';
  return isSent && isHere(of('target')) ? url.href : null;
}

if (!navigation) {
  addEventListener('click', (event) => note(event, linked(event)), {capture: true, passive: true});
  addEventListener('submit', (event) => note(event, submitted(event)), {capture: true, passive: true});
}

/** @param {Event} event @param {string | null} url */
function note(event, url) {
  followed = url === null ? null : [event, url];
}

/** Return the URL of the last navigation that would leave this document; null if there was none. */
export const leavingFor = () => (followed && !followed[0].defaultPrevented ? followed[1] : leaving);

/** Return the same as `leavingFor`, and forget it. */
export function takeLeaving() {
  const was = leavingFor();
  leaving = followed = null;
  return was;
}
