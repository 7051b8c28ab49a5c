// Modules that have to run before the page's own scripts. All others wait until the page has loaded, or are first used.

export {endDrag, watchDrag} from './act/drag.js';
export {keepFocus} from './realm/focus.js';
export {leavingFor, takeLeaving} from './realm/leaving.js';
export {missed, restsOnNew, watchPress} from './act/pressed.js';
export {askBy} from './realm/secret.js';
