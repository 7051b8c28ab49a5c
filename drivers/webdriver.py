"""Sessions with a local driver (ChromeDriver, geckodriver), through selenium's remote connection.

Only the parts that start and end a WebDriver session are imported: selenium's `webdriver.Remote` costs four times as
much startup time as its `RemoteConnection`, and everything after the start goes over BiDi.
"""

from __future__ import annotations

import math
from contextlib import closing, suppress
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

import trio

from drivers.address import is_local, reason_of, without_login
from drivers.diagnosis import starting
from drivers.errors import NotReachedError, SessionNotCreatedError
from drivers.json_values import fields
from drivers.launched import Launched

if TYPE_CHECKING:
    import re
    from collections.abc import Awaitable, Callable, Mapping, Sequence
    from pathlib import Path

    from selenium.webdriver.remote.remote_connection import RemoteConnection

    from drivers.options import BrowserName, DevTools, LaunchOptions
    from drivers.process import GuardedProcess

QUIT_SECONDS = 2.5

DEVTOOLS = "devtools"
"""Name under which the command is registered in selenium's connection; it is not part of the standard."""

DEVTOOLS_SECONDS = 1.0


async def launch_driven(
    name: BrowserName,
    browser: Path | str,
    driver: Path,
    process: GuardedProcess,
    listening: re.Pattern[str],
    requested: Callable[[int], Mapping[str, object]],
    options: LaunchOptions,
) -> Launched:
    """Let a newly started driver start its browser. Raises LaunchError if the browser did not become usable.

    The first group of ``listening`` matches the port in the driver's log; ``requested`` returns the capabilities for
    that port.
    """
    async with starting(process, f"{browser}, driven by {driver},", options.start_timeout):
        # Importing selenium takes as long as the driver takes to start: do both at once.
        await trio.to_thread.run_sync(import_module, "selenium.webdriver.remote.remote_connection")
        port = int((await process.read_until(listening))[1])
        address = f"http://127.0.0.1:{port}"
        ask = partial(new_session, address, requested(port), options.start_timeout)
        capabilities = await (unless_its_browser_ends(process, ask) if name == "chromium" else ask())
    session_id, browser_name = str(capabilities["sessionId"]), str(capabilities["browserName"]).lower()

    async def farewell() -> None:
        await quit_session(address, session_id)

    return Launched(
        web_socket_url=str(capabilities["webSocketUrl"]),
        session_ready=True,
        capabilities=capabilities,
        browser=name,
        browser_name=browser_name,
        browser_version=str(capabilities["browserVersion"]),
        process=process,
        farewell=farewell if options.user_data_dir else None,
        # With a persistent profile, the first window belongs to the agent.
        devtools=None if options.user_data_dir else devtools(address, session_id, browser_name),
    )


async def unless_its_browser_ends(
    process: GuardedProcess, ask: Callable[[], Awaitable[Mapping[str, object]]], gone_after: float = math.inf
) -> Mapping[str, object]:
    """Return the driver's reply, or fail when its browser ends, for which drivers wait.

    ChromeDriver waits at its end of the pipe for a minute, WebKitWebDriver 2.50 without end. See
    `GuardedProcess.wait_child_ended`. Raises SessionNotCreatedError and NotReachedError.
    """
    found: Mapping[str, object] | None = None
    failure: Exception = SessionNotCreatedError("the browser ended.")
    async with trio.open_nursery() as nursery:

        async def watch() -> None:
            await process.wait_child_ended(gone_after)
            nursery.cancel_scope.cancel()

        nursery.start_soon(watch)
        try:
            found = await ask()
        except (SessionNotCreatedError, NotReachedError) as error:
            failure = error
        nursery.cancel_scope.cancel()
    if found is None:
        raise failure
    return found


async def new_session(
    address: str,
    capabilities: Mapping[str, object],
    timeout: float,  # noqa: ASYNC109 - the driver's
    first_match: Sequence[Mapping[str, object]] = ({},),
) -> Mapping[str, object]:
    """Create a session and return its capabilities, with its id as "sessionId".

    The driver takes the first element of ``first_match`` that it can provide, as additional capabilities. A driver
    may refuse all because it does not know one of them (WPEWebDriver 2.38); then only the last are requested.

    https://www.w3.org/TR/webdriver2/#new-session. After a cancellation, the request continues in its thread, which ends
    the session if it is still created. Raises SessionNotCreatedError with the driver's reason, and NotReachedError.
    """
    abandoned = False

    def request() -> Mapping[str, object]:
        from selenium.common.exceptions import InvalidArgumentException, WebDriverException
        from selenium.webdriver.remote.command import Command
        from selenium.webdriver.remote.errorhandler import ErrorHandler
        from urllib3.exceptions import HTTPError

        def create(connection: RemoteConnection, wishes: Sequence[Mapping[str, object]]) -> dict[str, object]:
            wanted = {"alwaysMatch": dict(capabilities), "firstMatch": [*map(dict, wishes)]}
            reply = execute(connection, Command.NEW_SESSION, {"capabilities": wanted})
            ErrorHandler().check_response(reply)
            return fields(reply["value"])

        try:
            with closing(connect(address, timeout)) as connection:
                try:
                    value = create(connection, first_match)
                except InvalidArgumentException:
                    if len(first_match) == 1:
                        raise
                    value = create(connection, first_match[-1:])
                if abandoned:
                    execute(connection, Command.QUIT, {"sessionId": value["sessionId"]})
        except WebDriverException as error:
            # selenium adds the address of its own help
            raise SessionNotCreatedError((error.msg or "no reason given").partition("; For documentation")[0]) from None
        except HTTPError as error:
            raise NotReachedError(reason_of(error)) from None
        return {**fields(value["capabilities"]), "sessionId": value["sessionId"]}

    try:
        return await trio.to_thread.run_sync(request, abandon_on_cancel=True)
    except trio.Cancelled:
        abandoned = True
        raise


async def quit_session(address: str, session_id: str) -> None:
    """Ask the driver to quit its browser in an orderly way, within 2.5 seconds; failures are ignored.

    https://www.w3.org/TR/webdriver2/#delete-session
    """

    def request() -> None:
        from selenium.webdriver.remote.command import Command
        from urllib3.exceptions import HTTPError

        with suppress(HTTPError), closing(connect(address, QUIT_SECONDS)) as connection:
            execute(connection, Command.QUIT, {"sessionId": session_id})

    await trio.to_thread.run_sync(request, abandon_on_cancel=True)


def devtools(address: str, session_id: str, browser_name: str) -> DevTools | None:
    """Return a driver's own access to the Chrome DevTools Protocol, or None for Firefox and WebKit, which have none.

    The driver uses the first window, which must exist and must not be busy with a page.
    """
    if browser_name in {"firefox", "minibrowser", "safari"}:
        return None
    vendor = "ms" if browser_name == "microsoftedge" else "goog"
    return partial(_execute_cdp, address, session_id, f"/session/$sessionId/{vendor}/cdp/execute")


async def _execute_cdp(
    address: str, session_id: str, path: str, method: str, parameters: Mapping[str, object]
) -> Mapping[str, object]:
    def request() -> Mapping[str, object]:
        from urllib3.exceptions import HTTPError

        connection = connect(address, DEVTOOLS_SECONDS)
        connection.extra_commands = {DEVTOOLS: ("POST", path)}  # pyright: ignore[reportAttributeAccessIssue] - selenium declares the values as strings, but stores such pairs
        value: object = None
        with suppress(HTTPError, OSError, ValueError), closing(connection):
            command: dict[str, object] = {"sessionId": session_id, "cmd": method, "params": dict(parameters)}
            value = execute(connection, DEVTOOLS, command).get("value")
        found = fields(value)
        return {} if "error" in found else found

    return await trio.to_thread.run_sync(request, abandon_on_cancel=True)


def execute(connection: RemoteConnection, command: str, parameters: dict[str, object]) -> dict[str, object]:
    """Send a command; selenium types neither parameters nor reply."""
    return fields(connection.execute(command, parameters))  # pyright: ignore[reportUnknownMemberType, reportUnknownArgumentType]


def connect(address: str, timeout: float) -> RemoteConnection:
    """Connect to a driver or a Grid, without retries. Connections to this machine bypass the environment's proxies.

    The address may contain a user and a password.
    """
    from selenium.webdriver.remote.client_config import ClientConfig
    from selenium.webdriver.remote.remote_connection import RemoteConnection

    parts = urlsplit(address)
    config = ClientConfig(
        remote_server_addr=without_login(address),
        timeout=int(timeout) + 1,
        init_args_for_pool_manager={"init_args_for_pool_manager": {"retries": False}},
        username=unquote(parts.username) if parts.username else None,
        password=unquote(parts.password) if parts.password else None,
    )
    return RemoteConnection(client_config=config, ignore_proxy=is_local(address))
