"""The thread in which the browsers of a pytest process run."""

import threading
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, TypeVar

import trio

from bidi_server.browser.engine.pool import Browsers, launch_options
from bidi_server.browser.sessions.client import Client
from bidi_server.browser.sessions.registry import Sessions
from bidi_server.config import Config

if TYPE_CHECKING:
    from bidi_server.browser.engine.browser import Browser

STOP_TIMEOUT = 10.0
"""Timeout for the browsers to end, in seconds. The guards of the drivers end those that are left."""

T = TypeVar("T")

# pytest leaves out the frames of this module in the tracebacks of failed tests.
__tracebackhide__ = True


class BrowserThread:
    """A thread with an event loop, in which one browser is kept for all tests."""

    def __init__(self) -> None:
        self._ready = threading.Event()
        self._kept: Browser | None = None
        # A daemon: a browser that does not end in time must not keep the process from ending.
        self._thread = threading.Thread(target=trio.run, args=(self._live,), name="bidi-server", daemon=True)
        self._thread.start()
        self._ready.wait()

    def run(self, function: Callable[[], Awaitable[T]]) -> T:
        """Run an async function in the thread, and wait for its result."""
        return trio.from_thread.run(function, trio_token=self._token)

    def stop(self) -> None:
        """End the browsers and the thread."""
        trio.from_thread.run_sync(self._stop.set, trio_token=self._token)
        self._thread.join(STOP_TIMEOUT)

    async def keep_browser(self, config: Config) -> None:
        """Keep a browser with these options until `release_browser`, also while no test uses it.

        One that was lost is started again. Raises `BrowserUnavailableError`.
        """
        if self._kept is None or self._kept.lost:
            self._kept = await self._browsers.get(launch_options(config))

    async def release_browser(self) -> None:
        """End the kept browser."""
        kept, self._kept = self._kept, None
        if kept is not None:
            await self._browsers.release(kept)

    async def client(self, config: Config) -> Client:
        """Return a client with a session of its own in the kept browser. Raises `BrowserUnavailableError`."""
        await self.keep_browser(config)
        return Client(Sessions(config, self._browsers), object(), config)

    async def _live(self) -> None:
        self._token = trio.lowlevel.current_trio_token()
        self._stop = trio.Event()
        async with trio.open_nursery() as nursery:
            self._browsers = Browsers(nursery)
            self._ready.set()
            try:
                await self._stop.wait()
            finally:
                with trio.CancelScope(shield=True):
                    await self._browsers.aclose()
                nursery.cancel_scope.cancel()
