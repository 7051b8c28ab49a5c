// The text of pages that are files rather than documents: plain text, JSON, style sheets, XML.

/** Namespaces that browsers render. They show any other XML as source, Firefox in a tree that scripts can't see. */
const drawn = ['http://www.w3.org/1999/xhtml', 'http://www.w3.org/2000/svg', 'http://www.w3.org/1998/Math/MathML'];

/** Return the file's text; null if the page is a document. @returns {string | null} */
export function sourceOf() {
  const {contentType, body, documentElement: root} = document;
  if (/^text\/html$|^application\/xhtml\+xml$|^image\//.test(contentType)) return null;
  if (/[/+]xml$/.test(contentType)) return xmlSource(root);
  const [first] = body?.children ?? [];
  if (body && !body.firstChild && /^text\/|json$/.test(contentType)) return ''; // Chromium creates no element
  // Firefox's JSON viewer keeps the text in a separate element beside the tree.
  const text = first instanceof HTMLPreElement ? first : document.getElementById('json');
  return text instanceof HTMLElement ? text.textContent : null;
}

/** @param {Element | null} root */
function xmlSource(root) {
  const serializer = new XMLSerializer();
  // Chromium's XML viewer puts the document's nodes into an element with this ID.
  const kept = document.getElementById('webkit-xml-viewer-source-xml');
  if (kept) return [...kept.childNodes].map((node) => serializer.serializeToString(node)).join('\n');
  if (!root || drawn.includes(root.namespaceURI ?? '')) return null;
  const isStyled = [...document.childNodes].some(
    (node) => node instanceof ProcessingInstruction && node.target === 'xml-stylesheet',
  );
  return isStyled ? null : serializer.serializeToString(document);
}

/** Maximum number of characters of the text to include in a walk. */
const most = 100_000;

/** Return the start of the text and its length, for a walk. */
export function sourceBegin() {
  const text = sourceOf();
  if (text === null) return;
  // Count characters as Python does: those beyond U+FFFF are two in JavaScript.
  const pairs = text.match(/[\uD800-\uDBFF][\uDC00-\uDFFF]/g)?.length ?? 0;
  return {text: text.slice(0, most), length: text.length - pairs};
}
