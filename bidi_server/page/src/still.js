// Pages that only the browser itself changes.

import {selectFirst} from './native.js';

/** What runs scripts, or changes by itself. */
const LIVELY =
  'script, iframe, frame, object, embed, video, audio, marquee, meta[http-equiv="refresh" i], [autofocus]';

/** Events that come by themselves, or with typing and pointing: their attributes hold scripts. */
const EVENTS =
  'load error pageshow focus focusin blur focusout change input beforeinput select keydown keypress keyup ' +
  'mouseover mouseenter mousemove mouseout mouseleave pointerover pointerenter pointermove pointerout pointerleave ' +
  'scroll scrollend resize toggle beforetoggle transitionrun transitionstart transitionend animationstart animationend';

const SCRIPTED = EVENTS.split(' ').map((name) => `[on${name}]`).join(', ');

/** Whether no script can change this document: it has none, and no other document reaches it. */
export function isStill() {
  try {
    return top === self && opener === null && !selectFirst(document, LIVELY) && !selectFirst(document, SCRIPTED);
  } catch {
    return false; // an opener of another origin
  }
}
