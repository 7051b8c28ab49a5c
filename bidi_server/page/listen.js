// Runs in the page's own realm before its scripts: notes which elements get listeners for clicks, and handlers by
// assignment, which nothing else tells. The page sees the same functions as ever, by name, by length and as text. When
// the walker sends the question, an event of a secret type, each of the elements gets an event of that type in turn, for
// the walker to hear. Also notes the short timers that come of an input, as of typing into a field that searches after a
// pause: another question, which is cancelled as long as one of them is pending. And the requests that scripts make for an
// input, where the browser itself tells of them late: the third question, which an event with their URLs answers. And what
// custom elements say in their ElementInternals, which only who attached them can read.
(secret) => {
  const kinds = new Set('click dblclick mousedown mouseup pointerdown pointerup touchstart touchend contextmenu'.split(' '));
  const {apply} = Reflect;
  const prototype = EventTarget.prototype;
  const add = prototype.addEventListener;
  const send = prototype.dispatchEvent;
  const isElement = Object.getOwnPropertyDescriptor(Node.prototype, 'nodeType').get;
  const isConnected = Object.getOwnPropertyDescriptor(Node.prototype, 'isConnected').get;
  const PageEvent = Event;
  const Message = MessageEvent;
  const cancel = PageEvent.prototype.preventDefault;
  const Reference = WeakRef;
  const deref = WeakRef.prototype.deref;
  const known = new WeakSet();
  const has = WeakSet.prototype.has;
  const remember = WeakSet.prototype.add;
  const isKind = Set.prototype.has;
  let references = [];
  const note = (target) => {
    try {
      if (apply(isElement, target, []) !== 1 || apply(has, known, [target])) return;
    } catch {
      return; // a window, a request, something of the page's own making
    }
    apply(remember, known, [target]);
    references[references.length] = new Reference(target);
  };
  prototype.addEventListener = new Proxy(add, {
    apply(target, self, parameters) {
      if (apply(isKind, kinds, [parameters[0]])) note(self);
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
  apply(add, document, [secret, (question) => {
    if (question.target !== document) return;
    const kept = [];
    for (let index = 0; index < references.length; index++) {
      const element = apply(deref, references[index], []);
      if (!element) continue;
      kept[kept.length] = references[index];
      if (apply(isConnected, element, [])) apply(send, element, [new PageEvent(secret)]);
    }
    references = kept;
  }]);

  // What custom elements say in their ElementInternals: whether there are any is asked of the document, what they are of
  // each element.
  let attached = false;
  const said = [];
  const named = []; // attributes that name elements
  for (const [name, {get}] of Object.entries(Object.getOwnPropertyDescriptors(ElementInternals.prototype))) {
    if (get && name === 'role') said.push({name, get});
    else if (get && /^aria.*Elements?$/.test(name))
      named.push({name: `aria-${name.slice(4).replace(/Elements?$/, '').toLowerCase()}`, get, isList: name.endsWith('s')});
    else if (get && name.startsWith('aria')) said.push({name: `aria-${name.slice(4).toLowerCase()}`, get});
  }
  HTMLElement.prototype.attachInternals = new Proxy(HTMLElement.prototype.attachInternals, {
    apply(target, self, parameters) {
      const internals = apply(target, self, parameters);
      attached = true;
      apply(add, self, [`${secret} internals`, () => {
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
            apply(send, elements[at], [new Message(`${secret} named`, {__proto__: null, data: name})]);
        }
        if (text) apply(send, self, [new Message(`${secret} said`, {__proto__: null, data: text})]);
      }]);
      return internals;
    },
  });
  apply(add, document, [`${secret} internals`, (question) => {
    if (attached && question.target === document) apply(cancel, question, []);
  }]);

  // What a script still means to do for the input that came last.
  const longest = 500; // milliseconds: a usual pause after typing is 150 to 500, what repeats mostly waits longer
  const deepest = 2; // a timer of an input and one that it sets; what goes on from there is a clock
  const untrusted = new Set(['input', 'change']); // which the walker sends where a browser has no way to choose
  const inputs = 'pointerdown mousedown pointerup mouseup click dblclick auxclick contextmenu keydown keyup beforeinput input change ' +
    'mouseover wheel dragover drop paste submit';
  const pending = Object.create(null);
  let count = 0;
  let acting = false; // from an input until the walker finds the page quiet
  let depth = 0; // how many timers led to what runs now; more than all that count for those of no input
  const forget = (id) => {
    if (!pending[id]) return;
    delete pending[id];
    count--;
  };
  let asked = []; // URLs of the requests that scripts have made since the input that came last
  const act = (event) => {
    if (depth > 0 || !(event.isTrusted || apply(isKind, untrusted, [event.type]))) return;
    if (!acting) asked = [];
    acting = true;
  };
  for (const kind of inputs.split(' ')) apply(add, window, [kind, act, {capture: true, passive: true}]);
  window.setTimeout = new Proxy(setTimeout, {
    apply(target, self, parameters) {
      const callback = parameters[0];
      if (typeof callback !== 'function') return apply(target, self, parameters);
      const delay = parameters[1];
      const counts = (depth > 0 || acting) && depth < deepest && delay > 0 && delay <= longest;
      const level = counts ? depth + 1 : deepest;
      let id = 0;
      parameters[0] = function (...given) {
        forget(id);
        const before = depth;
        depth = level;
        try {
          return apply(callback, this, given);
        } finally {
          depth = before;
        }
      };
      id = apply(target, self, parameters);
      if (counts) {
        pending[id] = true;
        count++;
      }
      return id;
    },
  });
  for (const name of ['clearTimeout', 'clearInterval']) {
    window[name] = new Proxy(window[name], {
      apply(target, self, parameters) {
        if (typeof parameters[0] === 'number') forget(parameters[0]);
        return apply(target, self, parameters);
      },
    });
  }
  apply(add, document, [`${secret} work`, (question) => {
    acting = false;
    if (count > 0) apply(cancel, question, []);
  }]);
  // Firefox 140 and 153 tell of a request 3 to 10 ms after its begin, on a busy machine 130, and through a service worker
  // only with the answer.
  if (!CSS.supports('-moz-appearance', 'none')) return;
  const most = 50; // enough for what a page asks at one input
  const PageURL = URL;
  const getter = (prototype, name) => Object.getOwnPropertyDescriptor(prototype, name).get;
  const [base, href, ofRequest] = [getter(Node.prototype, 'baseURI'), getter(URL.prototype, 'href'), getter(Request.prototype, 'url')];
  const ask = (given) => {
    if (!(acting || depth > 0) || asked.length >= most) return;
    for (const read of [() => (typeof given === 'string' ? given : apply(ofRequest, given, [])), () => apply(href, given, [])]) {
      try {
        asked[asked.length] = new PageURL(read(), apply(base, document, [])).href;
        return;
      } catch {
        // not one of these, or no URL
      }
    }
  };
  window.fetch = new Proxy(fetch, {
    apply(target, self, parameters) {
      ask(parameters[0]);
      return apply(target, self, parameters);
    },
  });
  const opened = new WeakMap();
  const [keep, opening] = [WeakMap.prototype.set, WeakMap.prototype.get];
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
      ask(apply(opening, opened, [self]));
      return apply(target, self, parameters);
    },
  });
  apply(add, document, [`${secret} requests`, () => {
    let urls = '';
    for (let index = 0; index < asked.length; index++) urls += `${index ? ' ' : ''}${asked[index]}`;
    if (urls) apply(send, document, [new Message(`${secret} asked`, {data: urls})]);
  }]);
}
