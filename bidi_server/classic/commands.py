"""The commands of WebDriver BiDi, each mapped to requests of classic WebDriver."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import trio
from ada_url import check_url

from bidi_server.bidi.errors import (
    BidiError,
    InvalidArgumentError,
    JavascriptError,
    NoSuchFrameError,
    NoSuchHistoryEntryError,
    NoSuchWindowError,
    UnableToSetCookieError,
    UnknownError,
    UnsupportedOperationError,
    from_code,
)
from bidi_server.bidi.session import LOOPBACK_TOO
from bidi_server.classic import actions, pictures, scripts
from bidi_server.classic.contexts import BrowsingContext, new_id
from bidi_server.classic.inspector import Setting
from bidi_server.classic.requests import named
from bidi_server.classic.session import LOOK
from bidi_server.classic.transport import DEFAULT
from drivers.json_values import Json, fields, is_array, items, objects

if TYPE_CHECKING:
    from bidi_server.classic.session import Session
    from bidi_server.classic.transport import ClassicTransport, Handler

HANDLERS: dict[str, Handler] = {}
"""The commands that are mapped, by method."""

UNREPORTED = frozenset({"input.fileDialogOpened"})
"""Events that never come."""

NO_ENTRY = 3.0
"""Time without any change after which the history has no such entry, in seconds.

WebKitGTK 2.50 shows the change of the URL 3 to 40 ms after the request, but after more than 500 ms in one of six runs
on two cores with eight processes at work.
"""

COOKIES_TIMEOUT = 3.0
"""Timeout for the cookies of a page, in seconds, while another window may be waited for.

WebKitGTK 2.50 took 4 to 49 ms, or as long as a script of the page was busy.
"""

H = TypeVar("H", bound=Callable[..., object])


def command(method: str) -> Callable[[H], H]:
    """Register the handler of a command."""

    def register(handler: H) -> H:
        HANDLERS[method] = handler  # pyright: ignore[reportArgumentType] - H is a Handler
        return handler

    return register


# session and browser


@command("session.status")
async def _status(transport: ClassicTransport, _: Json) -> Json:
    """Answer without a driver of ours, which answers every request. A Grid is asked, which ends idle sessions."""
    for session in list(transport.sessions.values()):
        if session.opened.process is None:
            await session.client.request("GET", "/timeouts")
    return {"ready": False, "message": "a session exists already"}


@command("session.subscribe")
async def _subscribe(_: ClassicTransport, parameters: Json) -> Json:
    """Report every event that there is, whatever was subscribed to."""
    for event in items(parameters.get("events")):
        if event in UNREPORTED or str(event).startswith("goog:"):
            raise InvalidArgumentError(f"classic WebDriver does not report {event}")
    return {"subscription": new_id()}


@command("session.unsubscribe")
async def _unsubscribe(_: ClassicTransport, __: Json) -> Json:
    """Do nothing: see `session.subscribe`."""
    return {}


@command("session.end")
async def _end(transport: ClassicTransport, _: Json) -> Json:
    """End all sessions of the driver."""
    for user_context in list(transport.sessions):
        await transport.end_session(user_context)
    return {}


@command("browser.close")
async def _close_browser(transport: ClassicTransport, parameters: Json) -> Json:
    """End all sessions of the driver."""
    return await _end(transport, parameters)


@command("browser.createUserContext")
async def _create_user_context(transport: ClassicTransport, parameters: Json) -> Json:
    """Prepare a session of the driver, with a process and data of its own. It starts with the first tab."""
    wishes: Json = {}
    if parameters.get("acceptInsecureCerts"):
        wishes["acceptInsecureCerts"] = True
    proxy = fields(parameters.get("proxy"))
    if proxy:
        if "socksProxy" not in proxy and "socksVersion" in proxy:
            raise InvalidArgumentError("a SOCKS proxy needs an address")
        if "socksProxy" in proxy:
            # WebKitGTK 2.50.6 asks the system for the names of hosts, and no request reaches the proxy.
            raise UnsupportedOperationError("WebKitGTK does not use SOCKS proxies")
        if [each for each in items(proxy.pop("noProxy", [])) if each != LOOPBACK_TOO]:
            # WebKitGTK 2.50.6 reads beyond the end of the list: 11 of 80 crashed at their start, on a loaded machine.
            raise UnsupportedOperationError("WebKitGTK may crash when it bypasses proxies")
        wishes["proxy"] = proxy
    id_ = new_id()
    transport.wishes[id_] = wishes
    return {"userContext": id_}


@command("browser.setDownloadBehavior")
async def _set_download_behavior(transport: ClassicTransport, parameters: Json) -> Json:
    """Move what is downloaded to a folder, when the download has ended. Downloads cannot be denied."""
    behavior = fields(parameters.get("downloadBehavior"))
    if behavior.get("type") == "denied":
        raise UnsupportedOperationError("WebKitGTK's driver cannot deny downloads")
    folder = str(behavior["destinationFolder"]) if behavior else ""
    for user_context in items(parameters.get("userContexts")) or [DEFAULT]:
        transport.folders[str(user_context)] = folder
    return {}


@command("browser.getUserContexts")
async def _get_user_contexts(transport: ClassicTransport, _: Json) -> Json:
    """List the sessions of the driver."""
    return {"userContexts": [{"userContext": each} for each in transport.wishes]}


@command("browser.removeUserContext")
async def _remove_user_context(transport: ClassicTransport, parameters: Json) -> Json:
    """End a session of the driver, with its process."""
    user_context = str(parameters["userContext"])
    if user_context == DEFAULT:
        raise InvalidArgumentError("the default user context cannot be removed")
    await transport.end_session(user_context)
    return {}


# browsingContext


@command("browsingContext.getTree")
async def _get_tree(transport: ClassicTransport, parameters: Json) -> Json:
    """Look at the pages, and list their frames."""
    depth = parameters.get("maxDepth")
    depth = depth if isinstance(depth, int) else None
    if parameters.get("root"):
        root = transport.context(parameters, "root")
        session = transport.session_of(root)
        if root.window not in session.dialogs:
            await session.look_at(root)
        return {"contexts": [root.info(depth)]}
    windows = [each for session in transport.sessions.values() for each in session.windows.values()]
    return {"contexts": [each.info(depth) for each in windows]}


@command("browsingContext.create")
async def _create(transport: ClassicTransport, parameters: Json) -> Json:
    """Open a window, or use the first one of a new session."""
    reference = transport.context(parameters, "referenceContext") if parameters.get("referenceContext") else None
    user_context = reference.user_context if reference else str(parameters.get("userContext") or DEFAULT)
    session = await transport.session(user_context)
    context = await session.open_window()
    if user_context in transport.viewports:
        await pictures.resize(session, context, transport.viewports[user_context])
    await session.state_of(context, "$realm.peek()")
    return {"context": context.id, "userContext": user_context}


@command("browsingContext.close")
async def _close(transport: ClassicTransport, parameters: Json) -> Json:
    """Close the window of a tab."""
    context = transport.context(parameters)
    await transport.session_of(context).close_window(context)
    return {}


@command("browsingContext.activate")
async def _activate(transport: ClassicTransport, parameters: Json) -> Json:
    """Choose the window. Each tab has one of its own, so that all pages are visible."""
    context = transport.context(parameters)
    await transport.session_of(context).in_window(context, "GET", "/window")
    return {}


@command("browsingContext.setViewport")
async def _set_viewport(transport: ClassicTransport, parameters: Json) -> Json:
    """Change the size of the window by what its viewport lacks. The pixel ratio cannot be changed."""
    if parameters.get("devicePixelRatio"):
        raise UnsupportedOperationError("WebKitGTK's driver cannot change the device pixel ratio")
    viewport = fields(parameters.get("viewport"))
    for user_context in items(parameters.get("userContexts")):
        if viewport:
            transport.viewports[str(user_context)] = viewport
        else:
            transport.viewports.pop(str(user_context), None)
    if parameters.get("context") and viewport:
        context = transport.context(parameters)
        await pictures.resize(transport.session_of(context), context, viewport)
    return {}


# What only a WebKit that we start can do

_PREFERENCES = {"prefers-reduced-motion": "PrefersReducedMotion", "prefers-contrast": "PrefersContrast"}
_VALUES = {"no-preference": "NoPreference", "reduce": "Reduce", "more": "More"}
"""Media features and their values, as the Web Inspector Protocol names them. WebKitGTK 2.50 ignores colour schemes."""


@command("emulation.setUserAgentOverride")
async def _set_user_agent(transport: ClassicTransport, parameters: Json) -> Json:
    """Send another name, and tell it to scripts, in WebKits that we start."""
    agent = parameters.get("userAgent")
    await transport.set(parameters, Setting("Page.overrideUserAgent", {"value": agent} if agent else {}))
    return {}


@command("emulation.setMediaFeaturesOverride")
async def _set_media_features(transport: ClassicTransport, parameters: Json) -> Json:
    """Change `prefers-reduced-motion` and `prefers-contrast`, in WebKits that we start."""
    wanted = {name: value for name, value in fields(parameters.get("features")).items() if value is not None}
    if unknown := [name for name, value in wanted.items() if name not in _PREFERENCES or value not in _VALUES]:
        raise UnsupportedOperationError(f"WebKitGTK cannot emulate {unknown[0]}")
    settings: list[Setting] = []
    for feature, name in _PREFERENCES.items():
        value: Json = {"value": _VALUES[str(wanted[feature])]} if feature in wanted else {}
        settings.append(Setting("Page.overrideUserPreference", {"name": name, **value}, name))
    await transport.set(parameters, *settings)
    return {}


@command("network.setExtraHeaders")
async def _set_extra_headers(transport: ClassicTransport, parameters: Json) -> Json:
    """Send headers with each request of pages, in WebKits that we start."""
    headers = {
        str(each["name"]): fields(each["value"]).get("value") for each in map(fields, items(parameters["headers"]))
    }
    await transport.set(parameters, Setting("Network.setExtraHTTPHeaders", {"headers": headers}))
    return {}


@command("network.addIntercept")
async def _add_intercept(transport: ClassicTransport, parameters: Json) -> Json:
    """Let requests wait before they are sent, in WebKits that we start. Logins cannot be answered."""
    if parameters.get("phases") != ["beforeRequestSent"]:
        raise UnsupportedOperationError("WebKitGTK lets requests wait only before they are sent")
    if parameters.get("urlPatterns"):
        raise UnsupportedOperationError("requests are not told apart by their URL")
    return {"intercept": await transport.add_intercept([str(each) for each in items(parameters.get("contexts"))])}


@command("network.removeIntercept")
async def _remove_intercept(transport: ClassicTransport, parameters: Json) -> Json:
    """Let no more requests wait."""
    await transport.remove_intercept(str(parameters["intercept"]))
    return {}


@command("network.continueRequest")
async def _continue_request(transport: ClassicTransport, parameters: Json) -> Json:
    """Send a request that waits, as it is or changed. Past a redirect it has been sent as it is."""
    return _answered(transport, "network.continueRequest", parameters)


@command("network.provideResponse")
async def _provide_response(transport: ClassicTransport, parameters: Json) -> Json:
    """Give a response to a request that waits."""
    return _answered(transport, "network.provideResponse", parameters)


@command("network.failRequest")
async def _fail_request(transport: ClassicTransport, parameters: Json) -> Json:
    """Fail a request that waits. Past a redirect it gets an empty response, with the status 403."""
    return _answered(transport, "network.failRequest", parameters)


def _answered(transport: ClassicTransport, method: str, parameters: Json) -> Json:
    id_ = str(parameters["request"])
    transport.network_of(id_).answer(id_, method, parameters)
    return {}


@command("network.addDataCollector")
async def _add_collector(transport: ClassicTransport, parameters: Json) -> Json:
    """Let WebKits that we start keep bodies."""
    await transport.keep_bodies(parameters)
    return {"collector": new_id()}


@command("network.getData")
async def _get_data(transport: ClassicTransport, parameters: Json) -> Json:
    """Return the body of a request or of its response."""
    id_ = str(parameters["request"])
    return {"bytes": await transport.network_of(id_).data(id_, str(parameters.get("dataType")))}


@command("network.setCacheBehavior")
async def _set_cache_behavior(transport: ClassicTransport, parameters: Json) -> Json:
    """Use the cache or not, in WebKits that we start. All tabs of a session have it in common."""
    used = [transport.context({"context": each}).user_context for each in items(parameters.get("contexts"))]
    sessions: Json = {"userContexts": used or list(transport.wishes)}
    bypass = parameters.get("cacheBehavior") == "bypass"
    await transport.set(sessions, Setting("Network.setResourceCachingDisabled", {"disabled": bypass}))
    return {}


@command("browsingContext.navigate")
async def _navigate(transport: ClassicTransport, parameters: Json) -> Json:
    """Navigate without the driver's own wait, and look at the page until it is as far as wanted."""
    context = transport.context(parameters)
    session = transport.session_of(context)
    url, wait = str(parameters["url"]), str(parameters.get("wait") or "none")
    if not check_url(url):
        raise InvalidArgumentError(f"{url} is not a URL")
    stamp = context.stamp
    navigation = transport.tracker.start(context, url)
    if context.parent is None:
        await session.leave(context, "/url", {"url": url})
    else:
        await session.value(context, f"void (location.href = {scripts.json.dumps(url)})")
    if wait == "none":
        return {"navigation": navigation, "url": url}
    await _loaded(transport, session, context, navigation, stamp, url, wait)
    return {"navigation": navigation, "url": context.url}


async def _loaded(
    transport: ClassicTransport,
    session: Session,
    context: BrowsingContext,
    navigation: str,
    stamp: str,
    url: str,
    wait: str,
) -> None:
    """Wait for a navigation. Raises `UnknownError` with the reason if it fails."""
    while True:
        await session.look_at(context)
        if context.gone:
            raise NoSuchFrameError("the tab was closed")
        if context.stamp != stamp:
            if context.url == "about:blank" and not url.startswith(("about:", "data:")):
                await _explain_failure(transport, session, context, url)
            if context.navigation != navigation:
                navigation = context.navigation or ""
            if context.loaded or (wait == "interactive" and context.parsed):
                return
        elif not context.wanted:
            if context.url.partition("#")[0] != url.partition("#")[0]:
                raise UnknownError("net::ERR_ABORTED: the navigation became a download")
            return  # a fragment of the same document
        await trio.sleep(LOOK)


async def _explain_failure(transport: ClassicTransport, session: Session, context: BrowsingContext, url: str) -> None:
    """Raise the error for a page that could not be loaded: the browser shows a page about it, at about:blank.

    The driver knows the URL that failed.
    """
    shown = str(await session.value(context, "(document.body ? document.body.innerText : '')"))
    address = str(await session.in_window(context, "GET", "/url")) if context.parent is None else url
    if address == "about:blank" and shown.strip():
        return
    context.wanted = url
    if (session.inspected is not None and not context.loader) and url.startswith("http"):
        # WebKitGTK 2.50 does not request such a document at all, and says nothing.
        shown = shown or "Not allowed to use restricted network port"
    reason = named(shown.strip().partition("\n")[0] or "the page could not be loaded")
    transport.tracker.fail(context, reason)
    raise UnknownError(reason)


@command("browsingContext.reload")
async def _reload(transport: ClassicTransport, parameters: Json) -> Json:
    """Reload, and look at the page until it is as far as wanted."""
    context = transport.context(parameters)
    session = transport.session_of(context)
    stamp = context.stamp
    navigation = transport.tracker.start(context, context.url)
    await session.leave(context, "/refresh")
    if parameters.get("wait") in {"interactive", "complete"}:
        await _loaded(transport, session, context, navigation, stamp, context.url, str(parameters["wait"]))
    return {"navigation": navigation, "url": context.url}


@command("browsingContext.traverseHistory")
async def _traverse(transport: ClassicTransport, parameters: Json) -> Json:
    """Go back or forward, and find out whether the page changes: the driver reports success in any case."""
    context = transport.context(parameters)
    session = transport.session_of(context)
    delta = parameters.get("delta")
    before = (context.stamp, context.url)
    for _ in range(abs(delta) if isinstance(delta, int) else 0):
        await session.leave(context, "/back" if isinstance(delta, int) and delta < 0 else "/forward")
    with trio.move_on_after(NO_ENTRY):
        while (context.stamp, context.url) == before and not context.is_leaving:
            await session.look_at(context)
            await trio.sleep(LOOK)
        return {}
    raise NoSuchHistoryEntryError(f"the history has no entry at {delta}")


@command("browsingContext.handleUserPrompt")
async def _handle_user_prompt(transport: ClassicTransport, parameters: Json) -> Json:
    """Accept or dismiss the dialog."""
    context = transport.context(parameters)
    text = parameters.get("userText")
    accept = parameters.get("accept") is not False
    session = transport.session_of(context)
    await session.handle_dialog(context, accept=accept, text=None if text is None else str(text))
    return {}


@command("browsingContext.captureScreenshot")
async def _capture(transport: ClassicTransport, parameters: Json) -> Json:
    """Take a screenshot of the viewport, of a window as large as the page for a whole page, and cut it."""
    context = transport.context(parameters)
    return {"data": await pictures.capture(transport.session_of(context), context, parameters)}


@command("browsingContext.locateNodes")
async def _locate(transport: ClassicTransport, parameters: Json) -> Json:
    """Find elements by a CSS selector or an XPath."""
    locator = fields(parameters.get("locator"))
    finders = {
        "css": "(text, most) => [...document.querySelectorAll(text)].slice(0, most)",
        "xpath": "(text, most) => { const found = document.evaluate(text, document, null, 7, null); return "
        "Array.from({length: Math.min(found.snapshotLength, most)}, (_, index) => found.snapshotItem(index)); }",
    }
    code = finders.get(str(locator.get("type")))
    if code is None:
        raise UnsupportedOperationError(f"there is no search for nodes by {locator.get('type')}")
    given = [{"type": "string", "value": str(locator["value"])}, {"type": "number", "value": 1_000_000}]
    if isinstance(parameters.get("maxNodeCount"), int):
        given[1]["value"] = parameters["maxNodeCount"]  # pyright: ignore[reportArgumentType]
    context = transport.context(parameters)
    description = {"isFunction": True, "arguments": given, "options": parameters.get("serializationOptions")}
    outcome = await transport.session_of(context).call(context, description, code)
    return {"nodes": items(fields(outcome.get("result")).get("value"))}


# script


@command("script.evaluate")
async def _evaluate(transport: ClassicTransport, parameters: Json) -> Json:
    """Evaluate an expression. Statements need `eval`, which a page's Content Security Policy may forbid."""
    context, sandbox = transport.target(parameters)
    expression = str(parameters["expression"])
    try:
        return await _called(transport, context, sandbox, parameters, expression, is_function=False)
    except JavascriptError:
        code = scripts.evaluated(expression)
        return await _called(transport, context, sandbox, parameters, code, is_function=False)


@command("script.callFunction")
async def _call_function(transport: ClassicTransport, parameters: Json) -> Json:
    """Call a function. A page's Content Security Policy does not apply."""
    context, sandbox = transport.target(parameters)
    code = str(parameters["functionDeclaration"])
    try:
        return await _called(transport, context, sandbox, parameters, code, is_function=True)
    except JavascriptError as error:
        details: Json = {
            "text": f"SyntaxError: {error.message}",
            "exception": {"type": "error"},
            "lineNumber": 0,
            "columnNumber": 0,
            "stackTrace": {"callFrames": list[object]()},
        }
        return {"type": "exception", "realm": context.stamp, "exceptionDetails": details}


async def _called(
    transport: ClassicTransport,
    context: BrowsingContext,
    sandbox: str,
    parameters: Json,
    code: str,
    *,
    is_function: bool,
) -> Json:
    description: Json = {
        "isFunction": is_function,
        "sandbox": sandbox,
        "awaits": parameters.get("awaitPromise") is True,
        "arguments": parameters.get("arguments"),
        "self": parameters.get("this"),
        "options": parameters.get("serializationOptions"),
        "ownership": parameters.get("resultOwnership"),
    }
    outcome = await transport.session_of(context).call(context, description, code)
    realm = f"{context.stamp}/{sandbox}" if sandbox else context.stamp
    if "error" in outcome:
        raise from_code(str(outcome["error"]), str(outcome.get("message", "")))
    if "exception" in outcome:
        return {"type": "exception", "realm": realm, "exceptionDetails": outcome["exception"]}
    return {"type": "success", "realm": realm, "result": outcome.get("result")}


@command("script.addPreloadScript")
async def _add_preload(transport: ClassicTransport, parameters: Json) -> Json:
    """Keep the script. It runs first in WebKits that we start, elsewhere at our first contact with a document."""
    return {"script": await transport.add_preload(parameters)}


@command("script.removePreloadScript")
async def _remove_preload(transport: ClassicTransport, parameters: Json) -> Json:
    """Forget the script."""
    await transport.remove_preload(str(parameters["script"]))
    return {}


@command("script.disown")
async def _disown(transport: ClassicTransport, parameters: Json) -> Json:
    """Let the page forget the objects of handles."""
    context, _ = transport.target(parameters)
    released = scripts.json.dumps(items(parameters.get("handles")))
    await transport.session_of(context).value(context, f"$realm.release({released})")
    return {}


@command("script.getRealms")
async def _get_realms(transport: ClassicTransport, parameters: Json) -> Json:
    """List the documents. Workers cannot be found."""
    wanted = parameters.get("context")
    realms = [
        {"realm": each.stamp, "origin": each.url, "type": "window", "context": each.id}
        for each in transport.tracker.contexts.values()
        if wanted in {None, each.id} and each.stamp
    ]
    return {"realms": realms if parameters.get("type") in {None, "window"} else []}


# input


@command("input.performActions")
async def _perform(transport: ClassicTransport, parameters: Json) -> Json:
    """Perform the actions in the window: the coordinates of a frame count from there."""
    context = transport.context(parameters)
    session = transport.session_of(context)
    sources = objects(parameters.get("actions"))
    translated = await actions.translated(session, context, sources)
    session.popups.clear()
    try:
        await actions.perform(session, context, translated)
    except NoSuchWindowError:
        await session.look_at_windows()  # an action has closed the window
        return {}
    with trio.move_on_after(actions.LOOK_AFTER):
        await session.look_at_windows()
        if not context.top.gone and context.window not in session.dialogs:
            await session.look_at(context.top)
    await session.find_popups()
    return {}


@command("input.releaseActions")
async def _release(transport: ClassicTransport, parameters: Json) -> Json:
    """Release keys and buttons."""
    context = transport.context(parameters)
    session = transport.session_of(context)
    if released := session.input.releases():
        await actions.perform(session, context, released)
    return {}


@command("input.setFiles")
async def _set_files(transport: ClassicTransport, parameters: Json) -> Json:
    """Send the paths as keys to the input, or to a stand-in for one outside of the document. Folders are refused."""
    context = transport.context(parameters)
    id_ = str(fields(parameters.get("element")).get("sharedId"))
    files = [str(path) for path in items(parameters.get("files"))]
    session = transport.session_of(context)
    if (grid := session.opened.grid) is not None:
        files = [await grid.send(Path(path)) for path in files]
    await actions.set_files(session, context, id_, files)
    return {}


# storage


async def _session_of_partition(transport: ClassicTransport, parameters: Json) -> Session:
    partition = fields(parameters.get("partition"))
    if partition.get("type") == "context":
        return transport.session_of(transport.context(partition))
    return await transport.session(str(partition.get("userContext") or DEFAULT))


def _window_of(session: Session) -> BrowsingContext | None:
    return next(reversed(session.windows.values()), None)


@command("storage.getCookies")
async def _get_cookies(transport: ClassicTransport, parameters: Json) -> Json:
    """Return the cookies of the pages in the tabs: the driver knows no others, and none of a page that is busy."""
    session = await _session_of_partition(transport, parameters)
    found: dict[tuple[object, ...], Json] = {}
    for context in list(session.windows.values()):
        with trio.move_on_after(COOKIES_TIMEOUT):
            for cookie in objects(await session.in_window(context, "GET", "/cookie")):
                found[cookie.get("name"), cookie.get("domain"), cookie.get("path")] = _to_bidi(cookie)
    wanted = fields(parameters.get("filter"))
    cookies = [each for each in found.values() if all(each.get(key) == value for key, value in wanted.items())]
    return {"cookies": cookies, "partitionKey": {"userContext": session.user_context}}


def _to_bidi(cookie: Json) -> Json:
    value = str(cookie.get("value", ""))
    found: Json = {
        "name": cookie.get("name"),
        "value": {"type": "string", "value": value},
        "domain": cookie.get("domain"),
        "path": cookie.get("path", "/"),
        "size": len(str(cookie.get("name"))) + len(value.encode()),
        "httpOnly": cookie.get("httpOnly") is True,
        "secure": cookie.get("secure") is True,
        "sameSite": str(cookie.get("sameSite") or "none").lower(),
    }
    return {**found, "expiry": cookie["expiry"]} if "expiry" in cookie else found


NOT_IN_COOKIES = re.compile(r"[\x00-\x08\x0a-\x1f\x7f;]")
"""Characters that no cookie has (RFC 6265bis 5.6). WebKitWebDriver 2.50 accepts them, and sets nothing."""

MAX_COOKIE = 4096
"""Maximum size of a cookie's name and value, in bytes (RFC 6265bis 5.7). WebKitGTK 2.50 keeps larger ones."""


@command("storage.setCookie")
async def _set_cookie(transport: ClassicTransport, parameters: Json) -> Json:
    """Add a cookie through the newest tab."""
    session = await _session_of_partition(transport, parameters)
    given = fields(parameters.get("cookie"))
    cookie: Json = {"name": given["name"], "value": str(fields(given.get("value")).get("value", ""))}
    if "=" in str(cookie["name"]) or NOT_IN_COOKIES.search(f"{cookie['name']}{cookie['value']}"):
        raise UnableToSetCookieError(f"a cookie cannot be called {cookie['name']!r}, or have this value")
    if len(f"{cookie['name']}{cookie['value']}".encode()) > MAX_COOKIE:
        raise UnableToSetCookieError(f"a cookie has at most {MAX_COOKIE} bytes")
    for key in ("domain", "path", "httpOnly", "secure", "expiry"):
        if given.get(key) is not None:
            cookie[key] = given[key]
    if given.get("sameSite") in {"strict", "lax", "none"}:
        cookie["sameSite"] = str(given["sameSite"]).capitalize()
    context = _window_of(session)
    if context is None:
        raise UnsupportedOperationError("WebKitGTK's driver sets cookies only while a tab is open")
    await session.in_window(context, "POST", "/cookie", {"cookie": cookie})
    return {"partitionKey": {"userContext": session.user_context}}


@command("storage.deleteCookies")
async def _delete_cookies(transport: ClassicTransport, parameters: Json) -> Json:
    """Delete the cookies of the pages in the tabs that the filter names."""
    session = await _session_of_partition(transport, parameters)
    wanted = fields(parameters.get("filter"))
    for context in list(session.windows.values()):
        if not wanted:
            await session.in_window(context, "DELETE", "/cookie")
            continue
        for cookie in objects(await session.in_window(context, "GET", "/cookie")):
            told = _to_bidi(cookie)
            if all(told.get(key) == value for key, value in wanted.items()):
                await session.in_window(context, "DELETE", f"/cookie/{cookie.get('name')}")
    return {"partitionKey": {"userContext": session.user_context}}


__all__ = ["HANDLERS", "BidiError", "is_array"]
