"""Browsers that run elsewhere: on a Selenium Grid, behind a running driver, or on a BiDi port."""

from __future__ import annotations

import json
import re
import socket
from dataclasses import replace
from functools import partial
from secrets import token_hex
from typing import TYPE_CHECKING
from urllib.parse import urlsplit, urlunsplit

import trio

from drivers.address import is_local, without_login
from drivers.attaching import attach_chromium, running_chromium
from drivers.chromium import PREFERENCES, flags_anywhere, flags_here, guarding
from drivers.classic import OR_BIDI, ClassicSession
from drivers.errors import LaunchError, NotReachedError, SessionNotCreatedError
from drivers.firefox_profile import preferences_anywhere
from drivers.grid import GridSession, keeps_downloads, queue_length
from drivers.json_values import fields, is_array, is_object
from drivers.launched import Launched
from drivers.options import OPEN_PROMPTS, Remote, WebDriverSession
from drivers.webdriver import devtools, new_session, quit_session
from drivers.webkit_ports import port_of_browser

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from drivers.options import BrowserName, LaunchOptions, Tell

NAME_PREFIX = "bidi-server"
"""Prefix of the names (``se:name``) of our Grid sessions."""

TELL_SECONDS = 3.0
"""Interval between two progress reports while waiting for a Grid, in seconds."""

AFTERTHOUGHT_SECONDS = 300.0
"""Additional time to listen to a Grid after we have given up, in seconds.

A Grid does not forget a request: it may create the session late, and then we must end it. The Grid itself gives up a
request after the same time."""

_DOWNLOADS = "se:downloadsEnabled"
"""Capability that requests a slot of a Grid whose downloads can be fetched."""

_SESSION = re.compile(r"/session/([^/]+)")
"""Session id in the path of a WebSocket whose session exists already."""

_NAMES: dict[BrowserName, str] = {"chromium": "chrome", "firefox": "firefox", "webkit": "MiniBrowser"}
"""Names of the browsers in capabilities."""

Json = dict[str, object]


async def launch_remote(options: LaunchOptions, remote: Remote, tell: Tell | None) -> Launched:
    """Start a browser elsewhere, or attach to a running one; see `drivers.launch`. Raises LaunchError."""
    if urlsplit(remote.url).scheme in {"ws", "wss"}:
        return _attached(options, remote)
    if not remote.is_grid and (browser := await running_chromium(remote.url)):
        return await attach_chromium(options, browser)
    found = await _created(options, remote, tell)
    if isinstance(found.get("webSocketUrl"), str):
        return _driven(options, remote, found)
    if options.browser == "webkit":
        return _classic(options, remote, found)
    raise LaunchError(
        f"{_place(remote)} does not offer WebDriver BiDi: it returned no webSocketUrl.", "Use a newer node or driver."
    )


def _place(remote: Remote) -> str:
    return f"{'The Grid' if remote.is_grid else 'The driver or browser'} at {without_login(remote.url)}"


async def _created(
    options: LaunchOptions, remote: Remote, tell: Tell | None = None, wishes: Mapping[str, object] | None = None
) -> Mapping[str, object]:
    """Create a session, with additional capabilities, and return those that it has. Raises LaunchError."""
    limit = remote.queue_timeout if remote.is_grid else options.start_timeout
    first_match: Sequence[Mapping[str, object]] = OR_BIDI if options.browser == "webkit" else [{}]
    with trio.move_on_after(limit):
        try:
            wanted = {**await _wanted(options, remote), **(wishes or {})}
            if wishes:
                wanted = port_of_browser(str(wanted["browserName"])).proxied(wanted)
            return await _begun(remote, wanted, first_match, limit, tell)
        except NotReachedError as error:
            raise LaunchError(
                f"{_place(remote)} can't be reached: {error}.", "Check its address, and that it runs."
            ) from None
        except SessionNotCreatedError as error:
            raise LaunchError(f"{_place(remote)} did not start a browser: {error}", _advice(remote)) from None
    raise LaunchError(f"{_place(remote)} had no place for a browser within {limit:g} s.", _advice(remote))


async def _wanted(options: LaunchOptions, remote: Remote) -> Json:
    wanted = requested_capabilities(options, remote)
    if remote.is_grid and _DOWNLOADS not in wanted and await keeps_downloads(remote.url, str(wanted["browserName"])):
        wanted[_DOWNLOADS] = True
    return wanted


async def _begun(
    remote: Remote, wanted: Json, first_match: Sequence[Mapping[str, object]], limit: float, tell: Tell | None
) -> Mapping[str, object]:
    """Create the session, and report every `TELL_SECONDS` that we wait. Raises what `new_session` raises."""
    found: Mapping[str, object] = {}
    failure: SessionNotCreatedError | None = None
    async with trio.open_nursery() as nursery:
        if remote.is_grid and tell is not None:
            nursery.start_soon(_tell_of_the_queue, remote.url, tell)
        try:
            patience = limit + (AFTERTHOUGHT_SECONDS if remote.is_grid else 0)
            found = await new_session(remote.url, wanted, patience, first_match)
        except SessionNotCreatedError as error:
            failure = error  # raised in the nursery, it would be wrapped in a group
        nursery.cancel_scope.cancel()
    if failure is not None:
        raise failure
    return found


async def _tell_of_the_queue(grid: str, tell: Tell) -> None:
    began = trio.current_time()
    while True:
        await trio.sleep(TELL_SECONDS)
        waiting = await queue_length(grid)
        seconds = round(trio.current_time() - began)
        # An empty queue proves nothing: a Grid takes requests out of it while it looks for a slot.
        queue = f", {waiting} in its queue" if waiting else ""
        await tell(seconds, None, f"waiting for a browser on the Grid ({seconds} s{queue})")


def _advice(remote: Remote) -> str:
    return "See its status page, and --grid-capabilities." if remote.is_grid else "See what the driver logs."


def _attached(options: LaunchOptions, remote: Remote) -> Launched:
    path = urlsplit(remote.url).path
    named = _SESSION.search(path)
    name = _NAMES[options.browser].lower()
    return Launched(
        web_socket_url=remote.url if path.strip("/") else f"{remote.url.rstrip('/')}/session",
        session_ready=named is not None,
        capabilities={},
        browser=options.browser,
        browser_name=name,
        browser_version="",
        session=WebDriverSession(named[1], name, without_login(remote.url), "") if named else None,
        stays=True,
        is_elsewhere=not is_local(remote.url),
    )


class _ClassicDrivers:
    """Starts further sessions of a Grid or a driver that only speaks classic WebDriver."""

    def __init__(self, options: LaunchOptions, remote: Remote) -> None:
        self._options, self._remote = options, remote
        self._sessions: list[ClassicSession] = []

    async def start(self, wishes: Mapping[str, object]) -> ClassicSession:
        """Start a session with additional capabilities; see `drivers.classic.ClassicDrivers`. Raises LaunchError."""
        return self.take(await _created(self._options, self._remote, wishes=wishes))

    def take(self, capabilities: Mapping[str, object]) -> ClassicSession:
        """Keep a session, to end it with the others."""
        remote, id_ = self._remote, str(capabilities["sessionId"])

        grid = GridSession(remote.url, id_) if remote.is_grid else None
        session = ClassicSession(remote.url, id_, capabilities, partial(quit_session, remote.url, id_), grid=grid)
        self._sessions.append(session)
        return session

    async def aclose(self) -> None:
        """End all sessions."""
        async with trio.open_nursery() as nursery:
            for session in self._sessions:
                nursery.start_soon(session.aclose)


def _classic(options: LaunchOptions, remote: Remote, found: Mapping[str, object]) -> Launched:
    drivers = _ClassicDrivers(options, remote)
    return Launched(
        web_socket_url="",
        session_ready=True,
        capabilities=found,
        browser="webkit",
        browser_name="webkit",
        browser_version=str(found.get("browserVersion", "")),
        is_elsewhere=remote.is_grid or not is_local(remote.url),
        classic=drivers,
        first_session=drivers.take(found),
    )


def _driven(options: LaunchOptions, remote: Remote, found: Mapping[str, object]) -> Launched:
    web_socket_url = str(found["webSocketUrl"])
    id_, name = str(found["sessionId"]), str(found["browserName"]).lower()
    if remote.is_grid:
        web_socket_url = reachable(web_socket_url, remote)
    usual = web_socket_url == _usual(remote, id_)
    address = without_login(remote.url)
    session = WebDriverSession(id_, name, address, "" if usual else without_login(web_socket_url))
    launched = resume_remote(options, session)
    return replace(
        launched,
        web_socket_url=web_socket_url,
        capabilities=found,
        browser_version=str(found.get("browserVersion", "")),
    )


def resume_remote(options: LaunchOptions, session: WebDriverSession) -> Launched:
    """Return the address of a session that outlived its connection; see `drivers.resume`."""
    remote = options.remote
    if remote is None or without_login(remote.url) != session.address:
        remote = Remote(session.address, is_grid=True)
    if urlsplit(remote.url).scheme in {"ws", "wss"}:
        return _attached(options, remote)

    async def farewell() -> None:
        await quit_session(remote.url, session.id)

    return Launched(
        web_socket_url=session.web_socket_url or _usual(remote, session.id),
        session_ready=True,
        capabilities={},
        browser=options.browser,
        browser_name=session.browser_name,
        browser_version="",
        farewell=farewell,
        session=session,
        # A Grid at a local address may run anywhere: in a container, or behind a tunnel.
        is_elsewhere=remote.is_grid or not is_local(remote.url),
        grid=GridSession(remote.url, session.id) if remote.is_grid else None,
        devtools=devtools(remote.url, session.id, session.browser_name),
    )


def _usual(remote: Remote, session_id: str) -> str:
    """Return the usual WebSocket address of a session on a Grid."""
    return reachable(f"ws:///session/{session_id}/se/bidi", remote)


def reachable(web_socket_url: str, remote: Remote) -> str:
    """Return a Grid's WebSocket URL with the address by which we reach the Grid, which may report another address.

    https://www.selenium.dev/documentation/grid/
    """
    grid, found = urlsplit(remote.url), urlsplit(web_socket_url)
    scheme = "wss" if grid.scheme == "https" else "ws"
    return urlunsplit(
        (scheme, grid.netloc, grid.path.rstrip("/").removesuffix("/wd/hub") + found.path, found.query, "")
    )


def requested_capabilities(options: LaunchOptions, remote: Remote) -> Json:
    """Return the capabilities to request from a Grid or a driver: ours, extended and overridden by the user's."""
    wishes = fields(json.loads(remote.capabilities))
    chosen = str(wishes.get("browserName") or _NAMES[options.browser])
    if options.browser == "webkit":
        ours = _capabilities_of_webkit(options, chosen)
    else:
        ours = _capabilities_of_bidi(options, remote, chosen)
    if remote.is_grid:
        ours["se:name"] = f"{NAME_PREFIX} {socket.gethostname()} {token_hex(4)}"
    return _merged(ours, wishes)


def _capabilities_of_bidi(options: LaunchOptions, remote: Remote, chosen: str) -> Json:
    ours: Json = {
        "browserName": chosen,
        "webSocketUrl": True,
        # Older geckodrivers do not know OPEN_PROMPTS.
        "unhandledPromptBehavior": "ignore" if chosen == "firefox" else OPEN_PROMPTS,
        "acceptInsecureCerts": options.accept_insecure_certs,
    }
    if chosen == "firefox":
        arguments = [*([] if options.headed else ["-headless"]), *options.arguments]
        preferences = {**preferences_anywhere(options), **dict(options.preferences)}
        ours["moz:firefoxOptions"] = {"args": arguments, "prefs": preferences}
    else:
        vendor = "ms:edgeOptions" if chosen == "MicrosoftEdge" else "goog:chromeOptions"
        flags = flags_anywhere(options)
        if not remote.is_grid:
            flags.append(guarding(urlsplit(remote.url).port or 80, options))
            flags += flags_here() if is_local(remote.url) else []
        flags += options.arguments
        preferences = {**PREFERENCES, **dict(options.preferences)}
        ours[vendor] = {"args": flags, "prefs": preferences, "excludeSwitches": ["enable-logging"]}
    return ours


def _capabilities_of_webkit(options: LaunchOptions, name: str) -> Json:
    port = port_of_browser(name)
    arguments = [*(() if options.headed else port.headless), *options.arguments]
    return port.capabilities(arguments, insecure=options.accept_insecure_certs)


def _merged(ours: Json, wishes: Json) -> Json:
    found = dict(ours)
    for name, wish in wishes.items():
        own = found.get(name)
        if is_object(own) and is_object(wish):
            found[name] = _merged(own, wish)
        elif is_array(own) and is_array(wish):
            found[name] = [*own, *wish]
        else:
            found[name] = wish
    return found
