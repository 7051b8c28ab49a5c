"""Browsers that run elsewhere: on a Selenium Grid, behind a driver that is there, or on a BiDi port."""

from __future__ import annotations

import json
import re
import socket
from secrets import token_hex
from typing import TYPE_CHECKING, cast
from urllib.parse import urlsplit, urlunsplit

import trio

from drivers.chromium import PREFERENCES, flags_anywhere, guarding
from drivers.errors import LaunchError, NotReachedError, SessionNotCreatedError
from drivers.options import OPEN_PROMPTS, Launched
from drivers.webdriver import is_local, new_session, quit_session, without_login

if TYPE_CHECKING:
    from collections.abc import Mapping

    from drivers.options import BrowserName, LaunchOptions, Remote

NAME_PREFIX = "bidi-server"
"""What the names of our Grid sessions (``se:name``) begin with."""

_SESSION = re.compile(r"/session/[^/]+")
"""In the path of a WebSocket whose session is there already."""

_NAMES: dict[BrowserName, str] = {"chromium": "chrome", "firefox": "firefox"}
"""What browsers call themselves in capabilities."""

Json = dict[str, object]


async def launch_remote(options: LaunchOptions, remote: Remote) -> Launched:
    """Have a browser started elsewhere, or reach one that runs; see `drivers.launch`. Raises LaunchError."""
    if urlsplit(remote.url).scheme in {"ws", "wss"}:
        return _attached(options, remote)
    where = f"{'The Grid' if remote.is_grid else 'The driver'} at {without_login(remote.url)}"
    limit = remote.queue_timeout if remote.is_grid else options.start_timeout
    with trio.move_on_after(limit):
        try:
            found = await new_session(remote.url, requested_capabilities(options, remote), limit)
        except NotReachedError as error:
            raise LaunchError(f"{where} can't be reached: {error}.", "Check its address, and that it runs.") from None
        except SessionNotCreatedError as error:
            raise LaunchError(f"{where} did not start a browser: {error}", _advice(remote)) from None
        return _driven(options, remote, found, where)
    raise LaunchError(f"{where} had no place for a browser within {limit:g} s.", _advice(remote))


def _advice(remote: Remote) -> str:
    return "See its status page, and --grid-capabilities." if remote.is_grid else "See what the driver logs."


def _attached(options: LaunchOptions, remote: Remote) -> Launched:
    path = urlsplit(remote.url).path
    return Launched(
        web_socket_url=remote.url if path.strip("/") else f"{remote.url.rstrip('/')}/session",
        session_ready=_SESSION.search(path) is not None,
        capabilities={},
        browser=options.browser,
        browser_name=_NAMES[options.browser],
        browser_version="",
        stays=True,
        is_elsewhere=not is_local(remote.url),
    )


def _driven(options: LaunchOptions, remote: Remote, found: Mapping[str, object], where: str) -> Launched:
    session_id = str(found["sessionId"])

    async def farewell() -> None:
        await quit_session(remote.url, session_id)

    if not isinstance(found.get("webSocketUrl"), str):
        raise LaunchError(f"{where} offers no WebDriver BiDi: there is no webSocketUrl.", "Use a newer node or driver.")
    return Launched(
        web_socket_url=reachable(str(found["webSocketUrl"]), remote) if remote.is_grid else str(found["webSocketUrl"]),
        session_ready=True,
        capabilities=found,
        browser=options.browser,
        browser_name=str(found["browserName"]).lower(),
        browser_version=str(found.get("browserVersion", "")),
        farewell=farewell,
        is_elsewhere=not is_local(remote.url),
    )


def reachable(web_socket_url: str, remote: Remote) -> str:
    """Return a Grid's WebSocket at the address that we know the Grid by; it may know itself by another one.

    https://www.selenium.dev/documentation/grid/
    """
    grid, found = urlsplit(remote.url), urlsplit(web_socket_url)
    scheme = "wss" if grid.scheme == "https" else "ws"
    return urlunsplit(
        (scheme, grid.netloc, grid.path.rstrip("/").removesuffix("/wd/hub") + found.path, found.query, "")
    )


def requested_capabilities(options: LaunchOptions, remote: Remote) -> Json:
    """Return what to ask a Grid or a driver for: ours, and the user's on top."""
    wishes = cast("Json", json.loads(remote.capabilities))
    chosen = str(wishes.get("browserName") or _NAMES[options.browser])
    ours: Json = {
        "browserName": chosen,
        "webSocketUrl": True,
        # OPEN_PROMPTS is news to older geckodrivers.
        "unhandledPromptBehavior": "ignore" if chosen == "firefox" else OPEN_PROMPTS,
        "acceptInsecureCerts": options.accept_insecure_certs,
    }
    if chosen == "firefox":
        ours["moz:firefoxOptions"] = {"args": [] if options.headed else ["-headless"]}
    else:
        vendor = "ms:edgeOptions" if chosen == "MicrosoftEdge" else "goog:chromeOptions"
        guards = [] if remote.is_grid else guarding(urlsplit(remote.url).port or 80)
        arguments = [*flags_anywhere(options), *guards]
        ours[vendor] = {"args": arguments, "prefs": PREFERENCES, "excludeSwitches": ["enable-logging"]}
    if remote.is_grid:
        ours["se:name"] = f"{NAME_PREFIX} {socket.gethostname()} {token_hex(4)}"
    return _merged(ours, wishes)


def _merged(ours: Json, wishes: Json) -> Json:
    found = dict(ours)
    for name, wish in wishes.items():
        own = found.get(name)
        if isinstance(own, dict) and isinstance(wish, dict):
            found[name] = _merged(cast("Json", own), cast("Json", wish))
        elif isinstance(own, list) and isinstance(wish, list):
            found[name] = [*cast("list[object]", own), *cast("list[object]", wish)]
        else:
            found[name] = wish
    return found
