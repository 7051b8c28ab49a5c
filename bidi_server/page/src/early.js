// Modules that have to run before the page's own scripts. All others wait until the page has loaded, or are first used.

export {endDrag, watchDrag} from './drag.js';
export {leavingFor, takeLeaving} from './leaving.js';
export {restsOnNew, takePressed, watchPress} from './pressed.js';
export {askBy} from './secret.js';
