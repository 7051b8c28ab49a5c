// Records what a browser with only classic WebDriver does not report: console messages, errors, requests, and the kinds of
// dialogs. Runs in the page's own realm, once a window: the first document of a frame hands its window, with all that is
// wrapped, to the next one. What the page did before is read from its Performance timeline.
// The functions that it wraps look unchanged to the page: they keep their name, length and text.
/**
 * Return the function that has everything recorded in the realm of a document: the value of classic.js.
 * @param {string} mark characters that stand before the text of a dialog
 * @param {boolean} tellsRequests whether nothing else reports requests
 */
(mark, tellsRequests) => {
  /** @typedef {any} Any a value of the page, so of any kind */
  const page = /** @type {Any} */ (window);
  const {apply} = Reflect;
  const [text, now] = [String, Date.now];
  const then = Promise.prototype.then;
  const add = EventTarget.prototype.addEventListener;
  const getterOf = (/** @type {Any} */ type, /** @type {string} */ name) =>
    /** @type {Any} */ (Object.getOwnPropertyDescriptor(type.prototype, name)).get;
  /** @type {Any} */
  let realm = null;
  const note = (/** @type {Any} */ event) => realm.note(event);
  const guarded = (/** @type {() => void} */ action) => {
    try {
      action();
    } catch {
      // the page has replaced functions that this calls
    }
  };
  /** @param {Any} owner @param {string} name @param {(target: Any, self: Any, parameters: Any) => Any} handler */
  const wrap = (owner, name, handler) => {
    const native = owner?.[name];
    if (typeof native === 'function') owner[name] = new Proxy(native, {apply: handler});
  };

  // Console and errors

  /** @type {Record<string, string>} */
  const LEVELS = {assert: 'error', debug: 'debug', error: 'error', trace: 'debug', warn: 'warn'};
  const described = (/** @type {Any} */ value) => {
    try {
      return text(value);
    } catch {
      return 'an object';
    }
  };
  /** Return the text of an argument as Firefox composes it, from which the server reads those of errors. */
  const word = (/** @type {Any} */ value, /** @type {Any} */ remote) => {
    if (remote.value && /^(object|array|map|set)$/.test(remote.type))
      return `${remote.type[0].toUpperCase()}${remote.type.slice(1)}(${remote.value.length})`;
    return /^(string|number|bigint|boolean|regexp|error|date)$/.test(remote.type) ? described(value) : remote.type;
  };
  const {Error: AnyError} = page;
  /** @param {string} method @param {Any[]} given @param {string} said the text; '' for that of the arguments */
  const print = (method, given, said = '') => {
    const values = given.map((value) => (typeof value === 'string' ? {type: 'string', value} : realm.remote(value)));
    note({
      kind: 'console',
      method,
      level: LEVELS[method] ?? 'info',
      text: said || given.map((value, index) => word(value, values[index])).join(' '),
      arguments: values,
      stackTrace: {callFrames: realm.frames(new AnyError())},
      time: now(),
    });
  };
  const methods = 'log info warn error debug trace dir dirxml table assert group groupCollapsed groupEnd'.split(' ');
  for (const method of methods)
    wrap(console, method, (target, self, parameters) => {
      guarded(() => {
        if (method === 'assert' && parameters[0]) return;
        const given = method === 'assert' ? [...parameters].slice(1) : [...parameters];
        print(method, given, given.length || method !== 'assert' ? '' : 'Assertion failed');
      });
      return apply(target, self, parameters);
    });
  // These print what they count, and keep it to themselves: https://console.spec.whatwg.org/#counting
  const counts = new Map();
  const begins = new Map();
  const labelOf = (/** @type {Any} */ parameters) => (parameters[0] === undefined ? 'default' : text(parameters[0]));
  /** @type {Record<string, (label: string, given: Any[]) => void>} */
  const COUNTING = {
    count: (label) => {
      const number = (counts.get(label) ?? 0) + 1;
      counts.set(label, number);
      print('count', [label], `${label}: ${number}`);
    },
    countReset: (label) => counts.set(label, 0),
    time: (label) => begins.set(label, page.performance.now()),
    timeLog: (label, given) => timed('timeLog', label, given),
    timeEnd: (label) => {
      timed('timeEnd', label, []);
      begins.delete(label);
    },
  };
  const timed = (/** @type {string} */ method, /** @type {string} */ label, /** @type {Any[]} */ given) => {
    if (!begins.has(label)) return;
    const taken = `${label}: ${(page.performance.now() - begins.get(label)).toFixed(3)}ms`;
    print(method, [label, ...given], [taken, ...given.map(described)].join(' '));
  };
  for (const method of Object.keys(COUNTING))
    wrap(console, method, (target, self, parameters) => {
      guarded(() => COUNTING[method](labelOf(parameters), [...parameters].slice(1)));
      return apply(target, self, parameters);
    });
  const report = (/** @type {Any} */ thrown, /** @type {string} */ message, /** @type {Any} */ event) => {
    const details = realm.exception(thrown);
    const frames = details.stackTrace.callFrames;
    if (!frames.length && event.lineno)
      frames.push({functionName: '', url: text(event.filename), lineNumber: event.lineno - 1, columnNumber: event.colno - 1});
    note({kind: 'error', text: message, stackTrace: {callFrames: frames}, time: now()});
  };
  const hearError = (/** @type {Any} */ event) =>
    guarded(() => {
      if (event.target === page) report(event.error, text(event.message), event);
    });
  const hearRejection = (/** @type {Any} */ event) =>
    guarded(() => report(event.reason, described(event.reason), {}));
  const record = (/** @type {Any} */ given) => {
    realm = given;
    // A window that has them already ignores them.
    apply(add, page, ['error', hearError, true]);
    apply(add, page, ['unhandledrejection', hearRejection]);
  };

  // Closed shadow roots: nothing else gives them.

  wrap(Element.prototype, 'attachShadow', (target, self, parameters) => {
    const root = apply(target, self, parameters);
    guarded(() => {
      if (root.mode === 'closed') realm.closedRoots.set(self, root);
    });
    return root;
  });

  // Windows

  wrap(page, 'open', (target, self, parameters) => {
    const opened = apply(target, self, parameters);
    const [url, name, features] = parameters;
    guarded(() => {
      // One without an opener is not returned.
      if (opened || /noopener|noreferrer/i.test(text(features ?? ''))) realm.openIn(text(name || '_blank'), text(url || 'about:blank'));
    });
    return opened;
  });
  // No event tells of it.
  wrap(HTMLFormElement.prototype, 'submit', (target, self, parameters) => {
    guarded(() => {
      const [url, name] = realm.sentTo(self);
      realm.openIn(name, url);
    });
    return apply(target, self, parameters);
  });

  // Dialogs: the driver tells only their text. What stands between invisible separators before it says which kind of
  // dialog it is, and the default of a prompt.

  ['alert', 'confirm', 'prompt'].forEach((name, index) => {
    wrap(page, name, (target, self, parameters) => {
      const [message, initial] = parameters;
      const shownText = parameters.length ? text(message) : '';
      const initially = name === 'prompt' && initial !== undefined ? text(initial) : '';
      const marked = `${mark}${index + 1}${initially}${mark}${shownText}`;
      return apply(target, self, name === 'prompt' ? [marked, initially] : [marked]);
    });
  });

  // Requests

  if (!tellsRequests) return record;
  let count = 0;
  /** @type {Set<string>} URLs of requests that are reported by the functions that make them */
  const own = new Set();
  const absolute = (/** @type {Any} */ url) => new URL(text(url), page.document.baseURI).href;
  const urlOf = getterOf(Request, 'url');
  const methodOf = getterOf(Request, 'method');
  const statusOf = getterOf(Response, 'status');
  const statusTextOf = getterOf(Response, 'statusText');
  const responseUrlOf = getterOf(Response, 'url');
  const headersOf = getterOf(Response, 'headers');
  const eachHeader = Headers.prototype.forEach;

  wrap(page, 'fetch', (target, self, parameters) => {
    const id = `${realm.stamp}-${++count}`;
    let url = '';
    guarded(() => {
      const [input, options] = parameters;
      const isRequest = input instanceof Request;
      url = isRequest ? apply(urlOf, input, []) : absolute(input);
      const method = options?.method ?? (isRequest ? apply(methodOf, input, []) : 'GET');
      own.add(url);
      note({kind: 'request', id, url, method: text(method).toUpperCase(), type: 'fetch', time: now()});
    });
    const promise = apply(target, self, parameters);
    guarded(() => {
      apply(then, promise, [
        (/** @type {Any} */ response) =>
          guarded(() => {
            /** @type {string[][]} */
            const headers = [];
            apply(eachHeader, apply(headersOf, response, []), [
              (/** @type {string} */ value, /** @type {string} */ name) => {
                headers[headers.length] = [name, value];
              },
            ]);
            note({
              kind: 'response',
              id,
              url: apply(responseUrlOf, response, []) || url,
              status: apply(statusOf, response, []),
              statusText: apply(statusTextOf, response, []),
              headers,
              time: now(),
            });
          }),
        (/** @type {Any} */ error) => guarded(() => note({kind: 'failed', id, text: described(error), time: now()})),
      ]);
    });
    return promise;
  });

  const known = new WeakMap();
  const request = XMLHttpRequest.prototype;
  const xhrStatus = getterOf(XMLHttpRequest, 'status');
  const xhrStatusText = getterOf(XMLHttpRequest, 'statusText');
  const xhrUrl = getterOf(XMLHttpRequest, 'responseURL');
  const xhrHeaders = request.getAllResponseHeaders;
  wrap(request, 'open', (target, self, parameters) => {
    guarded(() => known.set(self, {method: text(parameters[0]).toUpperCase(), url: absolute(parameters[1])}));
    return apply(target, self, parameters);
  });
  wrap(request, 'send', (target, self, parameters) => {
    guarded(() => {
      const made = known.get(self);
      if (!made) return;
      const id = `${realm.stamp}-${++count}`;
      own.add(made.url);
      note({kind: 'request', id, url: made.url, method: made.method, type: 'xmlhttprequest', time: now()});
      apply(add, self, [
        'loadend',
        () =>
          guarded(() => {
            const status = apply(xhrStatus, self, []);
            if (!status) {
              note({kind: 'failed', id, text: 'the request failed', time: now()});
              return;
            }
            const headers = text(apply(xhrHeaders, self, []) ?? '')
              .split('\r\n')
              .filter(Boolean)
              .map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()]);
            const url = apply(xhrUrl, self, []) || made.url;
            note({kind: 'response', id, url, status, statusText: apply(xhrStatusText, self, []), headers, time: now()});
          }),
        {once: true},
      ]);
    });
    return apply(target, self, parameters);
  });

  const origin = page.performance.timeOrigin;
  const resource = (/** @type {Any} */ entry) => {
    const isOfScript = /^(fetch|xmlhttprequest|beacon)$/.test(entry.initiatorType);
    if (isOfScript && own.has(entry.name)) return;
    note({
      kind: 'resource',
      id: `${realm.stamp}-${++count}`,
      url: entry.name,
      // The timeline has no methods: this script ran before ours.
      method: isOfScript ? '?' : 'GET',
      protocol: entry.nextHopProtocol,
      type: entry.initiatorType,
      status: entry.responseStatus ?? 0,
      size: entry.encodedBodySize ?? 0,
      // https://www.w3.org/TR/resource-timing/#dom-performanceresourcetiming-transfersize
      cached: entry.transferSize === 0 && entry.decodedBodySize > 0,
      start: origin + entry.startTime,
      end: origin + entry.responseEnd,
    });
  };
  guarded(() => {
    new PerformanceObserver((list) => list.getEntries().forEach((entry) => guarded(() => resource(entry)))).observe({
      type: 'resource',
      buffered: true,
    });
  });
  return record;
};
