// What has to be there before the page's own scripts. Everything else waits until the page has loaded, or is asked for.

export {endDrag, watchDrag} from './drag.js';
export {leavingFor, takeLeaving} from './leaving.js';
export {restsOnNew, takePressed, watchPress} from './pressed.js';
export {askBy} from './secret.js';
