"""The pool of browsers that sessions share."""

from __future__ import annotations

import json
import logging
import re
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import trio

from bidi_server.browser.disk import read
from bidi_server.browser.engine.installation import default_browser, download
from bidi_server.errors import BrowserUnavailableError
from drivers import BrowserNotFoundError, DriverError, Launched, LaunchOptions, Remote, Tell, WebDriverSession, launch
from drivers import prepare as prepare_launch

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from bidi_server.browser.engine.browser import Browser
    from bidi_server.config import Config

logger = logging.getLogger(__name__)

MAX_CAPABILITIES = 1_000_000
"""Maximum size of the --grid-capabilities file, in bytes."""

_Key = tuple[LaunchOptions, str] | WebDriverSession


@dataclass(slots=True)
class _Start:
    """A pending start of a browser, and the progress callbacks of the callers that wait for it."""

    lock: trio.Lock = field(default_factory=trio.Lock)
    waiting: list[Tell | None] = field(default_factory=list["Tell | None"])
    attempts: int = 0
    error: BrowserUnavailableError | None = None
    """The error of the last attempt."""

    async def tell(self, done: float, total: float | None, what: str) -> None:
        for tell in filter(None, list(self.waiting)):
            await tell(done, total, what)


class Browsers:
    """The running browsers, one for each set of launch options, started when first needed."""

    def __init__(self, nursery: trio.Nursery) -> None:
        self.started = 0
        """Number of browsers that were started so far."""
        self.lost = 0
        """Number of those that ended by themselves, as far as a session noticed."""
        self._nursery = nursery
        self._running: dict[_Key, Browser] = {}
        self._starting: dict[_Key, _Start] = {}
        self.first_calls = 0
        """Number of calls for which a browser was started ahead, see `ahead`."""
        self._prelaunching = trio.CancelScope()

    @property
    def running(self) -> list[Browser]:
        """The browsers that were started and not ended by us."""
        return list(self._running.values())

    async def prelaunch(self, config: Config) -> bool:
        """Start the browser for this configuration and keep it while no session uses it. Return whether it started."""
        with self._prelaunching:
            try:
                await self.get(launch_options(config))
            except BrowserUnavailableError as error:
                logger.warning("the browser could not be started beforehand: %s", error)
            else:
                return True
        return False

    @contextmanager
    def ahead(self, options: LaunchOptions) -> Generator[None]:
        """Start a browser that a call in this block will need. The call reports what goes wrong."""
        is_over = trio.Event()
        self._nursery.start_soon(self._hold, options, is_over)
        self.first_calls += 1
        try:
            yield
        finally:
            self.first_calls -= 1
            is_over.set()

    async def wait_for_starts(self) -> None:
        """Wait until those browsers run that are being started now, or have failed to."""
        for start in list(self._starting.values()):
            async with start.lock:
                pass

    async def _hold(self, options: LaunchOptions, is_over: trio.Event) -> None:
        with suppress(BrowserUnavailableError):
            browser = await self.get(options)
            await is_over.wait()
            await self.release(browser)

    async def get(self, options: LaunchOptions, owner: str = "", tell: Tell | None = None) -> Browser:
        """Return the browser for these options; give it back with `release`. Raises `BrowserUnavailableError`.

        A browser with an ``owner`` is not shared with other owners. ``tell`` receives progress while a Grid has no free
        slot.
        """
        key = (options, owner)
        start = self._starting.setdefault(key, _Start())
        start.waiting.append(tell)
        before = start.attempts
        try:
            async with start.lock:
                if start.error is not None and start.attempts > before:
                    raise start.error  # of the attempt that this call has waited for
                browser = await self._running_or_started(key, start)
                browser.users += 1
                return browser
        finally:
            start.waiting.remove(tell)

    async def _running_or_started(self, key: tuple[LaunchOptions, str], start: _Start) -> Browser:
        browser = self._running.get(key)
        if browser is not None and browser.lost:
            del self._running[key]
            self.lost += 1
            await browser.aclose()
            browser = None
        if browser is None:
            start.error = None
            try:
                browser = self._running[key] = await open_browser(key[0], self._nursery, start.tell)
            except BrowserUnavailableError as error:
                start.error = error
                raise
            finally:
                start.attempts += 1
            self.started += 1
        return browser

    async def resume(self, options: LaunchOptions, session: WebDriverSession) -> Browser:
        """Return the browser of a WebDriver session that exists already; give it back with `release`.

        Raises `BrowserUnavailableError`.
        """
        async with self._starting.setdefault(session, _Start()).lock:
            found = [(key, browser) for key, browser in self._running.items() if browser.session == session]
            key, browser = found[0] if found else (session, None)
            if browser is None or browser.lost:
                from bidi_server.browser.engine.connect import resume_browser

                resumed = await resume_browser(options, session, self._nursery)
                if browser is not None:
                    browser.leave()
                    await browser.aclose()
                browser = self._running[key] = resumed
            browser.users += 1
            return browser

    async def release(self, browser: Browser) -> None:
        """Give a browser back. End it if no session uses it any more."""
        browser.users -= 1
        if not browser.users:
            for key, running in list(self._running.items()):
                if running is browser:
                    del self._running[key]
                    self._starting.pop(key, None)
            await browser.aclose()

    async def reap(self, grid_url: str, idle_timeout: float) -> None:
        """End the sessions that other servers have left behind on the Grid."""
        from bidi_server.browser.engine.grid.reaper import reap_grid

        await reap_grid(grid_url, idle_timeout, lambda: {each.session for each in self.running})

    async def aclose(self) -> None:
        """End every browser."""
        self._prelaunching.cancel()
        running = list(self._running.values())
        self._running.clear()
        async with trio.open_nursery() as nursery:
            for browser in running:
                nursery.start_soon(browser.aclose)


async def open_browser(options: LaunchOptions, nursery: trio.Nursery, tell: Tell | None = None) -> Browser:
    """Start a browser and connect to it; download it if it is missing. Raises `BrowserUnavailableError`.

    The nursery runs the connection's tasks for as long as the browser lives. ``tell`` receives progress while a Grid
    has no free slot.
    """
    nursery.start_soon(_in_thread, _prepare_connection, options)
    launched = await _launch(options, tell)
    from bidi_server.browser.engine.connect import connect

    return await connect(launched, options, nursery)


async def prepare(options: LaunchOptions) -> None:
    """Import what the start of a browser needs, before one is needed."""
    await _in_thread(prepare_launch, options)
    await _in_thread(_prepare_connection, options)


async def _in_thread(function: Callable[[LaunchOptions], None], options: LaunchOptions) -> None:
    await trio.to_thread.run_sync(function, options, abandon_on_cancel=True)


def _prepare_connection(options: LaunchOptions) -> None:
    """Import the protocol's modules and link the page's scripts, as is done while the browser starts."""
    from bidi_server.browser.engine.browser import engine_of, scripts

    scripts(engine_of(options.browser))


async def _launch(options: LaunchOptions, tell: Tell | None) -> Launched:
    try:
        try:
            return await launch(options, tell)
        except BrowserNotFoundError:
            if options.executable or options.driver or options.remote:
                raise
        await download(options.browser)
        return await launch(options, tell)
    except DriverError as error:
        raise BrowserUnavailableError(error.message, error.advice) from error


def launch_options(config: Config) -> LaunchOptions:
    """Return the launch options for a configuration.

    Raises `BrowserUnavailableError` if the file of --grid-capabilities can't be read or is invalid.
    """
    remote = _remote(config)
    return LaunchOptions(
        browser=config.browser or ("chromium" if remote else default_browser()),
        headed=config.headed,
        executable=config.executable,
        driver=config.driver,
        user_data_dir=config.user_data_dir,
        arguments=config.browser_arg,
        preferences=tuple(map(_preference, config.browser_pref)),
        environment=tuple((name, value) for name, _, value in (text.partition("=") for text in config.browser_env)),
        web_tools="webmcp" in config.caps,
        confined=config.egress_policy is not None,
        window=config.viewport,
        accept_insecure_certs=config.ignore_https_errors,
        remote=remote,
    )


def _preference(text: str) -> tuple[str, str | int | bool]:
    """Parse ``NAME=VALUE``. The value becomes a boolean if it is true or false, an integer if it is a whole number."""
    name, _, value = text.partition("=")
    if value in {"true", "false"}:
        return name.strip(), value == "true"
    return name.strip(), int(value) if re.fullmatch(r"-?\d+", value) else value


def address_of(config: Config) -> str:
    """Return the address that provides the browsers, as in `WebDriverSession.address`; "" for this machine."""
    from drivers.address import without_login

    url = config.endpoint or config.grid_url
    return without_login(url) if url else ""


def _remote(config: Config) -> Remote | None:
    url = config.endpoint or config.grid_url
    if url is None:
        return None
    wishes: object = {}
    if config.grid_capabilities is not None and not config.endpoint:
        try:
            wishes = json.loads(read(config.grid_capabilities, MAX_CAPABILITIES))
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else error
            raise BrowserUnavailableError(
                f"--grid-capabilities {config.grid_capabilities} can't be read: {reason}.", "It must be a JSON object."
            ) from error
        if not isinstance(wishes, dict):
            raise BrowserUnavailableError(
                f"--grid-capabilities {config.grid_capabilities} holds no JSON object.",
                'Write such as {"platformName": "linux"}.',
            )
    return Remote(url, not config.endpoint, json.dumps(wishes), config.grid_timeout)
