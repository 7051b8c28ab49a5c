// The answer of a walk.

import {tellSuspects} from '../dom/closed.js';
import {tellConcealed} from '../dom/concealed.js';
import {htmlName} from '../dom/dom.js';
import {takeLeaving} from '../realm/leaving.js';
import {documentTitle, documentURL} from '../realm/native.js';
import {pack} from '../realm/pack.js';
import {inPass} from '../realm/pass.js';
import {sourceBegin} from '../realm/source.js';
import {optionLabels} from '../spec/value.js';
import {setPrefix} from './refs.js';
import {flatten} from './rows.js';
import {collect} from './walk.js';

/**
 * @typedef {{prefix: string, seen?: string, taken?: string[], everyRef?: boolean, boxes?: boolean, pack?: boolean,
 *   hidden?: 'mark' | 'omit'}}
 *   WalkOptions
 */

/**
 * Return the accessibility tree of this frame, flat: one JSON string, perhaps packed, then the windows of the frames in
 * it, then the elements that may host a closed shadow root, which the protocol's serialisation reveals. `seen` is the
 * last id of such a list that the server received.
 * @param {WalkOptions} options @param {Element | null} [scope]
 * @returns {Promise<[string, ...(Window | Element | null)[]]>}
 */
export async function walk(options, scope = null) {
  const {answer, windows, hosts} = inPass(() => {
    setPrefix(options.prefix);
    if (options.hidden) tellConcealed(options.hidden);
    const root = collect(scope);
    root.name = documentTitle(document);
    if (scope) tellOptions(scope, root);
    const {rows, windows} = flatten(root, new Set(options.taken ?? []), options.everyRef, options.boxes);
    const {id, hosts} = tellSuspects(options.seen);
    const answer = JSON.stringify({
      url: documentURL(document),
      title: root.name,
      rows,
      windows: windows.length,
      suspects: id,
      leaving: takeLeaving() !== null,
      source: scope ? undefined : sourceBegin(),
    });
    return {answer, windows, hosts};
  });
  return [options.pack ? await pack(answer) : answer, ...windows, ...hosts];
}

/**
 * Add all options of a `select` if it is itself the scope.
 * @param {Element} scope @param {import('./rows.js').Item} root
 */
function tellOptions(scope, root) {
  const [item] = root.children;
  if (htmlName(scope) === 'select' && item?.props?.optionCount) item.props.options = optionLabels(scope);
}
