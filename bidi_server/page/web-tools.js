// What the server asks a document about the tools that it offers by WebMCP, in the page's own realm: the polyfill of
// ./model-context.js is there too. Chromium 156 has `document.modelContext`; Chromium 150 also `navigator.modelContext`,
// with JSON texts in place of objects; Firefox 153 has only the latter, with `invokeTool`, and knows no forms.
/**
 * Return the tools, as name, description and JSON of the schema; or call one, and return its result as text, its error,
 * or that it waits for its form to be submitted. Firefox 153 repeats a call in the next document if the first one went
 * away meanwhile: nothing is called there.
 * @param {string} secret see ./model-context.js
 * @param {{document: number, name: string, input: object}} [wanted] `document` as in the answer with the tools
 */
async (secret, wanted) => {
  const id = performance.timeOrigin;
  if (wanted && wanted.document !== id) return {left: true};
  const page = /** @type {any} */ (window); // TypeScript does not know WebMCP
  const found = [];
  for (const context of new Set([page.document.modelContext, page.navigator.modelContext])) {
    if (!context?.getTools) continue;
    // Not to the frames of other origins.
    const tools = await (async () => context.getTools())().catch(() => []);
    // Chromium lists the tools of frames as well.
    for (const tool of tools) if ((tool.window ?? window) === window) found.push({context, tool});
  }
  const text = (/** @type {unknown} */ value) => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));
  if (!wanted) {
    const isKnown = Boolean(page.document.modelContext ?? page.navigator.modelContext);
    const tools = found.map(({tool}) => [text(tool.name), text(tool.description), text(tool.inputSchema)]);
    return {document: id, tools, isKnown, isSecure: isSecureContext};
  }
  const {name, input} = wanted;
  const chosen = found.find(({tool}) => tool.name === name);
  if (!chosen) return {gone: true};
  const {context, tool} = chosen;
  const lastError = () => {
    /** @type {unknown} */
    let last;
    const detail = (/** @type {unknown} */ error) => {
      last = error;
    };
    document.dispatchEvent(new CustomEvent(secret, {detail}));
    return last;
  };
  const form = [...document.querySelectorAll('form')].find((each) => each.getAttribute('toolname') === name);
  const waits = new Promise((/** @type {(value: {waits: true}) => void} */ resolve) => {
    if (!form || form.hasAttribute('toolautosubmit')) return;
    for (const target of [context, page]) {
      target.addEventListener?.('toolactivated', () => resolve({waits: true}), {once: true});
    }
  });
  lastError();
  try {
    // An object that becomes its JSON where Chromium 150 wants a text.
    const given = Object.setPrototypeOf({...input}, {toString: () => JSON.stringify(input)});
    const result = context.executeTool ? context.executeTool(tool, given) : context.invokeTool(name, input);
    return await Promise.race([waits, Promise.resolve(result).then((value) => ({result: text(value)}))]);
  } catch (error) {
    return {error: String(lastError() ?? error)};
  }
};
