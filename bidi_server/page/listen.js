// Runs in the page's own realm before its scripts: notes which elements get listeners for clicks, and handlers by
// assignment, which nothing else tells. The page sees the same functions as ever, by name, by length and as text. When
// the walker sends the question, an event of a secret type, each of the elements gets an event of that type in turn, for
// the walker to hear.
(secret) => {
  const kinds = new Set('click dblclick mousedown mouseup pointerdown pointerup touchstart touchend contextmenu'.split(' '));
  const {apply} = Reflect;
  const prototype = EventTarget.prototype;
  const add = prototype.addEventListener;
  const send = prototype.dispatchEvent;
  const isElement = Object.getOwnPropertyDescriptor(Node.prototype, 'nodeType').get;
  const isConnected = Object.getOwnPropertyDescriptor(Node.prototype, 'isConnected').get;
  const PageEvent = Event;
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
}
