// Compress long answers, for browsers where long ones are slow.

/** Minimum number of characters for which compression pays off. */
const LONG = 4096;

const STEP = 8192;

/**
 * Return a JSON text as it is, or `=` and its deflated UTF-8 as base64.
 * @param {string} json
 */
export async function pack(json) {
  if (json.length < LONG) return json;
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
