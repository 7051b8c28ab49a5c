// Runs in the page's own realm before the page's scripts and records what no other realm can see. The functions that it
// wraps look unchanged to the page: they keep their name, length and text. The walker asks by dispatching events of
// secret types at the document:
// * Which elements have listeners or `on…` handlers for clicks? Each of them gets an event of the same type in
//   turn, which the walker listens for.
// * Are short timers pending that an input caused, as for a field that searches after a pause in typing? The event is
//   cancelled as long as one is.
// * Have workers and servers replied to the messages that scripts sent because of an input? The event is cancelled as
//   long as a reply may still come; another event lists the names of those that have not replied.
// * Which requests have scripts made because of an input? An event with their URLs answers. Only for browsers that
//   report requests late.
// * Which ARIA properties have custom elements set on their ElementInternals? Only the code that attached the internals
//   can read them.
/** @param {string} secret @param {boolean} tellsLate whether the browser reports requests late */
(secret, tellsLate) => {
  const kinds = new Set(
    'click dblclick mousedown mouseup pointerdown pointerup touchstart touchend contextmenu'.split(' '),
  );
  /** @type {(target: Function, self: unknown, parameters: ArrayLike<unknown>) => any} the value of whatever is called */
  const apply = Reflect.apply;
  const page = /** @type {any} */ (window); // its properties are taken by name
  /** @param {object} prototype @param {string} name @returns {Function} */
  const getter = (prototype, name) => /** @type {any} */ (Object.getOwnPropertyDescriptor(prototype, name)).get;
  const prototype = EventTarget.prototype;
  const add = prototype.addEventListener;
  const send = prototype.dispatchEvent;
  const isElement = getter(Node.prototype, 'nodeType');
  const isConnected = getter(Node.prototype, 'isConnected');
  /**
   * Return the object without the properties that a page may have added to `Object.prototype`.
   * @param {MessageEventInit} object @returns {MessageEventInit}
   */
  const own = (object) => setPrototype(object, null);
  const setPrototype = Object.setPrototypeOf;
  const PageEvent = Event;
  const Message = MessageEvent;
  const cancel = PageEvent.prototype.preventDefault;
  const Reference = WeakRef;
  const deref = WeakRef.prototype.deref;
  const known = new WeakSet();
  const has = WeakSet.prototype.has;
  const remember = WeakSet.prototype.add;
  const isKind = Set.prototype.has;
  const hearers = new WeakSet(); // targets with a listener for messages
  /** @type {WeakRef<Element>[]} */
  let references = [];
  /** @param {any} target the page's, so of any kind */
  const note = (target) => {
    try {
      if (apply(isElement, target, []) !== 1 || apply(has, known, [target])) return;
    } catch {
      return; // a window, a request, or an event target that the page defines itself
    }
    apply(remember, known, [target]);
    references[references.length] = new Reference(target);
  };
  /**
   * Hear the walker's questions. At the window: in Firefox 153 a frame's first page replaces the document of its window,
   * about:blank, with which listeners of the document end.
   * @param {string} type @param {(question: Event) => void} listener
   */
  const listen = (type, listener) => apply(add, window, [type, listener, true]);
  prototype.addEventListener = new Proxy(add, {
    apply(target, self, parameters) {
      if (apply(isKind, kinds, [parameters[0]])) note(self);
      else if (parameters[0] === 'message' && typeof self === 'object' && self) apply(remember, hearers, [self]);
      return apply(target, self, parameters);
    },
  });
  for (const type of [HTMLElement.prototype, SVGElement.prototype]) {
    for (const kind of kinds) {
      const property = Object.getOwnPropertyDescriptor(type, `on${kind}`);
      if (!property?.set) continue;
      property.set = new Proxy(property.set, {
        apply(target, self, parameters) {
          if (typeof parameters[0] === 'function') note(self);
          return apply(target, self, parameters);
        },
      });
      Object.defineProperty(type, `on${kind}`, property);
    }
  }
  listen(secret, (/** @type {Event} */ question) => {
    if (question.target !== document) return;
    const kept = [];
    for (let index = 0; index < references.length; index++) {
      const element = apply(deref, references[index], []);
      if (!element) continue;
      kept[kept.length] = references[index];
      if (apply(isConnected, element, [])) apply(send, element, [new PageEvent(secret)]);
    }
    references = kept;
  });

  // ARIA properties that custom elements set on their ElementInternals. An event at the document asks whether there are
  // any, an event at an element asks for its properties.
  let attached = false;
  /** @type {{name: string, get: Function}[]} */
  const said = [];
  /** @type {{name: string, get: Function, isList: boolean}[]} attributes that refer to elements */
  const named = [];
  const [descriptorsOf, entriesOf] = [Object.getOwnPropertyDescriptors, Object.entries];
  // Only when needed: in Firefox 153 it takes a third of the time of this script, and few pages have such elements.
  const readProperties = () => {
    for (const [name, {get}] of entriesOf(descriptorsOf(ElementInternals.prototype))) {
      if (get && name === 'role') said.push({name, get});
      else if (get && /^aria.*Elements?$/.test(name))
        named.push({
          name: `aria-${name
            .slice(4)
            .replace(/Elements?$/, '')
            .toLowerCase()}`,
          get,
          isList: name.endsWith('s'),
        });
      else if (get && name.startsWith('aria')) said.push({name: `aria-${name.slice(4).toLowerCase()}`, get});
    }
  };
  HTMLElement.prototype.attachInternals = new Proxy(HTMLElement.prototype.attachInternals, {
    apply(target, self, parameters) {
      const internals = apply(target, self, parameters);
      try {
        if (!attached) readProperties();
      } catch {
        // the page has replaced functions that this calls
      }
      attached = true;
      apply(add, self, [
        `${secret} internals`,
        () => {
          let text = '';
          for (let index = 0; index < said.length; index++) {
            const value = apply(said[index].get, internals, []);
            if (typeof value === 'string') text += `${said[index].name}\0${value}\0`;
          }
          for (let index = 0; index < named.length; index++) {
            const {name, get, isList} = named[index];
            const value = apply(get, internals, []);
            if (!value) continue;
            text += `${name}\0\0`;
            const elements = isList ? value : [value];
            for (let at = 0; at < elements.length; at++)
              apply(send, elements[at], [new Message(`${secret} named`, own({data: name}))]);
          }
          if (text) apply(send, self, [new Message(`${secret} said`, own({data: text}))]);
        },
      ]);
      return internals;
    },
  });
  listen(`${secret} internals`, (/** @type {Event} */ question) => {
    if (attached && question.target === document) apply(cancel, question, []);
  });

  // Work that scripts have scheduled because of the last input.
  const longest = 500; // milliseconds: a usual pause after typing is 150 to 500, repeating timers are mostly longer
  const deepest = 2; // a timer that an input sets, and one that this timer sets; longer chains are periodic
  const farthest = 6; // replies that lead to another message: four of them when one signs in to Actual 25.6
  const untrusted = new Set(['input', 'change']); // the walker dispatches them where a browser offers no way to choose
  const inputs =
    'pointerdown mousedown pointerup mouseup click dblclick auxclick contextmenu keydown keyup beforeinput input change ' +
    'mouseover wheel dragover drop paste submit';
  /** @typedef {number | string} TimerId */
  /** @type {Record<TimerId, boolean>} */
  const pending = Object.create(null);
  let count = 0;
  let acting = false; // true from an input, or a reply that it led to, until the walker asks whether the page is quiet
  let origin = 0; // number of replies between the input and the code that acts now
  let depth = 0; // number of timers and replies that led to the running timer; Infinity if no input led to it
  let isAsked = true; // whether the walker has asked since the last input
  // Chromium calls listeners of workers and sockets in the order of their registration: the page's before ours.
  const level = () => (depth > 0 ? depth : acting ? origin : levelOfAnswer());
  /** @param {TimerId | undefined} id */
  const forget = (id) => {
    if (id === undefined || !pending[id]) return;
    delete pending[id];
    count--;
  };
  /** @type {string[]} URLs of the requests that scripts have made since the last input */
  let asked = [];
  /**
   * @typedef {{name: string, receiver: object, handler: Function, level: number, until: number, isOpen: boolean, isOld: boolean,
   *   isSilent: boolean, isListed: boolean, during: Event | undefined, ids: Set<string>, matchesIds: boolean}}
   *   Exchange `during` is the event whose listener sent the message; `ids` those of messages without a reply, and
   *   `matchesIds` whether a reply has had such an ID
   */
  /** @type {Exchange[]} with receivers of messages that have not replied */
  let exchanges = [];
  const exchangeWith = new WeakMap(); // keyed by the object that receives the reply
  const [keep, look] = [WeakMap.prototype.set, WeakMap.prototype.get];
  const [current, target] = [getter(window, 'event'), getter(PageEvent.prototype, 'target')];
  const levelOfAnswer = () => {
    const event = apply(current, window, []);
    const exchange = event && apply(look, exchangeWith, [apply(target, event, [])]);
    return exchange?.isOpen && !exchange.isOld ? exchange.level : Infinity;
  };
  const [clientX, clientY] = [getter(MouseEvent.prototype, 'clientX'), getter(MouseEvent.prototype, 'clientY')];
  let place = ''; // of the pointer
  /** Return where the pointer was before this event. @param {Event} event */
  const moveTo = (event) => {
    const last = place;
    place = `${apply(clientX, event, [])} ${apply(clientY, event, [])}`;
    return last;
  };
  /** @param {Event} event */
  const act = (event) => {
    if (event.isTrusted && (event.type === 'mouseover' || event.type === 'mousedown')) {
      const last = moveTo(event);
      if (event.type === 'mouseover' && place === last) return; // the page has moved under the pointer
    }
    if (depth > 0 || !(event.isTrusted || apply(isKind, untrusted, [event.type]))) return;
    begin();
  };
  const begin = () => {
    if (isAsked) {
      asked = [];
      for (let index = 0; index < exchanges.length; index++) exchanges[index].isOld = true;
    }
    isAsked = false;
    acting = true;
    origin = 0;
  };
  for (const kind of inputs.split(' ')) apply(add, window, [kind, act, {capture: true, passive: true}]);
  listen(`${secret} act`, begin); // before the server makes timers fire: see clock.js
  const setTimer = setTimeout;
  const queue = queueMicrotask;
  // Turns of the microtask queue from a timer to the code that awaits it: one for each function in between, three where
  // it is not declared async and returns a promise of its own.
  const turns = 10;
  /**
   * Return to the depth around a timer once the code that awaits it has run.
   * @param {number} outer @param {number} left turns
   */
  const surface = (outer, left) => {
    if (left > 0) apply(queue, window, [() => surface(outer, left - 1)]);
    else depth = outer;
  };
  /**
   * Return the callback for a timer, and `isSet`, which takes the timer's id and returns whether settling waits for it.
   * @param {Function} callback @param {number} delay
   */
  const timed = (callback, delay) => {
    const before = level();
    const isShort = before < deepest && !(delay > longest);
    const counts = isShort && delay > 0; // a timer without a delay runs before the page is quiet
    let current = isShort ? before + 1 : Infinity;
    /** @type {TimerId | undefined} */
    let key;
    return {
      /** @this {unknown} @param {unknown[]} given */
      callback(...given) {
        forget(key);
        const outer = depth;
        depth = current;
        current = Infinity; // from its second run on, an interval is periodic
        try {
          return apply(callback, this, given);
        } finally {
          if (depth < Infinity) surface(outer, turns);
          else depth = outer;
        }
      },
      /** @param {TimerId} id */
      isSet(id) {
        if (!counts) return false;
        key = id;
        pending[id] = true;
        count++;
        return true;
      },
    };
  };
  for (const name of ['setTimeout', 'setInterval']) {
    page[name] = new Proxy(page[name], {
      apply(target, self, parameters) {
        const [code, delay] = [parameters[0], parameters[1]];
        const timer = timed(code, delay);
        if (typeof code === 'function') parameters[0] = timer.callback;
        const id = apply(target, self, parameters);
        // Code given as a string can't be wrapped: a timer of our own fires right after the page's.
        if (timer.isSet(id) && typeof code !== 'function') setTimer(() => forget(id), delay);
        return id;
      },
    });
  }
  for (const name of ['clearTimeout', 'clearInterval']) {
    page[name] = new Proxy(page[name], {
      apply(target, self, parameters) {
        if (typeof parameters[0] === 'number') forget(parameters[0]);
        return apply(target, self, parameters);
      },
    });
  }
  if (page.Scheduler) {
    // not in Firefox 140
    let tasks = 0;
    const tasksOf = page.Scheduler.prototype;
    tasksOf.postTask = new Proxy(tasksOf.postTask, {
      apply(target, self, parameters) {
        if (typeof parameters[0] !== 'function' || !(parameters[1]?.delay > 0)) return apply(target, self, parameters);
        const {delay} = parameters[1];
        const timer = timed(parameters[0], delay);
        parameters[0] = timer.callback;
        const answer = apply(target, self, parameters);
        const id = `task ${++tasks}`;
        if (timer.isSet(id)) setTimer(() => forget(id), delay); // the task may have been aborted
        return answer;
      },
    });
  }
  listen(`${secret} work`, (/** @type {Event} */ question) => {
    acting = false;
    isAsked = true;
    if (count > 0) apply(cancel, question, []);
  });

  // Messages that scripts have sent because of an input and that expect a message as reply. Without a listener no reply
  // is expected, as at the port by which React calls itself.
  const patience = 500; // milliseconds: as for timers
  const clock = performance;
  const now = Performance.prototype.now;
  const dataOf = getter(Message.prototype, 'data');
  const PageSet = Set;
  const {add: include, delete: remove} = Set.prototype;
  const sizeOf = getter(Set.prototype, 'size');
  const descriptorOf = Object.getOwnPropertyDescriptor;
  /**
   * Return the `id` of a message. Pages that call a worker as they would a function match its replies by it, and the
   * worker may send other messages before (Actual 25.6).
   * @param {any} data the page's, so of any kind
   * @returns {string | undefined}
   */
  const idOf = (data) => {
    const id = typeof data === 'object' && data ? descriptorOf(data, 'id')?.value : undefined;
    return typeof id === 'string' || typeof id === 'number' ? `${id}` : undefined;
  };
  /** @param {object} receiver @param {Function} handler @param {string} name @param {unknown} data */
  const sent = (receiver, handler, name, data) => {
    const before = level();
    if (before >= farthest) return;
    /** @type {Exchange | undefined} */
    let exchange = apply(look, exchangeWith, [receiver]);
    if (!exchange) {
      const made = {
        name,
        receiver,
        handler,
        level: 0,
        until: 0,
        isOpen: false,
        isOld: false,
        isSilent: false,
        isListed: false,
        during: undefined,
        ids: new PageSet(),
        matchesIds: false,
      };
      const heard = (/** @type {Event} */ reply) => {
        const hasIds = apply(sizeOf, made.ids, []) > 0;
        const isMatch = hasIds && reply instanceof Message && apply(remove, made.ids, [idOf(apply(dataOf, reply, []))]);
        made.matchesIds ||= isMatch;
        if (!made.isOpen || (hasIds && made.matchesIds && !isMatch)) return;
        const goesOn = made.during === reply; // a listener of the page, called before this one, has sent the next
        made.isOpen = goesOn || (made.matchesIds && apply(sizeOf, made.ids, []) > 0);
        if (made.isOld) return;
        acting = true;
        origin = goesOn ? made.level - 1 : made.level;
      };
      for (const kind of ['message', 'messageerror', 'open', 'error', 'close'])
        apply(add, receiver, [kind, heard, {capture: true}]);
      apply(keep, exchangeWith, [receiver, made]);
      exchange = made;
    }
    const time = apply(now, clock, []);
    // A receiver that did not reply in time is not waited for again until it replies.
    exchange.isSilent = exchange.isOpen && time >= exchange.until;
    if (!exchange.isSilent) exchange.until = time + patience;
    if (!exchange.isListed) exchanges[exchanges.length] = exchange;
    if (exchange.isOld) exchange.ids = new PageSet();
    const id = idOf(data);
    if (id !== undefined) apply(include, exchange.ids, [id]);
    exchange.isListed = true;
    exchange.isOpen = true;
    exchange.isOld = false;
    exchange.level = before + 1;
    exchange.during = apply(current, window, []);
  };
  /** @type {{type: string, method: string, name?: string, at?: string}[]} */
  const messengers = [
    {type: 'Worker', method: 'postMessage', name: 'A worker'},
    {type: 'MessagePort', method: 'postMessage', name: 'A message port'},
    {type: 'BroadcastChannel', method: 'postMessage', name: 'A broadcast channel'},
    {type: 'ServiceWorker', method: 'postMessage', name: 'A service worker', at: 'ServiceWorkerContainer'},
    {type: 'WebSocket', method: 'send'},
  ];
  /** @type {Record<string, Function>} */
  const urls = Object.create(null);
  /** @type {Record<string, Function>} */
  const handlers = Object.create(null);
  handlers.EventSource = () => true; // its events may have any name, so assume a listener
  for (const {type, method, name, at = type} of messengers) {
    if (!page[type]) continue; // service workers exist in secure contexts only
    const {prototype} = page[type];
    const handler = (handlers[type] = getter(page[at].prototype, 'onmessage'));
    prototype[method] = new Proxy(prototype[method], {
      apply(target, self, parameters) {
        const answer = apply(target, self, parameters);
        sent(at === type ? self : navigator.serviceWorker, handler, name ?? apply(urls[type], self, []), parameters[0]);
        return answer;
      },
    });
  }
  // A connection that is opened because of an input: its first event is the reply.
  for (const type of ['WebSocket', 'EventSource']) {
    const {construct} = Reflect;
    urls[type] = getter(page[type].prototype, 'url');
    page[type] = new Proxy(page[type], {
      construct(target, parameters, newTarget) {
        const made = construct(target, parameters, newTarget);
        sent(made, handlers[type], apply(urls[type], made, []), undefined);
        return made;
      },
    });
    page[type].prototype.constructor = page[type];
  }
  listen(`${secret} answers`, (/** @type {Event} */ question) => {
    const kept = [];
    const names = ['', ''];
    for (let index = 0; index < exchanges.length; index++) {
      const exchange = exchanges[index];
      exchange.isListed = exchange.isOpen;
      if (!exchange.isOpen) continue;
      kept[kept.length] = exchange;
      const {receiver, handler, isSilent} = exchange;
      if (exchange.isOld || !(apply(has, hearers, [receiver]) || apply(handler, receiver, []))) continue;
      names[isSilent ? 1 : 0] += `${exchange.name}\n`;
      if (!isSilent && apply(now, clock, []) < exchange.until) apply(cancel, question, []);
    }
    exchanges = kept;
    const data = `${names[0]}\0${names[1]}`;
    if (data !== '\0') apply(send, document, [new Message(`${secret} unanswered`, own({data}))]);
  });
  // Requests that scripts make because of an input. What awaits one acts for the input as well, and where the browser
  // reports requests late, their URLs are told.
  const most = 50; // enough for the requests of one input
  const PageURL = URL;
  const [base, href, ofRequest] = [
    getter(Node.prototype, 'baseURI'),
    getter(URL.prototype, 'href'),
    getter(Request.prototype, 'url'),
  ];
  /** @param {unknown} given */
  const ask = (given) => {
    if (!tellsLate || !(acting || depth > 0) || asked.length >= most) return;
    for (const read of [
      () => (typeof given === 'string' ? given : apply(ofRequest, given, [])),
      () => apply(href, given, []),
    ]) {
      try {
        asked[asked.length] = new PageURL(read(), apply(base, document, [])).href;
        return;
      } catch {
        // of another type, or not a URL
      }
    }
  };
  /** @param {number} from number of timers and replies between the input and the request */
  const goOn = (from) => {
    acting = true;
    origin = from;
  };
  const {then} = Promise.prototype;
  window.fetch = new Proxy(fetch, {
    apply(target, self, parameters) {
      const from = level();
      ask(parameters[0]);
      const answer = apply(target, self, parameters);
      if (from >= farthest) return answer;
      // The page gets the promise of this: with the other one, an error that it does not handle would be reported twice.
      return apply(then, answer, [
        (/** @type {Response} */ response) => {
          goOn(from);
          return response;
        },
        (/** @type {unknown} */ error) => {
          goOn(from);
          throw error;
        },
      ]);
    },
  });
  const opened = new WeakMap();
  const requests = XMLHttpRequest.prototype;
  requests.open = new Proxy(requests.open, {
    apply(target, self, parameters) {
      const answer = apply(target, self, parameters);
      apply(keep, opened, [self, parameters[1]]);
      return answer;
    },
  });
  requests.send = new Proxy(requests.send, {
    apply(target, self, parameters) {
      const from = level();
      ask(apply(look, opened, [self]));
      if (from < farthest) apply(add, self, ['readystatechange', () => goOn(from), {once: true}]);
      return apply(target, self, parameters);
    },
  });
  listen(`${secret} requests`, () => {
    let urls = '';
    for (let index = 0; index < asked.length; index++) urls += `${index ? ' ' : ''}${asked[index]}`;
    if (urls) apply(send, document, [new Message(`${secret} asked`, {data: urls})]);
  });
};
