"""The mapper: the page that ChromeDriver opens to translate between WebDriver BiDi and the DevTools protocol.

https://github.com/GoogleChromeLabs/chromium-bidi
"""

import json
import logging
from contextlib import suppress

from bidi_server.bidi.cdp import SendCommand
from bidi_server.bidi.connection import Connection
from bidi_server.bidi.errors import BidiError, ConnectionLostError
from bidi_server.browser.engine.chromium.page_commands import commands_to
from drivers.json_values import objects

logger = logging.getLogger(__name__)

TITLE = "BiDi-CDP Mapper"

LATEST = 2.0
"""Age at which the mapper drops a console message, in seconds. It takes the last of 10,000 messages within 2 s."""

PATIENCE = 2.0
"""Maximum time for which the mapper holds back the news that a request is paused, in seconds.

What it waits for took 29 ms at most, in 521 requests of a busy Chromium 156.
"""

BUSY = 0.3
"""Time for which the mapper waits for a page to describe what it has printed or thrown, in seconds.

In a busy Chromium 156, 1,200 answers took 70 ms at most.
"""

_PREPARATION = (
    r"""
if ('onBidiMessage' in window && !JSON.stringify.isWellFormed) {
  document.getElementById('logs')?.remove();
  const stringify = JSON.stringify;
  const receive = cdp.onmessage;
  const asked = new Map();
  const thrown = new Map();
  const remember = ({exception}) => {
    if (exception?.objectId) thrown.set(exception.objectId, exception.description?.split('\n    at ', 1)[0]);
    if (thrown.size > 100) thrown.delete(thrown.keys().next().value);
  };
  const give = (id) => {
    const {sessionId, value} = asked.get(id);
    asked.delete(id);
    const answer = value ? {result: {result: {type: 'string', value}}} : {error: {code: -32000, message: 'busy'}};
    receive(stringify({id, sessionId, ...answer}));
  };
  let isPrinted = false;
  const print = (text) => {
    isPrinted = true;
    receive(text);
    isPrinted = false;
  };
  const ask = ({id, sessionId, params}) => {
    asked.set(id, {sessionId, value: thrown.get(params.arguments[0]?.objectId)});
    setTimeout(() => asked.has(id) && give(id), BUSY);
  };
  JSON.stringify = (...given) => {
    if (isPrinted && given[0]?.method === 'Runtime.callFunctionOn') ask(given[0]);
    const text = stringify(...given);
    if (!text?.includes('\\ud')) return text;
    return text.replace(/\\(?:u(d[89a-f][0-9a-f]{2})|.)/g, (escape, surrogate) => (surrogate ? '\ufffd' : escape));
  };
  JSON.stringify.isWellFormed = true;
  const urls = new Map();
  const paused = new Map();
  const proceed = (id) => {
    const text = paused.get(id);
    paused.delete(id);
    if (text) receive(text);
  };
  const order = (text) => {
    const {method, params} = JSON.parse(text);
    const {requestId, networkId, request, responseStatusCode, responseErrorReason} = params;
    if (method === 'Network.requestWillBeSent') {
      urls.set(requestId, request.url);
      if (urls.size > 1000) urls.delete(urls.keys().next().value);
      receive(text);
      proceed(requestId);
    } else if (!networkId || responseStatusCode || responseErrorReason || urls.get(networkId) === request.url) {
      receive(text);
    } else {
      paused.set(networkId, text);
      setTimeout(proceed, PATIENCE, networkId);
    }
  };
  const late = new Map();
  const report = () => {
    for (const [sessionId, {count, newest}] of late) {
      newest.forEach(print);
      const number = count - newest.length;
      const value = `${number} older console messages were dropped: the page prints faster than they can be read.`;
      const params = {type: 'warning', args: [{type: 'string', value}], executionContextId: 0, timestamp: Date.now()};
      if (number) receive(stringify({method: 'Runtime.consoleAPICalled', params, sessionId}));
    }
    late.clear();
  };
  let timer;
  cdp.onmessage = (text) => {
    if (/^\{"id":/.test(text)) asked.delete(parseInt(text.slice(6)));
    if (/^\{"method":"Page.javascriptDialogOpening"/.test(text)) {
      const {sessionId} = JSON.parse(text);
      for (const [id, each] of asked) if (each.sessionId === sessionId) give(id);
    }
    if (/^\{"method":"(Fetch\.requestPaused|Network\.requestWillBeSent)"/.test(text)) return order(text);
    if (!/^\{"method":"Runtime\.(consoleAPICalled|exceptionThrown)"/.test(text)) return receive(text);
    // No text of the page can be taken for a key: its quotation marks are escaped.
    const after = (key) => text.slice(text.lastIndexOf(`"${key}":`) + key.length + 3);
    if (!(Date.now() - parseFloat(after('timestamp')) > LATEST)) {
      if (text.startsWith('{"method":"Runtime.exceptionThrown"')) remember(JSON.parse(text).params.exceptionDetails);
      return print(text);
    }
    const sessionId = after('sessionId').split('"', 2)[1];
    if (!late.has(sessionId)) late.set(sessionId, {count: 0, newest: []});
    const found = late.get(sessionId);
    found.count++;
    if (found.newest.push(text) > 50) found.newest.shift();
    clearTimeout(timer);
    timer = setTimeout(report, 500);
  };
}
""".replace("LATEST", f"{1000 * LATEST:g}")
    .replace("PATIENCE", f"{1000 * PATIENCE:g}")
    .replace("BUSY", f"{1000 * BUSY:g}")
)
"""Script for the mapper. Other pages with its title stay unchanged. ``JSON.stringify`` escapes only lone surrogates."""


async def prepare_mapper(connection: Connection) -> None:
    """Keep what pages do from delaying or losing messages of the mapper; stop the log of its page.

    The log contains each message and all typed text. The hidden page is laid out and painted, which costs 10 to 15 ms
    of processor time for each command and delays its reply by 4 ms (Chromium 156).

    The mapper writes lone surrogates as escapes, which the JSON parsers of ChromeDriver and Chromium reject. The lost
    message is an event for us, or a request to the page about the arguments of a console method. Without a reply to
    that request, the mapper holds back all messages for 5 to 7 s (Chromium 156).

    Drop console messages older than `LATEST` except for the newest 50, and report their number as a warning. The mapper
    handles 4,000 messages a second, each before all later replies: 200,000 messages stopped every call for a minute.

    Chromium tells from one process that a request is paused (`Fetch.requestPaused`), and from another that it is sent
    (`Network.requestWillBeSent`), in any order. The mapper expects the second message first. If that comes later, the
    mapper takes a redirected request for the request before, and lets it pass without an event. It also continues the
    request of a worker in the worker's session. The page's session has paused that request, which then waits for ever
    (half of them in Chromium 156).

    The mapper asks a page to describe each object that it prints or throws, and holds back all messages about all pages
    until that has answered. A dialog or an endless script right after it keeps the page from answering: the dialog was
    never reported, and no session got an answer (Chromium 156). When a dialog opens, or after `BUSY`, tell the mapper
    that the page is busy. Messages come in another event then, with less of their objects; errors have their text.
    """

    async def send(method: str, **params: object) -> dict[str, object]:
        return (await connection.send(SendCommand(cdp_method=method, params=params))).result

    try:
        targets = objects((await send("Target.getTargets")).get("targetInfos"))
        for target in targets:
            # It is a hidden tab, of the type "other", except in the headless shell.
            if target.get("title") == TITLE and target.get("type") in {"page", "other"}:
                # The mapper has no DevTools session of its own page: the command goes inside a message to its target.
                attached = await send("Target.attachToTarget", targetId=target["targetId"], flatten=False)
                evaluate = {"id": 1, "method": "Runtime.evaluate", "params": {"expression": _PREPARATION}}
                session = attached["sessionId"]
                await send("Target.sendMessageToTarget", sessionId=session, message=json.dumps(evaluate))
                await send("Target.detachFromTarget", sessionId=session)
    except (BidiError, ConnectionLostError, KeyError) as error:
        logger.info("the mapper stays as it is: %s", error)


async def unblock(connection: Connection, context: str) -> None:
    """Make a popup respond: ChromeDriver 156 misses the realm of a ``window.open`` page until it is reported again."""
    with suppress(BidiError, ConnectionLostError):
        send = await commands_to(connection, context)
        for method in ("Runtime.disable", "Runtime.enable"):
            await send(method)
