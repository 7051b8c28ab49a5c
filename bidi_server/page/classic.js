// A realm of WebDriver BiDi for browsers that only have classic WebDriver: runs in the page's own realm, once in each
// document. It calls functions with BiDi's local values, returns BiDi's remote values, and keeps what happens until the
// server has heard it: messages of channels and of the console, errors, requests, navigations. Everything that it returns is
// JSON in a string, since classic WebDriver has no undefined, NaN, Map or handle.
/** @param {string} stamp identifies the document @param {string} context its browsing context; '' if it is not known yet */
(stamp, context) => {
  /** @typedef {any} Any a value of the page, so of any kind */
  const page = /** @type {Any} */ (window);
  const {apply, ownKeys} = Reflect;
  const [toJson, fromJson, isList] = [JSON.stringify, JSON.parse, Array.isArray];
  const {assign, create, defineProperty, getOwnPropertyDescriptor} = Object;
  const [text, now, AnyPromise, later] = [String, Date.now, Promise, setTimeout];
  const tagOf = Object.prototype.toString;
  const then = Promise.prototype.then;
  const here = document;
  const {parse} = URL;
  const get = (/** @type {Any} */ type, /** @type {string} */ name) =>
    /** @type {Any} */ (getOwnPropertyDescriptor(type.prototype, name))?.get;
  const nodeTypeOf = get(Node, 'nodeType');
  const select = Document.prototype.querySelectorAll;
  const selectIn = DocumentFragment.prototype.querySelectorAll;
  const shadowOf = get(Element, 'shadowRoot');
  const activeOf = get(Document, 'activeElement');
  const bodyOf = get(Document, 'body');

  /** @type {WeakMap<Element, ShadowRoot>} */
  const closedRoots = new WeakMap();
  /** @type {Map<string, Any>} */
  const handles = new Map();
  /** @type {WeakMap<object, string>} */
  const shared = new WeakMap();
  /** @type {Map<string, Any>} */
  const nodes = new Map();
  let count = 0;

  /** @type {Any[]} */
  let events = [];
  /** Number of earlier events, which the server has heard. It says so, because answers are lost and overtake each other. */
  let first = 0;
  const {slice} = Array.prototype;
  /** Number of events that are kept, at least, of those that the server has not heard; the oldest go. */
  const MOST_EVENTS = 5000;
  const note = (/** @type {Any} */ event) => {
    events[events.length] = event;
    if (events.length < 2 * MOST_EVENTS) return;
    events = apply(slice, events, [MOST_EVENTS]);
    first += MOST_EVENTS;
  };

  const isNode = (/** @type {Any} */ value) => {
    try {
      return apply(nodeTypeOf, value, []) > 0;
    } catch {
      return false;
    }
  };

  const sharedId = (/** @type {Any} */ node) => {
    let id = shared.get(node);
    if (!id) {
      id = `${stamp}.${++count}`;
      shared.set(node, id);
      // Weak, so that nodes that the page has dropped can go.
      nodes.set(id, new WeakRef(node));
    }
    return id;
  };

  class Failure {
    /** @param {string} error @param {string} message */
    constructor(error, message) {
      this.error = error;
      this.message = message;
    }
  }

  // Local values: https://w3c.github.io/webdriver-bidi/#type-script-LocalValue

  /** @param {Any} value @returns {Any} */
  const local = (value) => {
    if (value.sharedId !== undefined) {
      const node = nodes.get(value.sharedId)?.deref();
      if (!node) throw new Failure('no such node', `the document has no node ${value.sharedId}`);
      return node;
    }
    if (value.handle !== undefined) {
      if (!handles.has(value.handle)) throw new Failure('no such handle', `there is no handle ${value.handle}`);
      return handles.get(value.handle);
    }
    const given = value.value;
    switch (value.type) {
      case 'undefined':
        return undefined;
      case 'null':
        return null;
      case 'number':
        return typeof given === 'number' ? given : given === '-0' ? -0 : Number(given);
      case 'bigint':
        return BigInt(given);
      case 'array':
        return given.map(local);
      case 'set':
        return new Set(given.map(local));
      case 'date':
        return new Date(given);
      case 'regexp':
        return new RegExp(given.pattern, given.flags);
      case 'map':
        return new Map(given.map((/** @type {Any} */ [key, item]) => [keyOf(key), local(item)]));
      case 'object': {
        /** @type {Any} */
        const made = {};
        for (const [key, item] of given)
          defineProperty(made, keyOf(key), own({value: local(item), writable: true, enumerable: true, configurable: true}));
        return made;
      }
      case 'channel':
        return (/** @type {Any} */ message) =>
          note({
            kind: 'message',
            channel: given.channel,
            data: remote(message, optionsOf(given.serializationOptions, given.ownership)),
          });
      default:
        return given;
    }
  };
  const keyOf = (/** @type {Any} */ key) => (typeof key === 'string' ? key : local(key));
  /** Return the object without the properties that a page may have added to `Object.prototype`. @param {Any} object */
  const own = (object) => Object.setPrototypeOf(object, null);

  // Remote values: https://w3c.github.io/webdriver-bidi/#type-script-RemoteValue

  const optionsOf = (/** @type {Any} */ given, /** @type {Any} */ ownership) => ({
    domDepth: given?.maxDomDepth === undefined ? 0 : (given.maxDomDepth ?? 1e9),
    depth: given?.maxObjectDepth === undefined ? 1e9 : (given.maxObjectDepth ?? 1e9),
    shadow: given?.includeShadowTree ?? 'none',
    root: ownership === 'root',
    seen: new Map(),
    repeated: new Set(),
  });

  /** @type {Record<string, string>} */
  const TAGS = {
    '[object RegExp]': 'regexp',
    '[object Date]': 'date',
    '[object Map]': 'map',
    '[object Set]': 'set',
    '[object WeakMap]': 'weakmap',
    '[object WeakSet]': 'weakset',
    '[object Generator]': 'generator',
    '[object AsyncGenerator]': 'generator',
    '[object Error]': 'error',
    '[object DOMException]': 'error',
    '[object Promise]': 'promise',
    '[object ArrayBuffer]': 'arraybuffer',
    '[object NodeList]': 'nodelist',
    '[object HTMLCollection]': 'htmlcollection',
    '[object Proxy]': 'proxy',
  };

  const typeOf = (/** @type {Any} */ value) => {
    if (isList(value)) return 'array';
    if (typeof value === 'function') return 'function';
    if (isNode(value)) return 'node';
    if (value instanceof Error) return 'error';
    if (ArrayBuffer.isView(value)) return 'typedarray';
    try {
      if (value === value.window) return 'window';
    } catch {
      return 'window'; // of another origin
    }
    return TAGS[apply(tagOf, value, [])] ?? 'object';
  };

  /** @param {Any} value @param {Any} options @param {number} [level] @returns {Any} */
  const remote = (value, options, level = 0) => {
    switch (typeof value) {
      case 'undefined':
        return {type: 'undefined'};
      case 'string':
      case 'boolean':
        return {type: typeof value, value};
      case 'bigint':
        return {type: 'bigint', value: text(value)};
      case 'number':
        if (value !== value) return {type: 'number', value: 'NaN'};
        if (value === 0 && 1 / value < 0) return {type: 'number', value: '-0'};
        if (value === Infinity || value === -Infinity) return {type: 'number', value: text(value)};
        return {type: 'number', value};
      case 'symbol':
        return withHandle({type: 'symbol'}, value, options);
      default:
        return value === null ? {type: 'null'} : remoteObject(value, options, level);
    }
  };

  const withHandle = (/** @type {Any} */ made, /** @type {Any} */ value, /** @type {Any} */ options) => {
    if (options.root) {
      const handle = `${stamp}-${++count}`;
      handles.set(handle, value);
      made.handle = handle;
    }
    return made;
  };

  /** @param {Any} value @param {Any} options @param {number} level @returns {Any} */
  const remoteObject = (value, options, level) => {
    const type = typeOf(value);
    const before = options.seen.get(value);
    if (before) {
      before.internalId ??= text(++count);
      return {type, internalId: before.internalId, ...(type === 'node' ? {sharedId: sharedId(value)} : {})};
    }
    /** @type {Any} */
    const made = {type};
    options.seen.set(value, made);
    if (level === 0) withHandle(made, value, options);
    if (type === 'node') {
      made.sharedId = sharedId(value);
      made.value = remoteNode(value, options, level);
      return made;
    }
    if (type === 'regexp') made.value = {pattern: value.source, flags: value.flags};
    else if (type === 'date') made.value = value.toJSON();
    else if (type === 'window') made.value = {context: value === page ? context : childOf(value)};
    else if (level < options.depth) addContents(made, value, options, level);
    return made;
  };

  const addContents = (
    /** @type {Any} */ made,
    /** @type {Any} */ value,
    /** @type {Any} */ options,
    /** @type {number} */ level,
  ) => {
    const inner = (/** @type {Any} */ item) => remote(item, options, level + 1);
    switch (made.type) {
      case 'array':
      case 'nodelist':
      case 'htmlcollection':
        made.value = [];
        for (let index = 0; index < value.length; index++) made.value[index] = inner(value[index]);
        break;
      case 'set':
        made.value = [...value].map(inner);
        break;
      case 'map':
        made.value = [...value].map(([key, item]) => [typeof key === 'string' ? key : inner(key), inner(item)]);
        break;
      case 'object': {
        made.value = [];
        for (const key of ownKeys(value)) {
          if (typeof key !== 'string' || !getOwnPropertyDescriptor(value, key)?.enumerable) continue;
          made.value[made.value.length] = [key, gotten(value, key, inner)];
        }
        break;
      }
      default:
    }
  };

  /** Return a property; one whose getter throws is an object that nobody knows more of. */
  const gotten = (/** @type {Any} */ value, /** @type {string} */ key, /** @type {(value: Any) => Any} */ inner) => {
    try {
      return inner(value[key]);
    } catch {
      return {type: 'object'};
    }
  };

  /** @param {Any} node @param {Any} options @param {number} level */
  const remoteNode = (node, options, level) => {
    const kind = apply(nodeTypeOf, node, []);
    /** @type {Any} */
    const made = {nodeType: kind, childNodeCount: node.childNodes?.length ?? 0};
    if (kind === 1) {
      made.localName = node.localName;
      made.namespaceURI = node.namespaceURI;
      made.attributes = {};
      for (const name of Element.prototype.getAttributeNames.call(node))
        made.attributes[name] = Element.prototype.getAttribute.call(node, name);
      const root = apply(shadowOf, node, []) ?? (options.shadow === 'all' ? closedRoots.get(node) : null);
      made.shadowRoot = root ? remoteObject(root, {...options, domDepth: options.shadow === 'none' ? 0 : options.domDepth}, level + 1) : null;
    } else if (kind === 11 && node.host) made.mode = node.mode;
    else if (node.nodeValue !== null) made.nodeValue = node.nodeValue;
    if (level < options.domDepth && node.childNodes && !(kind === 11 && options.shadow === 'none'))
      made.children = [...node.childNodes].map((child) => remoteObject(child, options, level + 1));
    return made;
  };

  // Exceptions

  /** Where WebKitGTK 2.50 says that our scripts are if they run before the page's; others of the driver are nowhere. */
  const OURS = 'web-inspector://bootstrap.js';
  const framesOf = (/** @type {Any} */ error) => {
    const stack = typeof error?.stack === 'string' ? error.stack : '';
    const frames = [];
    for (const line of stack.split('\n')) {
      const found = /^(.*?)@(.*?):(\d+):(\d+)$/.exec(line);
      if (found && found[2] !== OURS)
        frames.push({
          functionName: found[1],
          url: found[2],
          lineNumber: Number(found[3]) - 1,
          columnNumber: Number(found[4]) - 1,
        });
    }
    return frames;
  };

  const textOf = (/** @type {Any} */ thrown) => {
    try {
      return text(thrown);
    } catch {
      return 'an object without a text';
    }
  };

  const exception = (/** @type {Any} */ thrown, /** @type {Any} */ options) => {
    const callFrames = framesOf(thrown);
    return {
      text: textOf(thrown),
      exception: remote(thrown, options),
      lineNumber: callFrames[0]?.lineNumber ?? 0,
      columnNumber: callFrames[0]?.columnNumber ?? 0,
      stackTrace: {callFrames},
    };
  };

  const whenIdle = (/** @type {Any} */ callback) => later(callback, 50);
  // What tells the time, or waits for it: pages, and our clock, may replace it later.
  const clock = performance;
  /** @type {Any} */
  const time = {requestIdleCallback: page.requestIdleCallback?.bind(page) ?? whenIdle};
  time.Date = new Proxy(Date, {
    get: (target, key) => (key === 'now' ? () => apply(now, target, []) : /** @type {Any} */ (target)[key]),
  });
  for (const kind of ['Timeout', 'Interval'])
    for (const name of [`set${kind}`, `clear${kind}`]) time[name] = page[name].bind(page);
  for (const name of ['requestAnimationFrame', 'cancelAnimationFrame', 'cancelIdleCallback'])
    time[name] = page[name]?.bind(page);
  const ticks = Performance.prototype.now;
  const ticksFrom = get(Performance, 'timeOrigin');
  time.performance = new Proxy(clock, {
    get: (_, key) => {
      if (key === 'now') return () => apply(ticks, clock, []);
      if (key === 'timeOrigin') return apply(ticksFrom, clock, []);
      const value = /** @type {Any} */ (clock)[key];
      return typeof value === 'function' ? value.bind(clock) : value;
    },
  });

  /** What a function in the page's own realm has. */
  const inPage = () => ({globalThis: page, requestIdleCallback: page.requestIdleCallback ?? whenIdle});

  // Sandboxes: objects that stand for `globalThis`, with properties of their own before those of the page.

  /** @type {Map<string, Any>} */
  const sandboxes = new Map();
  const sandbox = (/** @type {string} */ name) => {
    let made = sandboxes.get(name);
    if (!made) {
      const own = assign(create(null), time);
      made = new Proxy(own, {
        get: (target, key) => (key in target ? target[key] : page[key]),
        has: (target, key) => key in target || key in page,
      });
      own.globalThis = made;
      sandboxes.set(name, made);
    }
    return made;
  };

  // Calls. Stacks are shown without functions of this name.

  /** @type {Map<number, Any>} results that the server has not acknowledged */
  const results = new Map();

  /** @param {string} json @param {Function} body */
  const $bidiCall = (json, body) => {
    const given = fromJson(json);
    for (const id of given.delivered ?? []) results.delete(id);
    const options = optionsOf(given.options, given.ownership);
    const finish = (/** @type {Any} */ made) => {
      results.set(given.id, made);
      return answer(made);
    };
    const failed = (/** @type {Any} */ thrown) =>
      finish(thrown instanceof Failure ? {error: thrown.error, message: thrown.message} : {exception: exception(thrown, options)});
    const done = (/** @type {Any} */ value) => {
      try {
        return finish({result: remote(value, options)});
      } catch (thrown) {
        return failed(thrown);
      }
    };
    try {
      const scope = given.sandbox ? sandbox(given.sandbox) : page;
      const made = body(given.sandbox ? scope : inPage());
      const value = given.isFunction
        ? apply(made, given.self ? local(given.self) : undefined, (given.arguments ?? []).map(local))
        : made;
      if (given.awaits && typeof value?.then === 'function') {
        const waited = apply(then, AnyPromise.resolve(value), [done, failed]);
        results.set(given.id, waited);
        return waited;
      }
      return done(value);
    } catch (thrown) {
      return failed(thrown);
    }
  };

  /** Ids of the preload scripts that have run. */
  const ran = new Set();
  /** Run a preload script, once. @param {string} json @param {Function} body */
  const run = (json, body) => {
    const given = fromJson(json);
    if (ran.has(given.id)) return;
    ran.add(given.id);
    const scope = given.sandbox ? sandbox(given.sandbox) : page;
    try {
      const made = body(given.sandbox ? scope : inPage());
      apply(made, undefined, (given.arguments ?? []).map(local));
    } catch (thrown) {
      note({kind: 'error', text: textOf(thrown), stackTrace: {callFrames: framesOf(thrown)}, time: now()});
    }
  };

  /** Return the result of a call whose answer a dialog has cut off. @param {number} id */
  const take = (id) => {
    const made = results.get(id);
    if (!made) return answer({error: 'no such result'});
    return typeof made.then === 'function' ? made : answer(made);
  };

  // Frames

  /** @type {Any[]} */
  let frames = [];
  /** @type {WeakMap<object, number>} */
  const numbers = new WeakMap();
  let dirty = new Set();
  const SELECTOR = 'iframe, frame, object, embed';
  const isFrame = (/** @type {Any} */ element) => {
    try {
      return Boolean(element.contentWindow);
    } catch {
      return true;
    }
  };
  /** @param {Any} root @returns {Any[]} */
  const framesIn = (root) => [...apply(root === here ? select : selectIn, root, [SELECTOR])].filter(isFrame);
  /** @param {Any} root @returns {Any[]} */
  const framesBelow = (root) => {
    const found = framesIn(root);
    for (const element of apply(root === here ? select : selectIn, root, ['*'])) {
      const inner = apply(shadowOf, element, []);
      if (inner) found.push(...framesBelow(inner));
    }
    return found;
  };
  const numberOf = (/** @type {Any} */ element) => {
    if (!numbers.has(element)) numbers.set(element, ++count);
    return numbers.get(element);
  };
  /** Return the id of the browsing context of a child frame's window; '' if it is none. @param {Any} window */
  const childOf = (window) => {
    const same = (/** @type {Any} */ element) => element.contentWindow === window;
    const element = framesIn(here).find(same) ?? framesBelow(here).find(same);
    return element ? `${stamp}-f${numberOf(element)}` : '';
  };
  const lookAtFrames = () => {
    let found = page.length || frames.length ? framesIn(here) : [];
    if (found.length < page.length) found = framesBelow(here);
    frames = found;
    return found.map(numberOf);
  };
  apply(EventTarget.prototype.addEventListener, here, [
    'load',
    (/** @type {Any} */ event) => {
      if (numbers.has(event.target)) dirty.add(numbers.get(event.target));
    },
    true,
  ]);

  const listen = (/** @type {string} */ type, /** @type {(event: Any) => void} */ listener, capture = false) =>
    apply(EventTarget.prototype.addEventListener, page, [type, listener, capture]);

  // Buttons of the mouse

  const linkOf = (/** @type {Any} */ event) =>
    event.composedPath?.().find((/** @type {Any} */ each) => /^(a|area)$/.test(each.localName) && each.href);
  const absolute = (/** @type {Any} */ url) => text(parse(url, here.baseURI)?.href ?? '');
  /** The URL of a link, in SVG too. */
  const addressOf = (/** @type {Any} */ link) => absolute(link.href.baseVal ?? link.href);
  /** Open a link in another tab. WebKitGTK leaves that to its application, and the driver's does not do it. */
  const openBeside = (/** @type {Any} */ link) => {
    if (link) page.open(addressOf(link), '_blank', 'noopener');
  };
  // WebKitWebDriver 2.50 releases every button as the left one, so that a right click would also be a click. The events
  // of such a release are replaced by those of the button that went down.
  let pressed = 0;
  // A press that our script in the page blocks reaches the window, not the document. Its release is blocked as it is.
  let isBlocked = false;
  const placeOf = (/** @type {Any} */ event) => {
    const {screenX, screenY, clientX, clientY, ctrlKey, shiftKey, altKey, metaKey} = event;
    return {screenX, screenY, clientX, clientY, ctrlKey, shiftKey, altKey, metaKey, view: page};
  };
  const replace = (/** @type {Any} */ event, /** @type {string} */ type) => {
    event.stopImmediatePropagation();
    event.preventDefault();
    const {detail, buttons} = event;
    const made = {...placeOf(event), bubbles: true, composed: true, cancelable: true, detail, buttons, button: pressed};
    return event.composedPath()[0].dispatchEvent(new MouseEvent(type, made));
  };
  listen('mousedown', (event) => {
    if (event.isTrusted) [pressed, isBlocked] = [event.button, true];
  }, true);
  apply(EventTarget.prototype.addEventListener, here, [
    'mousedown',
    (/** @type {Any} */ event) => {
      if (event.isTrusted) isBlocked = false;
    },
    true,
  ]);
  listen('mouseup', (event) => {
    if (event.isTrusted && pressed && event.button === 0 && !isBlocked) replace(event, 'mouseup');
  }, true);
  listen('click', (event) => {
    // A click by a key has no detail.
    if (!event.isTrusted || !event.detail || !pressed || event.button !== 0 || isBlocked) return;
    const link = linkOf(event);
    if (replace(event, 'auxclick') && pressed === 1) openBeside(link);
  }, true);

  // Drags

  // The pointer of WebKitWebDriver 2.50 starts a drag and cannot go on with it: no element hears that something is
  // above it, or dropped. So the drag ends where it starts, and the pointer's events become those of a drag.
  /** @type {{data: DataTransfer, source: Any, over: Any, takes: boolean} | null} */
  let drag = null;
  /** The effect that the page has chosen, which a listener may have changed. @param {{data: DataTransfer}} drag */
  const effectOf = ({data}) => data.dropEffect;
  const elementAt = Document.prototype.elementFromPoint;
  const dragged = (/** @type {string} */ type, /** @type {Any} */ target, /** @type {Any} */ event) => {
    const cancelable = type !== 'dragleave' && type !== 'dragend';
    const made = {...placeOf(event), bubbles: true, composed: true, cancelable, dataTransfer: drag?.data};
    return !target.dispatchEvent(new DragEvent(type, made));
  };
  const moveTo = (/** @type {Any} */ event) => {
    if (!drag) return;
    dragged('drag', drag.source, event);
    let over = apply(elementAt, here, [event.clientX, event.clientY]);
    for (let root = over && apply(shadowOf, over, []); root; root = over && apply(shadowOf, over, [])) {
      const inner = root.elementFromPoint(event.clientX, event.clientY);
      if (!inner || inner === over) break;
      over = inner;
    }
    if (over !== drag.over) {
      const left = drag.over;
      drag.over = over;
      if (over) dragged('dragenter', over, event);
      if (left) dragged('dragleave', left, event);
    }
    drag.data.dropEffect = /^(move|linkMove)$/.test(drag.data.effectAllowed) ? 'move' : 'copy';
    drag.takes = Boolean(over) && dragged('dragover', over, event) && effectOf(drag) !== 'none';
  };
  listen('dragstart', (event) => {
    if (!event.isTrusted || event.defaultPrevented || !event.dataTransfer) return;
    const data = new DataTransfer();
    for (const type of event.dataTransfer.types) data.setData(type, event.dataTransfer.getData(type));
    // WebKit keeps no effects in a DataTransfer that a script has made.
    defineProperty(data, 'effectAllowed', {value: event.dataTransfer.effectAllowed, writable: true});
    defineProperty(data, 'dropEffect', {value: 'none', writable: true});
    drag = {data, source: event.composedPath()[0], over: null, takes: false};
    event.preventDefault();
  });
  const whileDragged = (/** @type {Any} */ event) => {
    if (!drag || !event.isTrusted) return;
    event.stopImmediatePropagation();
    event.preventDefault();
    if (event.type === 'mousemove') moveTo(event);
    if (event.type !== 'mouseup') return;
    moveTo(event);
    if (drag.over) dragged(drag.takes ? 'drop' : 'dragleave', drag.over, event);
    if (!drag.takes) drag.data.dropEffect = 'none';
    dragged('dragend', drag.source, event);
    drag = null;
  };
  for (const type of ['pointermove', 'mousemove', 'mouseover', 'mouseout', 'selectstart', 'pointerup', 'mouseup'])
    listen(type, whileDragged, true);

  // Files

  /** An input that takes the files for one outside of the document. @type {Any} */
  let standIn = null;
  /** @type {Any} */
  let standsFor = null;
  const handOver = (/** @type {Any} */ event) => {
    if (!standIn || event.target !== standIn) return;
    event.stopImmediatePropagation();
    if (event.type === 'input') return;
    standsFor.files = standIn.files;
    standIn.remove();
    standIn = null;
    for (const type of ['input', 'change'])
      standsFor.dispatchEvent(new Event(type, {bubbles: true, composed: type === 'input'}));
  };
  listen('input', handOver, true);
  listen('change', handOver, true);

  // Windows

  /** The names of windows that are there. */
  const names = new Set(['', '_self', '_parent', '_top']);
  /** The document opens a page in the window with this name: the driver knows a new one a moment later. */
  const openIn = (/** @type {string} */ name, /** @type {Any} */ url) => {
    const key = /^_/.test(name) ? name.toLowerCase() : name;
    if (name === page.name || names.has(key)) return;
    if (key !== '_blank') names.add(key);
    note({kind: 'window', url: absolute(url)});
  };
  const attributeOf = Element.prototype.getAttribute;
  /** The name of the window in which a link or form opens its page. @param {Any} element @param {Any} [submitter] */
  const targetOf = (element, submitter) => {
    const own = submitter && apply(attributeOf, submitter, ['formtarget']);
    const of = (/** @type {Any} */ each) => each && apply(attributeOf, each, ['target']);
    return text(own || of(element) || of(apply(select, here, ['base[target]'])[0]) || '');
  };
  /**
   * Return the URL that a form is sent to, and the name of the window that shows the answer.
   * @param {Any} form @param {Any} [submitter] @returns {[string, string]}
   */
  const sentTo = (form, submitter) => {
    const own = submitter && apply(attributeOf, submitter, ['formaction']);
    return [absolute(own || apply(attributeOf, form, ['action']) || ''), targetOf(form, submitter)];
  };

  // Navigations

  let leaving = '';
  /** The last click on a link or submission of a form, and the URL and the name of the window that it leads to. */
  let followed = {event: /** @type {Any} */ (null), url: '', name: ''};
  const isFollowed = () => followed.event && !followed.event.defaultPrevented;
  const openFollowed = () => {
    if (isFollowed()) openIn(followed.name, followed.url);
    followed.name = '';
  };
  /** Take note of what is about to happen. The page may stop the event here; whether it prevents it shows later. */
  const follow = (/** @type {Any} */ event, url = '', name = '') => {
    openFollowed();
    followed = {event, url, name};
  };
  listen('click', (event) => {
    const link = linkOf(event);
    if (link) follow(event, addressOf(link), targetOf(link));
    else follow(null);
  }, true);
  listen('click', (event) => {
    const link = event.isTrusted && event.ctrlKey && !event.defaultPrevented && linkOf(event);
    if (!link) return;
    event.preventDefault();
    openBeside(link);
  });
  listen('submit', (event) => follow(event, ...sentTo(event.target, event.submitter)), true);
  listen('beforeunload', () => {
    leaving = (isFollowed() && followed.url) || 'about:blank';
  });
  listen('pageshow', () => {
    leaving = '';
  });

  let stays = false;
  /** Number of answers so far. */
  let answers = 0;
  /** Answer with the state of the document, and the events that the server has not heard. @param {Any} made */
  const answer = (made) => {
    openFollowed();
    const changed = [...dirty];
    dirty = new Set();
    const [timing] = page.performance.getEntriesByType('navigation');
    const state = {
      ...made,
      first,
      events,
      url: page.location.href,
      ready: here.readyState,
      parsed: here.readyState !== 'loading' && (!timing || timing.domContentLoadedEventEnd > 0),
      // A document that is complete while another one is requested has no load event: WebKitGTK 2.50.
      loaded: here.readyState === 'complete' && (stays || !timing || timing.loadEventEnd > 0),
      stamp,
      number: ++answers,
      status: timing?.responseStatus ?? 0,
      leaving,
      dirty: changed,
      frames: lookAtFrames(),
    };
    return toJson(state);
  };

  /** Return a function that answers when it is called first. @param {(value: Any) => void} resolve */
  const answering = (resolve) => {
    let answered = false;
    return () => {
      if (answered) return;
      answered = true;
      resolve(answer({}));
    };
  };

  /** Answer when so many frames have been painted, or after some milliseconds. */
  const painted = (/** @type {number} */ count, /** @type {number} */ limit) =>
    new AnyPromise((/** @type {(value: Any) => void} */ resolve) => {
      const end = answering(resolve);
      const next = (/** @type {number} */ left) => (left ? time.requestAnimationFrame(() => next(left - 1)) : end());
      next(count);
      later(end, limit);
    });

  /** Resolves when the wheel that is watched has been turned. @type {Any} */
  let turned = AnyPromise.resolve();
  /** Whether its event reaches this document. */
  let reaches = true;

  return {
    document: here,
    context,
    stamp,
    closedRoots,
    note,
    openIn,
    sentTo,
    call: $bidiCall,
    run,
    take,
    frames: framesOf,
    exception: (/** @type {Any} */ thrown) => exception(thrown, optionsOf({maxObjectDepth: 1}, 'none')),
    remote: (/** @type {Any} */ value) => remote(value, optionsOf({maxObjectDepth: 4}, 'none')),
    /** Forget the events that the server has heard, if it means this document. @param {string} of @param {number} count */
    heard: (/** @type {string} */ of, /** @type {number} */ count) => {
      if (of !== stamp || count <= first) return;
      events = apply(slice, events, [count - first]);
      first = count;
    },
    peek: () => answer({}),
    /** The navigation under way does not replace the document. */
    stay: () => {
      leaving = '';
      stays = true;
      return answer({});
    },
    release: (/** @type {string[]} */ released) => released.forEach((handle) => handles.delete(handle)),
    element: (/** @type {string} */ id) => nodes.get(id)?.deref() ?? null,
    /**
     * Return the input, now empty, to which the driver gives files: it takes none that is outside of the document, so
     * that another one stands for such an input.
     * @param {string} id
     */
    taker: (id) => {
      const input = nodes.get(id)?.deref();
      if (!input) return null;
      input.value = '';
      if (input.isConnected) return input;
      standIn?.remove();
      standIn = assign(here.createElement('input'), {type: 'file', multiple: input.multiple});
      standsFor = input;
      here.documentElement.append(standIn);
      return standIn;
    },
    /** Let listen.js, which comes late, know of the event handlers that are properties of elements. */
    noteHandlers: () => {
      const names = 'click dblclick mousedown mouseup pointerdown pointerup touchstart touchend contextmenu'.split(' ');
      for (const element of apply(select, here, ['*']))
        for (const name of names) {
          const handler = element[`on${name}`];
          if (handler && !element.hasAttribute(`on${name}`)) element[`on${name}`] = handler;
        }
    },
    /** Return the centre of the part of an element that is in the viewport. */
    centre: (/** @type {string} */ id) => {
      const node = nodes.get(id)?.deref();
      if (!node) throw new Failure('no such node', `the document has no node ${id}`);
      const {left, top, right, bottom} = node.getClientRects()[0] ?? node.getBoundingClientRect();
      const x = (Math.max(0, left) + Math.min(page.innerWidth, right)) / 2;
      const y = (Math.max(0, top) + Math.min(page.innerHeight, bottom)) / 2;
      return [Math.floor(x), Math.floor(y)];
    },
    /** Return where the content of a child frame begins in this document's viewport. */
    offset: (/** @type {number} */ number, /** @type {number[] | undefined} */ point) => {
      const element = frames.find((each) => numbers.get(each) === number);
      if (!element) return null;
      const style = page.getComputedStyle(element);
      const begin = () => {
        const box = element.getBoundingClientRect();
        const left = box.left + element.clientLeft + parseFloat(style.paddingLeft);
        return [left, box.top + element.clientTop + parseFloat(style.paddingTop)];
      };
      const [left, top] = begin();
      if (!point) return [left, top];
      const [x, y] = [left + point[0], top + point[1]];
      const {innerWidth: width, innerHeight: height} = page;
      // A document in a frame of another origin cannot scroll the documents around it.
      if (x < 0 || y < 0 || x >= width || y >= height)
        page.scrollBy({left: x - width / 2, top: y - height / 2, behavior: 'instant'});
      return begin();
    },
    size: () => {
      const root = here.scrollingElement ?? here.documentElement;
      return [root?.scrollWidth ?? 0, root?.scrollHeight ?? 0, page.innerWidth, page.innerHeight, page.scrollX, page.scrollY, page.devicePixelRatio];
    },
    /**
     * Watch for the next wheel event, at a point if it is known. Answer after a frame or some milliseconds: a window
     * without one loses it (WebKitGTK 2.50).
     * @param {[number, number] | null} point @param {number} frame
     */
    watchWheel: (point, frame) => {
      reaches = point !== null && !isFrame(apply(elementAt, here, point));
      const add = (/** @type {(value: Any) => void} */ resolve) =>
        apply(EventTarget.prototype.addEventListener, page, ['wheel', resolve, {once: true, capture: true, passive: true}]);
      turned = new AnyPromise(add);
      return painted(1, frame);
    },
    /**
     * Answer after the wheel event and the frame after it, in which WebKitGTK 2.50 scrolls, or after some milliseconds
     * without the event or the frame. The event of a frame of the page does not come here.
     */
    wheel: (/** @type {number} */ event, /** @type {number} */ elsewhere, /** @type {number} */ frame) =>
      new AnyPromise((/** @type {(value: Any) => void} */ resolve) => {
        const end = answering(resolve);
        const missing = later(end, reaches ? event : elsewhere);
        const wait = () => {
          time.clearTimeout(missing);
          time.requestAnimationFrame(() => later(end, 0));
          later(end, frame);
        };
        apply(then, turned, [wait]);
      }),
    painted,
    /** Answer when the viewport has a size, or after some milliseconds. */
    sized: (/** @type {number} */ width, /** @type {number} */ height, /** @type {number} */ limit) =>
      new AnyPromise((/** @type {(value: Any) => void} */ resolve) => {
        const end = answering(resolve);
        const until = now() + limit;
        const look = () => {
          if ((page.innerWidth === width && page.innerHeight === height) || now() > until) end();
          else time.requestAnimationFrame(look);
        };
        look();
        later(end, limit);
      }),
    /** Return the numbers of the child frames in the order of their windows. */
    order: () => {
      const found = lookAtFrames();
      const windows = frames.map((element) => element.contentWindow);
      const sorted = [];
      for (let index = 0; index < page.length; ++index) sorted.push(found[windows.indexOf(page[index])]);
      return toJson([stamp, sorted]);
    },
    frame: (/** @type {number} */ number) => frames.find((element) => numbers.get(element) === number) ?? null,

    /** Take the focus from frames, where this document has an active element. */
    takeKeys: () => {
      const active = apply(activeOf, here, []);
      if (active && active !== apply(bodyOf, here, []) && !isFrame(active)) window.focus();
      return answer({});
    },
    now: () => now(),
  };
};
