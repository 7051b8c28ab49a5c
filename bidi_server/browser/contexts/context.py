"""A context: one isolated set of cookies, storage and tabs inside a session."""

from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from secrets import token_hex
from typing import TYPE_CHECKING, Protocol

import trio

from bidi_server.bidi import browsing_context as bc
from bidi_server.bidi import cdp
from bidi_server.bidi.browser import (
    DownloadBehaviorAllowed,
    DownloadBehaviorDenied,
    RemoveUserContext,
    SetDownloadBehavior,
)
from bidi_server.bidi.errors import BidiError, ConnectionLostError, UnknownCommandError
from bidi_server.bidi.network import AddDataCollector
from bidi_server.browser.contexts.throttle import Conditions
from bidi_server.browser.limits import Limits
from bidi_server.browser.loading.page_load import wait_loaded
from bidi_server.browser.network.allow_list import AllowList
from bidi_server.browser.network.proxy import Proxy
from bidi_server.browser.tab.state import Shared
from bidi_server.browser.tab.tab import Tab
from bidi_server.errors import DeadlineError, InvalidParametersError
from bidi_server.http_credentials import HttpCredentials

if TYPE_CHECKING:
    from bidi_server.bidi.connection import Connection
    from bidi_server.browser.console.messages import PrintedErrors
    from bidi_server.browser.files.grid_node import NodeFiles
    from bidi_server.browser.network.proxy_relay import Relay
    from bidi_server.config import Config

CREATION_LIMIT = 10.0
"""Seconds without a message after which the browser is asked again for a tab."""

BUSY_CREATION_LIMIT = 30.0
"""Seconds after which it is asked again although it sends messages. A tab behind 200,000 console messages took 22 s."""

DOWNLOADS_GAP = "downloads are not reported and go to its own download folder"
"""The gap of a browser without browser.setDownloadBehavior."""

BODIES_GAP = "bodies of requests and responses are not kept"
"""The gap of a browser without network.addDataCollector."""

MAX_BODY = 10_000_000
"""Bytes of a body that the browser keeps for `browser_network_request`; larger ones it drops."""


async def create_tab(connection: "Connection", wanted: bc.Create, appeared: Callable[[], str | None]) -> str:
    """Open a tab and return its browsing context; ``appeared`` tells of one that came without an answer.

    Firefox 153 now and then does not answer, about once in some thousand windows: it waits for what has happened
    already. Raises `DeadlineError` when asking again does not help.
    """
    since = trio.current_time()
    for _ in range(2):
        with connection.move_on_after_silence(CREATION_LIMIT, BUSY_CREATION_LIMIT):
            return (await connection.send(wanted)).context
        if found := appeared():
            return found
    raise DeadlineError(
        f"The browser did not open a tab within {trio.current_time() - since:.0f} s.",
        "Try again, or close the session first.",
    )


@dataclass(frozen=True, slots=True)
class ContextOptions:
    """What a session's contexts have in common."""

    viewport: tuple[int, int]
    downloads: Path
    """Folder that downloads end up in, an absolute path."""
    limits: Limits
    watched: bool = False
    """Record what only a developer wants to know: workers, sources of answers, bodies."""
    answers_dialogs: bool = False
    """Answer dialogs at once, as nobody else can."""
    allowed: AllowList | None = None
    """The only pages that may be opened."""
    http_credentials: tuple[HttpCredentials, ...] = ()
    """Logins of servers."""
    web_only: bool = False
    """Open no pages of the browser's machine: its files, and the browser's own."""
    outlives: bool = False
    """Whether other servers may go on with them when this one ends."""

    @classmethod
    def of(cls, config: "Config", limits: Limits, *, outlives: bool) -> "ContextOptions":
        """Return what a session's configuration says."""
        return cls(
            config.viewport,
            (config.screenshot_dir / "downloads").absolute(),
            limits,
            watched="dev" in config.caps,
            answers_dialogs="browser" not in config.toolset,
            allowed=AllowList(config.allowed_urls) if config.allowed_urls else None,
            http_credentials=tuple(map(HttpCredentials.parse, config.http_credentials)),
            web_only=config.transport == "http",
            outlives=outlives,
        )


class Host(Protocol):
    """The browser that a context lives in."""

    connection: "Connection"
    name: str
    version: str
    users: int
    """Number of sessions that use it."""
    gaps: set[str]
    """What this version cannot do."""
    printed: "PrintedErrors"

    @property
    def has_cdp(self) -> bool:
        """Whether it speaks the DevTools protocol as well."""
        ...

    @property
    def tabs(self) -> list[Tab]:
        """The tabs of every context."""
        ...

    @property
    def lost(self) -> str:
        """Why the connection has ended; "" while it lasts."""
        ...

    def tab_of(self, context: str) -> Tab | None:
        """Return the tab that a browsing context is, or is a frame of."""
        ...

    def mutes_workers_of(self, url: str) -> bool:
        """Whether the page has a service worker whose console messages the browser does not report."""
        ...

    def exempt(self, context: str, *, on: bool = True) -> None:
        """Leave the requests of a browsing context to another listener, or no longer."""
        ...

    async def intercept(self) -> None:
        """Stop requests if a context has rules for them."""
        ...

    async def close_context(self, context: "Context") -> None:
        """Close a context and forget it, even if the browser does not answer."""
        ...


class Context:
    """A BiDi user context with its tabs. ``active`` is the tab that calls go to."""

    def __init__(
        self,
        browser: Host,
        name: str,
        user_context: str,
        options: ContextOptions,
        proxy: Proxy | None = None,
        relay: "Relay | None" = None,
    ) -> None:
        self.browser = browser
        needs_us = proxy is not None and (proxy.needs_relay or proxy.answers_login)
        self.travels = not needs_us and not options.http_credentials
        """Whether another connection can go on with it: nothing of it is in this process."""
        self.outlives = options.outlives and self.travels
        self.shared = Shared(
            name, options.limits, user_context=user_context, printed=browser.printed, has_cdp=browser.has_cdp
        )
        self.shared.answers_dialogs = options.answers_dialogs
        self.shared.web_only = options.web_only
        self.shared.http_credentials = {login.origin: login for login in options.http_credentials}
        self.shared.interception.allowed = options.allowed
        self.user_context = user_context
        self.proxy = proxy
        self.relay = relay
        self.staging: Path | None = None
        """Folder that the browser downloads into."""
        self.collector: str | None = None
        """Keeps the bodies of requests and answers, where that was asked for."""
        self.tabs: list[Tab] = []
        self.conditions = Conditions(
            browser.connection, user_context, self.tabs, browser=browser.name, has_cdp=browser.has_cdp
        )
        self.active: Tab | None = None
        self.closed = False
        self._had_tabs = False

    @property
    def name(self) -> str:
        """What the agent calls it."""
        return self.shared.name

    async def receive_downloads(self, folder: "Path", node_files: "NodeFiles | None") -> None:
        """Have downloads end up in a folder of ours, those of a browser on a Grid by way of its node's."""
        send = self.browser.connection.send
        self.shared.downloads, self.shared.node_files = folder, node_files
        if node_files is None:
            staging = folder / f".{token_hex(4)}"
            behavior = DownloadBehaviorAllowed(destination_folder=str(staging))
            try:
                await send(SetDownloadBehavior(download_behavior=behavior, user_contexts=[self.user_context]))
            except UnknownCommandError:  # Firefox 140, which sends no download events either
                self.browser.gaps.add(DOWNLOADS_GAP)
            else:
                self.staging = staging
        elif node_files.refusal:
            # On the node's disk, where nobody gets it, it would stay.
            behavior = DownloadBehaviorDenied()
            await send(SetDownloadBehavior(download_behavior=behavior, user_contexts=[self.user_context]))
        elif node_files.folder and self.user_context != "default":
            # In a context of its own Chromium downloads nothing unless told where to. Named by ids, since the contexts
            # share the node's one folder and files would overwrite each other. Firefox numbers equal names by itself.
            how: dict[str, object] = {"behavior": "allowAndName", "eventsEnabled": True}
            where = {"downloadPath": node_files.folder, "browserContextId": self.user_context}
            await send(cdp.SendCommand(cdp_method="Browser.setDownloadBehavior", params={**how, **where}))

    async def keep_bodies(self) -> None:
        """Have the browser keep the bodies of requests and responses from now on, if it can."""
        if self.collector is not None or BODIES_GAP in self.browser.gaps:
            return
        collector = AddDataCollector(
            data_types=["request", "response"], max_encoded_data_size=MAX_BODY, user_contexts=[self.user_context]
        )
        try:
            self.collector = (await self.browser.connection.send(collector)).collector
        except UnknownCommandError:
            self.browser.gaps.add(BODIES_GAP)

    async def tab(self) -> Tab:
        """Return the active tab; the first is opened when it is needed."""
        if self.active is None or self.active.closed:
            self.active = self.tabs[-1] if self.tabs else await self.new_tab()
        return self.active

    async def new_tab(self) -> Tab:
        """Open a tab and make it the active one."""
        # A window of its own keeps the page visible, whatever other contexts show in the same browser. Whoever is alone
        # there can have the first one, since Firefox takes a quarter of a second for another; not in place of a tab
        # that was closed because it hung, whose window may still hang.
        kind = "tab" if self.tabs or not (self.browser.tabs or self._had_tabs) else "window"
        self._had_tabs = True
        known = set(self.tabs)
        wanted = bc.Create(type=kind, user_context=self.user_context)
        try:
            created = await create_tab(
                self.browser.connection,
                wanted,
                lambda: next((tab.context for tab in self.tabs if tab not in known), None),
            )
        except DeadlineError as error:
            if self.browser.users > 1:
                raise
            # A page may have stopped it up with events for good; nobody else has anything to lose in it.
            reason = "it did not open a tab in time"
            self.browser.connection.close(reason)
            raise ConnectionLostError(reason) from error
        tab = self.browser.tab_of(created)
        if tab is None:
            raise InvalidParametersError("The new tab was closed at once.", "Try again.")
        self.active = tab
        return tab

    async def select(self, index: int) -> Tab:
        """Make the tab at an index, counted from 0, the active one."""
        self.active = self.tab_at(index)
        await self.browser.connection.send(bc.Activate(context=self.active.context))
        return self.active

    async def follow(self, tab: Tab) -> Tab:
        """Make a tab that a page has opened the active one, and wait until it has loaded."""
        self.active = tab
        await self.browser.connection.send(bc.Activate(context=tab.context))
        await wait_loaded(tab, tab.limits.navigation)
        return tab

    def tab_at(self, index: int) -> Tab:
        """Return the tab at an index, counted from 0."""
        if not 0 <= index < len(self.tabs):
            there = f"There are tabs 0 to {len(self.tabs) - 1}." if self.tabs else "No tab is open."
            raise InvalidParametersError(f"There is no tab {index}. {there}", "browser_tabs lists them.")
        return self.tabs[index]

    async def close_tab(self, tab: Tab) -> None:
        """Close a tab; the one before it becomes active. It is no more for us, even if the browser does not answer."""
        with trio.move_on_after(self.shared.limits.action):
            await self.browser.connection.send(bc.Close(context=tab.context))
        self.forget(tab)

    async def responsive_tab(self) -> Tab:
        """Return the active tab, or a new one in its place when its page hangs."""
        tab = await self.tab()
        if not tab.hangs:
            return tab
        # In this order: Firefox opens no tab beside a page whose process is stuck.
        await self.close_tab(tab)
        return await self.new_tab()

    def adopt(self, tab: Tab) -> None:
        """Take a tab that the browser has created."""
        self.tabs.append(tab)

    def forget(self, tab: Tab) -> None:
        """A tab is gone."""
        if tab in self.tabs:
            index = self.tabs.index(tab)
            self.tabs.remove(tab)
            tab.close()
            if self.active is tab:
                self.active = self.tabs[max(0, index - 1)] if self.tabs else None

    @asynccontextmanager
    async def closed_on_failure(self) -> AsyncGenerator[None]:
        """Close it if what the block makes of it fails or is cancelled."""
        try:
            yield
        except BaseException:
            with trio.CancelScope(shield=True):
                await self.browser.close_context(self)
            raise

    async def aclose(self) -> None:
        """Close the tabs and forget cookies and storage; what the browser says against it is no matter here."""
        self.closed = True
        try:
            with suppress(BidiError), trio.move_on_after(self.shared.limits.action):
                if self.user_context != "default":
                    await self.browser.connection.send(RemoveUserContext(user_context=self.user_context))
                elif self.browser.users > 1:
                    # Firefox ends with its last tab, and at once: what a profile is to keep would not be written.
                    for tab in list(self.tabs):
                        await self.browser.connection.send(bc.Close(context=tab.context))
        finally:
            if self.staging is not None:
                # Half a file, if there is one, stays for whoever misses it.
                with suppress(OSError):
                    self.staging.rmdir()
