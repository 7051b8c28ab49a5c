// Scripts and their source maps, read again from the server: https://tc39.es/ecma426/#sec-linking-generated-code

import {pack} from '../realm/pack.js';

/** Maximum size of a script, of a source map, and of a source map without its sources, in characters. */
const MOST = {script: 20_000_000, map: 40_000_000, kept: 4_000_000};

/** Maximum length of a script whose text is returned, in characters. */
const TEXT = 2_000_000;

const COMMENT = 'sourceMappingURL=';

/**
 * Return the text of a response. Throws if it is longer than a limit, an error, or a redirect to another address.
 * @param {string} url @param {number} most @param {RequestInit} options
 */
async function read(url, most, options) {
  const response = await fetch(url, {...options, redirect: 'error'});
  const reader = response.body?.getReader();
  if (!response.ok || !reader) throw new Error(response.statusText);
  const decoder = new TextDecoder();
  let text = '';
  for (;;) {
    const {value, done} = await reader.read();
    text += decoder.decode(value, {stream: !done});
    if (done) return text;
    if (text.length > most) {
      await reader.cancel();
      throw new Error('too long');
    }
  }
}

/** Return the URL in the comment that names the source map, or "". @param {string} script */
function named(script) {
  const at = script.lastIndexOf(COMMENT);
  if (at < 3 || !/\/[/*][#@] ?$/.test(script.slice(at - 4, at))) return '';
  const [line] = script.slice(at + COMMENT.length).split(/[\r\n\u2028\u2029]/, 1);
  return line.replace(/\s*(\*\/)?\s*$/, '');
}

/** Return the text in a data URL. @param {string} url */
function decoded(url) {
  const comma = url.indexOf(',');
  const data = decodeURIComponent(url.slice(comma + 1));
  if (!/;\s*base64$/i.test(url.slice(0, comma))) return data;
  return new TextDecoder().decode(Uint8Array.from(atob(data), (character) => character.charCodeAt(0)));
}

/** Return the parts of a source map that are used: not the text of the sources. @param {any} map */
const useful = ({version, sources, sourceRoot, names, mappings}) => ({version, sources, sourceRoot, names, mappings});

/**
 * @param {string} script its URL @param {string} header the URL in its SourceMap header @param {RequestInit} options
 */
async function mapOf(script, header, options) {
  const code = await read(script, MOST.script, options);
  const name = header || named(code);
  if (!name) return null;
  const {href, origin, protocol} = new URL(name, script);
  const isInline = protocol === 'data:';
  if (!isInline && origin !== new URL(script).origin) return null;
  const text = isInline ? decoded(name) : await read(href, MOST.map, options);
  // A first line with these characters keeps other pages from running it as a script.
  const map = JSON.parse(text.startsWith(")]}'") ? text.slice(text.indexOf('\n')) : text);
  const sections = map.sections?.map((/** @type {any} */ each) => ({offset: each.offset, map: useful(each.map)}));
  const kept = JSON.stringify(sections ? {version: map.version, sections} : useful(map));
  if (kept.length > MOST.kept) return null;
  return {map: kept, base: isInline ? script : href, code: code.length > TEXT ? '' : code};
}

/**
 * Return the source map of each script, the URL that its sources are relative to and the script itself, as a JSON string;
 * null for one that has none, or no valid one, or is not there in time.
 * @param {[string, string][]} scripts the URL of each, and the one in its SourceMap header @param {number} timeout in
 * milliseconds @param {RequestCredentials} credentials
 */
export async function sourceMaps(scripts, timeout, credentials) {
  const options = {credentials, signal: AbortSignal.timeout(timeout)};
  const maps = scripts.map(([script, header]) => mapOf(script, header, options).catch(() => null));
  return pack(JSON.stringify({maps: await Promise.all(maps)}));
}
