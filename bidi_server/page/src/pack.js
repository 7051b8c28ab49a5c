// Long answers in fewer bytes.

/** Firefox answers itself. In Chromium every kilobyte costs its mapper a quarter of a millisecond. */
const isSlow = !CSS.supports('-moz-appearance', 'none');

/** Characters from which on packing pays. */
const LONG = 4096;

const STEP = 8192;

/**
 * A JSON text, or `=` and its deflated UTF-8 as base64.
 * @param {string} json
 */
export async function pack(json) {
  if (!isSlow || json.length < LONG) return json;
  const stream = new CompressionStream('deflate-raw');
  const writer = stream.writable.getWriter();
  writer.write(new TextEncoder().encode(json));
  writer.close();
  const reader = stream.readable.getReader();
  let bytes = '';
  for (;;) {
    const {value, done} = await reader.read();
    if (done) return `=${btoa(bytes)}`;
    for (let at = 0; at < value.length; at += STEP) bytes += String.fromCharCode(...value.subarray(at, at + STEP));
  }
}
