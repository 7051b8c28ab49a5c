// Runs in the page's own realm before the page's scripts, in servers with `--caps webmcp`. Where the browser has WebMCP,
// it only keeps the last error of a tool: Chromium 150 and 156 tell the caller that a tool failed, but not why. Elsewhere
// it is a polyfill of the draft (https://webmachinelearning.github.io/webmcp/), with the methods of Chromium 156 for
// callers, and `provideContext` and `unregisterTool` of earlier drafts. A form with `toolname` and `tooldescription` is
// a tool as in Chromium 156
// (https://github.com/webmachinelearning/webmcp/blob/main/declarative-api-explainer.md); forms that come and go
// fire no `toolchange`.
/** @param {string} secret type of the event by which the server asks for the last error; its `detail` is called with it */
(secret) => {
  const page = /** @type {any} */ (window); // TypeScript does not know WebMCP
  /** @type {{error?: unknown}} */
  let thrown = {};
  const {apply} = Reflect;
  const {then} = Promise.prototype;
  document.addEventListener(secret, (event) => {
    /** @type {CustomEvent} */ (event).detail(thrown.error);
    thrown = {};
  });

  const note = (/** @type {unknown} */ error) => {
    thrown = {error};
  };
  /** Return a tool's function that notes its errors. @param {any} execute */
  const noting = (execute) =>
    new Proxy(execute, {
      apply(target, self, given) {
        try {
          const result = apply(target, self, given);
          if (result instanceof Promise) apply(then, result, [undefined, note]);
          return result;
        } catch (error) {
          note(error);
          throw error;
        }
      },
    });
  /** Return a tool that notes its errors. The tool itself may be frozen, so it is not the target. @param {any} tool */
  const noticed = (tool) =>
    typeof tool?.execute === 'function'
      ? new Proxy({}, {get: (_, key) => (key === 'execute' ? noting(tool.execute) : tool[key])})
      : tool;

  const native = page.ModelContext?.prototype;
  if (native?.executeTool) {
    native.registerTool = new Proxy(native.registerTool, {
      apply: (target, self, [tool, ...others]) => apply(target, self, [noticed(tool), ...others]),
    });
  }
  if ('modelContext' in Document.prototype || !isSecureContext) return;
  try {
    // The default allowlist of the permission: frames of other origins have no tools.
    void page.top.document;
  } catch {
    return;
  }

  /** @typedef {{name: string, title: string, description: string, inputSchema?: object}} Told */
  /** @typedef {Told & {execute: (input: object) => unknown}} Tool */
  /** @typedef {HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement} Control */

  /** @type {Map<string, Tool>} */
  const tools = new Map();
  /** @type {Map<Element, Call>} calls of forms that are not submitted yet */
  const calls = new Map();
  /** @type {WeakMap<Event, Call>} the calls that events submit */
  const submitting = new WeakMap();

  class Call {
    /** @type {unknown} the answer of the page's script */
    answer;
    constructor() {
      this.ended = new Promise((resolve, reject) => {
        this.end = resolve;
        this.fail = reject;
      });
      this.ended.catch(() => {}); // nobody may wait for it
    }
  }

  const invalid = (/** @type {string} */ text) => new DOMException(text, 'InvalidStateError');
  const FORMATS = ['date', 'datetime-local', 'month', 'time', 'week'];
  const IGNORED = ['hidden', 'submit', 'button', 'image', 'reset', 'file'];

  /** Return a form's controls by name. @param {HTMLFormElement} form @returns {Map<string, Control[]>} */
  const controlsOf = (form) => {
    const found = new Map();
    for (const control of /** @type {Iterable<any>} */ (form.elements)) {
      if (!control.matches('input, select, textarea') || IGNORED.includes(control.type)) continue;
      if (!control.name || control.matches(':disabled')) continue;
      found.set(control.name, [...(found.get(control.name) ?? []), control]);
    }
    return found;
  };
  /** Return the text of a control's label without that of controls in it. @param {Control} control */
  const labelOf = (control) => {
    const label = /** @type {Element | undefined} */ (control.labels?.[0]?.cloneNode(true));
    for (const each of label?.querySelectorAll('input, select, textarea, button') ?? []) each.remove();
    return label?.textContent.trim().replace(/\s+/g, ' ') ?? '';
  };
  /** Return the schema of one of some values. @param {{value: string, title: string}[]} choices */
  const oneOf = (choices) => ({
    type: 'string',
    anyOf: choices.map(({value, title}) => ({type: 'string', const: value, ...(title ? {title} : {})})),
    enum: choices.map(({value}) => value),
  });
  const manyOf = (/** @type {object} */ items) => ({type: 'array', items, uniqueItems: true});
  /** Return the schema of the controls of one name. @param {any[]} controls */
  const schemaOf = (controls) => {
    const [{type, options, min, max, step, pattern}] = controls;
    const boxes = () => oneOf(controls.map((each) => ({value: each.value, title: labelOf(each)})));
    if (type === 'checkbox') return controls.length > 1 ? manyOf(boxes()) : {type: 'boolean'};
    if (type === 'radio') return boxes();
    if (options) {
      const values = oneOf([...options].map((/** @type {any} */ each) => ({value: each.value, title: each.label})));
      return type === 'select-multiple' ? manyOf(values) : values;
    }
    if (type === 'number' || type === 'range') {
      return {
        type: 'number',
        ...(min === '' ? {} : {minimum: Number(min)}),
        ...(max === '' ? {} : {maximum: Number(max)}),
        ...(step === 'any' ? {} : {multipleOf: Number(step) || 1}),
      };
    }
    return {type: 'string', ...(FORMATS.includes(type) ? {format: type} : {}), ...(pattern ? {pattern} : {})};
  };

  /** Set a control of free text, as its user would. @param {any} control @param {string} value */
  const enter = (control, value) => {
    // The property of the prototype: React replaces that of the element to find out who has set it.
    const {set} = /** @type {any} */ (
      Object.getOwnPropertyDescriptor(Object.getPrototypeOf(control), 'value') ?? {set: undefined}
    );
    set?.call(control, value);
    return control.value === value;
  };
  /** @param {any[]} controls @param {unknown} value @returns {boolean} whether they take the value */
  const fill = (controls, value) => {
    const [first] = controls;
    const wanted = [value].flat().map(String);
    if (first.type === 'checkbox' || first.type === 'radio') {
      const single = controls.length === 1 && typeof value === 'boolean';
      if (!single && wanted.some((each) => !controls.some((control) => control.value === each))) return false;
      for (const control of controls) {
        const checks = single ? value : wanted.includes(control.value);
        if (control.checked !== checks && (checks || control.type === 'checkbox')) control.click();
      }
      return true;
    }
    if (first.options) {
      const options = [...first.options];
      if (wanted.some((each) => !options.some((option) => option.value === each))) return false;
      for (const option of options) option.selected = wanted.includes(option.value);
    } else if (!enter(first, String(value))) return false;
    for (const type of ['input', 'change']) first.dispatchEvent(new Event(type, {bubbles: true, composed: true}));
    return true;
  };

  /** Fill a form in, and submit it if it allows that. @param {HTMLFormElement} form @param {object} input */
  const execute = async (form, input) => {
    const name = /** @type {string} */ (form.getAttribute('toolname'));
    const controls = controlsOf(form);
    for (const [key, value] of Object.entries(input)) {
      const named = controls.get(key);
      if (!named) throw new TypeError(`Unknown parameter ${key}.`);
      if (!fill(named, value)) throw new TypeError(`Invalid value ${JSON.stringify(value)} for parameter ${key}.`);
    }
    const call = new Call();
    calls.get(form)?.fail?.(new DOMException('The form was filled in again.', 'AbortError'));
    calls.set(form, call);
    const buttons = /** @type {any[]} */ ([...form.elements]);
    const submitter = buttons.find(({type}) => type === 'submit' || type === 'image') ?? null;
    submitter?.focus();
    context.dispatchEvent(Object.assign(new Event('toolactivated'), {toolName: name}));
    if (form.hasAttribute('toolautosubmit')) {
      const wrong = buttons.filter((each) => each.willValidate && !each.validity.valid);
      if (wrong.length && !form.noValidate) {
        calls.delete(form);
        const what = wrong.map((each) => `${each.name}: ${each.validationMessage}`).join(' ');
        throw new TypeError(`Form validation failed: ${what}`);
      }
      form.requestSubmit(submitter);
    }
    return call.ended;
  };

  const formTools = () => {
    const found = new Map();
    for (const form of document.querySelectorAll('form')) {
      const name = form.getAttribute('toolname');
      const description = form.getAttribute('tooldescription');
      if (!name || !description || tools.has(name) || found.has(name)) continue;
      const properties = new Map();
      const required = [];
      for (const [key, named] of controlsOf(form)) {
        const [first] = named;
        const about = first.getAttribute('toolparamdescription') ?? (named.length > 1 ? '' : labelOf(first));
        properties.set(key, {...schemaOf(named), ...(about ? {description: about} : {})});
        if (named.some((each) => each.required)) required.push(key);
      }
      found.set(name, {
        name,
        title: '',
        description,
        inputSchema: {type: 'object', properties: Object.fromEntries(properties), required},
        execute: (/** @type {object} */ input) => execute(form, input),
      });
    }
    return found;
  };

  class ModelContext extends EventTarget {
    /** @type {unknown} */
    ontoolchange = null;
    /** @type {unknown} */
    ontoolactivated = null;

    constructor() {
      super();
      for (const type of /** @type {const} */ (['toolchange', 'toolactivated'])) {
        this.addEventListener(type, (event) => {
          const handler = this[`on${type}`];
          if (typeof handler === 'function') apply(handler, this, [event]);
        });
      }
    }
    get [Symbol.toStringTag]() {
      return 'ModelContext';
    }
    // Asynchronous, so that every error rejects the promise.
    /** @param {any} tool @param {{signal?: AbortSignal}} [options] @returns {Promise<void>} */
    async registerTool(tool, {signal} = {}) {
      const {name, title = '', description, inputSchema, execute} = tool;
      for (const [key, value] of Object.entries({name, description, execute})) {
        if (value === undefined) throw new TypeError(`The tool has no ${key}.`);
      }
      if (typeof execute !== 'function') throw new TypeError('The tool has an execute that is not a function.');
      if (tools.has(`${name}`)) throw invalid('Duplicate tool name');
      if (!/^[\w.-]{1,128}$/.test(name)) throw invalid('Invalid tool name');
      if (`${description}` === '') throw invalid('Invalid tool description');
      const schema = inputSchema === undefined ? undefined : JSON.stringify(inputSchema);
      if (inputSchema !== undefined && schema === undefined) throw new TypeError('The schema is not JSON.');
      signal?.throwIfAborted();
      const told = {name: `${name}`, title: `${title}`, description: `${description}`};
      const known = {...told, ...(schema && {inputSchema: JSON.parse(schema)}), execute: noting(execute)};
      tools.set(told.name, known);
      signal?.addEventListener('abort', () => {
        if (tools.get(told.name) === known) this.unregisterTool(told.name);
      });
      this.dispatchEvent(new Event('toolchange'));
    }
    /** @param {string} name */
    unregisterTool(name) {
      if (tools.delete(`${name}`)) this.dispatchEvent(new Event('toolchange'));
    }
    /** Replace all tools. @param {{tools?: object[]}} [options] */
    provideContext({tools: given = []} = {}) {
      tools.clear();
      for (const tool of given) this.registerTool(tool);
    }
    async getTools() {
      return [...tools.values(), ...formTools().values()].map(({execute: _, ...told}) => ({
        ...told,
        origin: location.origin,
        window,
      }));
    }
    /** @param {{name: string}} tool @param {object} [input] */
    async executeTool({name}, input = {}) {
      const tool = tools.get(name) ?? formTools().get(name);
      if (!tool) throw new DOMException(`There is no tool ${name}.`, 'NotFoundError');
      if (typeof input !== 'object' || !input) throw new TypeError('The input is not an object.');
      const result = await tool.execute(JSON.parse(JSON.stringify(input)));
      return typeof result === 'string' ? result : `${JSON.stringify(result)}`;
    }
  }
  const context = new ModelContext();

  // On the window and first of all, so that the page's listeners find the event marked.
  addEventListener(
    'submit',
    (event) => {
      const form = /** @type {Element} */ (event.target);
      const call = calls.get(form);
      if (!call) return;
      calls.delete(form);
      submitting.set(event, call);
      // After all listeners: the page's script has answered by then, or the page is about to leave.
      setTimeout(() => call.end?.(call.answer ?? null));
    },
    true,
  );
  addEventListener(
    'reset',
    (event) => {
      const form = /** @type {Element} */ (event.target);
      calls.get(form)?.fail?.(new DOMException('The form was reset.', 'AbortError'));
      calls.delete(form);
    },
    true,
  );
  const shared = {configurable: true, enumerable: true};
  Object.defineProperties(SubmitEvent.prototype, {
    agentInvoked: {
      ...shared,
      get() {
        return submitting.has(this);
      },
    },
    respondWith: {
      ...shared,
      writable: true,
      /** @this {SubmitEvent} @param {unknown} answer */
      value: function respondWith(answer) {
        const call = submitting.get(this);
        if (!call) throw invalid('No agent has submitted the form.');
        if (!this.defaultPrevented) throw invalid('preventDefault() must be called before.');
        call.answer = answer;
      },
    },
  });
  Object.defineProperty(Document.prototype, 'modelContext', {...shared, get: () => context});
  if (!('modelContext' in Navigator.prototype))
    Object.defineProperty(Navigator.prototype, 'modelContext', {...shared, get: () => context});
  if (!page.ModelContext)
    Object.defineProperty(page, 'ModelContext', {configurable: true, writable: true, value: ModelContext});
};
