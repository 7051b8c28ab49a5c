// Pages that only the browser itself can change.

import {selectFirst} from './native.js';

/** Elements that run scripts, or change by themselves. */
const LIVELY = 'script, iframe, frame, object, embed, video, audio, marquee, meta[http-equiv="refresh" i], [autofocus]';

/** Events that fire by themselves, or on typing and pointing: their `on…` attributes contain scripts. */
const EVENTS =
  'load error pageshow focus focusin blur focusout change input beforeinput select keydown keypress keyup ' +
  'mouseover mouseenter mousemove mouseout mouseleave pointerover pointerenter pointermove pointerout pointerleave ' +
  'scroll scrollend resize toggle beforetoggle transitionrun transitionstart transitionend animationstart animationend';

const SCRIPTED = EVENTS.split(' ')
  .map((name) => `[on${name}]`)
  .join(', ');

/** Whether no script can change this document: it has none, and no other document can access it. */
export function isStill() {
  try {
    return top === self && opener === null && !selectFirst(document, LIVELY) && !selectFirst(document, SCRIPTED);
  } catch {
    return false; // an opener of another origin
  }
}
