// The text of pages that are no documents but files: plain text, JSON, style sheets, XML.

/** Namespaces of what browsers draw; any other XML they show as its source, Firefox in a tree that scripts can't see. */
const drawn = ['http://www.w3.org/1999/xhtml', 'http://www.w3.org/2000/svg', 'http://www.w3.org/1998/Math/MathML'];

/** The file's text; null where the page is more than that. @returns {string | null} */
export function sourceOf() {
  const {contentType, body, documentElement: root} = document;
  if (/^text\/html$|^application\/xhtml\+xml$|^image\//.test(contentType)) return null;
  if (/[/+]xml$/.test(contentType)) return xmlSource(root);
  const [first] = body?.children ?? [];
  if (body && !body.firstChild && /^text\/|json$/.test(contentType)) return ''; // Chromium makes no element for it
  // Firefox's viewer of JSON keeps the text in an element of its own, beside the tree.
  const text = first instanceof HTMLPreElement ? first : document.getElementById('json');
  return text instanceof HTMLElement ? text.textContent : null;
}

/** @param {Element | null} root */
function xmlSource(root) {
  const serializer = new XMLSerializer();
  // Chromium's viewer puts the document's nodes into an element of this ID.
  const kept = document.getElementById('webkit-xml-viewer-source-xml');
  if (kept) return [...kept.childNodes].map((node) => serializer.serializeToString(node)).join('\n');
  if (!root || drawn.includes(root.namespaceURI ?? '')) return null;
  const isStyled = [...document.childNodes].some((node) => node instanceof ProcessingInstruction && node.target === 'xml-stylesheet');
  return isStyled ? null : serializer.serializeToString(document);
}

/** Characters of the text that come with a walk. */
const most = 100_000;

/** The begin of the text and its length, for a walk. */
export function sourceBegin() {
  const text = sourceOf();
  if (text === null) return;
  // As many characters as Python counts: those beyond U+FFFF are two here.
  const pairs = text.match(/[\uD800-\uDBFF][\uDC00-\uDFFF]/g)?.length ?? 0;
  return {text: text.slice(0, most), length: text.length - pairs};
}
