"""A context: one isolated set of cookies, storage and tabs inside a session."""

from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from secrets import token_hex
from typing import TYPE_CHECKING, Protocol

import trio

from bidi_server.advice import Advice, Operation
from bidi_server.bidi import browsing_context as bc
from bidi_server.bidi import cdp
from bidi_server.bidi.browser import (
    DownloadBehaviorAllowed,
    DownloadBehaviorDenied,
    RemoveUserContext,
    SetDownloadBehavior,
)
from bidi_server.bidi.errors import BidiError, ConnectionLostError, UnknownCommandError, UnsupportedOperationError
from bidi_server.bidi.network import AddDataCollector
from bidi_server.browser.contexts.clock import Clock
from bidi_server.browser.contexts.conditions import Conditions
from bidi_server.browser.contexts.emulation import Emulation
from bidi_server.browser.files.budget import FileBudget
from bidi_server.browser.limits import Limits
from bidi_server.browser.loading.page_load import wait_loaded
from bidi_server.browser.network.allow_list import AllowList
from bidi_server.browser.network.proxy import Proxy
from bidi_server.browser.snapshot.frame import FrameOptions
from bidi_server.browser.tab.state import Shared
from bidi_server.browser.tab.tab import Opened, Tab
from bidi_server.egress import EgressPolicy
from bidi_server.errors import DeadlineError, InvalidParametersError
from bidi_server.http_credentials import HttpCredentials

if TYPE_CHECKING:
    from bidi_server.bidi.connection import Connection
    from bidi_server.browser.console.stack_frames import MappedScript
    from bidi_server.browser.files.grid_node import NodeFiles
    from bidi_server.browser.network.entrance import Entrance
    from bidi_server.browser.tab.quirks import Quirks
    from bidi_server.config import Config, HiddenText

CREATION_LIMIT = 10.0
"""Timeout without any message from the browser before asking again for a tab, in seconds."""

BUSY_CREATION_LIMIT = 30.0
"""Timeout before asking again for a tab although the browser sends messages, in seconds.

A tab behind 200,000 console messages took 22 s.
"""

DOWNLOADS_GAP = "downloads are not reported and go to its own download folder"
"""Description of the gap in a browser without browser.setDownloadBehavior."""

BODIES_GAP = "bodies of requests and responses are not kept"
"""Description of the gap in a browser without network.addDataCollector."""

MAX_BODY = 10_000_000
"""Maximum size of a body that the browser keeps, in bytes. It drops larger bodies."""


async def create_tab(connection: "Connection", wanted: bc.Create, appeared: Callable[[], str | None]) -> str:
    """Open a tab and return its browsing context; ``appeared`` returns a tab that opened without a reply.

    Firefox 153 does not reply for about one in some thousand windows: it waits for an event that has already happened.
    Raises `DeadlineError` when asking again does not help.
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
    """Options that all contexts of a session share."""

    viewport: tuple[int, int]
    downloads: Path
    """Folder for downloads, as an absolute path."""
    limits: Limits
    budget: FileBudget
    """Maximum size of the files of downloads."""
    watched: bool = False
    """Whether to record details for developers: workers, sources of responses, bodies."""
    answers_dialogs: bool = False
    """Whether to answer dialogs at once, since the client has no tool for that."""
    allowed: AllowList | None = None
    """Pages that may be opened and URLs that are blocked; None allows all."""
    egress: EgressPolicy | None = None
    """The policy for what the context connects to; None allows everything."""
    http_credentials: tuple[HttpCredentials, ...] = ()
    """Credentials for HTTP authentication at servers."""
    web_only: bool = False
    """Whether to open no pages of the browser's machine: neither its files nor the browser's own pages."""
    ignores_certificates: bool = False
    """Whether to open pages with invalid certificates."""
    test_id: str = ""
    """The attribute that ``getByTestId`` searches; "" for the usual ones."""
    hidden_text: "HiddenText" = "mark"
    """What a snapshot does with text that people don't see."""
    outlives: bool = False
    """Whether other servers may resume the contexts when this server ends."""
    copies: bool = False
    """Whether pages may copy to the clipboard, as in a browser with a window."""

    @classmethod
    def of(cls, config: "Config", limits: Limits, budget: FileBudget, *, outlives: bool) -> "ContextOptions":
        """Return the options in a session's configuration."""
        return cls(
            config.viewport,
            (config.output_dir / "downloads").absolute(),
            limits,
            budget,
            watched=not {"dev", "network"}.isdisjoint(config.caps),
            answers_dialogs="browser" not in config.toolset,
            allowed=AllowList(config.allowed_urls, config.blocked_urls)
            if config.allowed_urls or config.blocked_urls
            else None,
            egress=config.egress_policy,
            http_credentials=tuple(map(HttpCredentials.parse, config.http_credentials)),
            web_only=config.transport == "http",
            ignores_certificates=config.ignore_https_errors,
            test_id=config.test_id_attribute or "",
            hidden_text=config.hidden_text,
            outlives=outlives,
            copies="input" in config.caps,
        )


class Host(Protocol):
    """The browser that a context lives in."""

    connection: "Connection"
    name: str
    version: str
    users: int
    """Number of sessions that use it."""
    gaps: set[str]
    """Features that this version lacks."""

    @property
    def shortcomings(self) -> list[str]:
        """The line for a session about all that this version lacks, if it lacks anything."""
        ...

    @property
    def quirks(self) -> "Quirks":
        """Differences of the browser from the specifications."""
        ...

    @property
    def tabs(self) -> list[Tab]:
        """The tabs of every context."""
        ...

    @property
    def lost(self) -> str:
        """The reason why the connection ended; "" while it is open."""
        ...

    def tab_of(self, context: str) -> Tab | None:
        """Return the tab of a browsing context, which is a tab or a frame in it."""
        ...

    def mutes_workers_of(self, url: str) -> bool:
        """Whether the page has a service worker whose console messages the browser does not report."""
        ...

    def exempt(self, context: str, *, on: bool = True) -> None:
        """Leave the documents of a browsing context to another listener; with ``on=False``, handle them again."""
        ...

    async def intercept(self) -> None:
        """Intercept requests if a context has rules for them, otherwise stop doing so."""
        ...

    async def close_context(self, context: "Context") -> None:
        """Close a context and forget it, even if the browser does not answer."""
        ...


class Context:
    """A BiDi user context with its tabs. ``active`` is the tab that calls apply to."""

    def __init__(
        self,
        browser: Host,
        name: str,
        user_context: str,
        options: ContextOptions,
        proxy: Proxy | None = None,
        entrance: "Entrance | None" = None,
    ) -> None:
        self.browser = browser
        self.used_proxy = entrance.proxy if entrance is not None else proxy
        """The proxy that the browser itself uses."""
        answers_login = self.used_proxy is not None and self.used_proxy.answers_login
        self.travels = entrance is None and not answers_login and not options.http_credentials
        """Whether another connection can resume the context, since no part of it is in this process."""
        self.outlives = options.outlives and self.travels
        self.shared = Shared(name, options.limits, browser.quirks, user_context=user_context)
        self.shared.answers_dialogs = options.answers_dialogs
        self.shared.interception.web_only = options.web_only
        self.shared.budget = options.budget
        self.shared.frame_options = FrameOptions(browser.quirks.packs_answers, options.test_id, options.hidden_text)
        if options.copies:
            self.let_copy()
        self.shared.http_credentials = {login.origin: login for login in options.http_credentials}
        self.shared.interception.allowed = options.allowed
        self.user_context = user_context
        self.proxy = proxy
        self.entrance = self.shared.entrance = entrance
        self.staging: Path | None = None
        """Folder that the browser itself downloads to."""
        self.collector: str | None = None
        """The data collector that keeps the bodies of requests and responses; None unless one was added."""
        self.mapped_scripts: dict[str, MappedScript | None] = {}
        """Scripts with their source maps, by the id of the request; None for those without. See script_maps.py."""
        self.tabs: list[Tab] = []
        self.conditions = Conditions(
            browser.connection, user_context, self.tabs, browser=browser.name, complete=browser.quirks.adds_conditions
        )
        self.clock = Clock(browser.connection, self.shared, self.tabs)
        self.emulation = self.usual = Emulation(viewport=options.viewport)
        """The device and the settings that pages see now, and those after a reset. `emulate` changes them."""
        self._active: Tab | None = None
        self.closed = False
        self._had_tabs = False

    @property
    def name(self) -> str:
        """The agent's name for the context."""
        return self.shared.name

    @property
    def active(self) -> Tab | None:
        """The tab that the agent works in."""
        return self._active

    @active.setter
    def active(self, tab: Tab | None) -> None:
        self._active = tab
        self.shared.active = tab.context if tab is not None else ""

    def let_copy(self) -> None:
        """Let pages copy to the clipboard, as in a browser with a window."""
        self.shared.always_granted = self.browser.quirks.withheld_permissions
        for origin in self.shared.origins:
            for name in self.shared.always_granted:
                self.browser.connection.send_nowait(self.shared.permission(name, origin))

    async def receive_downloads(self, folder: "Path", node_files: "NodeFiles | None") -> None:
        """Receive downloads in a folder of ours; those of a browser on a Grid come through a folder of its node."""
        send = self.browser.connection.send
        self.shared.downloads, self.shared.node_files = folder, node_files
        if node_files is None:
            staging = folder / f".{token_hex(4)}"
            behavior = DownloadBehaviorAllowed(destination_folder=str(staging))
            try:
                await send(SetDownloadBehavior(download_behavior=behavior, user_contexts=[self.user_context]))
            except (UnknownCommandError, UnsupportedOperationError):
                # Firefox 140 and WebKitGTK 2.50, which send no download events either.
                self.browser.gaps.add(DOWNLOADS_GAP)
            else:
                self.staging = staging
        elif node_files.refusal:
            # A download would stay on the node's disk, out of the client's reach.
            behavior = DownloadBehaviorDenied()
            await send(SetDownloadBehavior(download_behavior=behavior, user_contexts=[self.user_context]))
        elif node_files.folder and self.user_context != "default":
            # In a user context, Chromium downloads nothing unless a folder is set. Files are named by ids, since the
            # contexts share the node's only folder and would overwrite each other's files. Firefox numbers files of
            # equal names by itself.
            how: dict[str, object] = {"behavior": "allowAndName", "eventsEnabled": True}
            where = {"downloadPath": node_files.folder, "browserContextId": self.user_context}
            await send(cdp.SendCommand(cdp_method="Browser.setDownloadBehavior", params={**how, **where}))

    async def keep_bodies(self) -> None:
        """Make the browser keep the bodies of requests and responses from now on, if it can."""
        if self.collector is not None or BODIES_GAP in self.browser.gaps:
            return
        collector = AddDataCollector(
            data_types=["request", "response"], max_encoded_data_size=MAX_BODY, user_contexts=[self.user_context]
        )
        try:
            self.collector = (await self.browser.connection.send(collector)).collector
        except (UnknownCommandError, UnsupportedOperationError):
            self.browser.gaps.add(BODIES_GAP)

    async def tab(self) -> Tab:
        """Return the active tab. Open one if the context has none."""
        if self.active is None or self.active.closed:
            self.active = self.tabs[-1] if self.tabs else await self.new_tab()
        return self.active

    async def new_tab(self, *, background: bool = False) -> Tab:
        """Open a tab, and make it the active one unless it is in the ``background``.

        Raises `DeadlineError` or `ConnectionLostError` if the browser does not open it in time,
        `InvalidParametersError` if it was closed at once.
        """
        # A separate window keeps the page visible, whatever other contexts show in the same browser. If the browser has
        # no tabs, its first window will do, since Firefox takes a quarter of a second to open another. But a context
        # that had a tab before needs a new window: that tab may have been closed because it hung, and its window may
        # still hang.
        kind = "tab" if self.tabs or not (self.browser.tabs or self._had_tabs) else "window"
        self._had_tabs = True
        known = set(self.tabs)
        active = self.active
        wanted = bc.Create(type=kind, user_context=self.user_context, background=background)
        try:
            created = await create_tab(
                self.browser.connection,
                wanted,
                lambda: next((tab.context for tab in self.tabs if tab not in known), None),
            )
        except DeadlineError as error:
            if self.browser.users > 1:
                raise
            # A page may have flooded the browser with events for good. No other session uses it, so give it up.
            reason = "it did not open a tab in time"
            self.browser.connection.close(reason)
            raise ConnectionLostError(reason) from error
        tab = self.browser.tab_of(created)
        if tab is None:
            raise InvalidParametersError("The new tab was closed at once.", "Try again.")
        # The page has not opened it.
        self.shared.tell([each for each in self.shared.untold if isinstance(each, Opened) and each.tab is tab])
        with trio.move_on_after(self.shared.limits.action):
            await tab.prepared.wait()
        self.active = active if background and active in self.tabs else tab
        return tab

    async def select(self, index: int) -> Tab:
        """Make the tab at an index, starting at 0, the active one."""
        self.active = self.tab_at(index)
        await self.active.to_front()
        return self.active

    async def follow(self, tab: Tab) -> Tab:
        """Make a tab that a page has opened the active one, and wait until it has loaded."""
        self.active = tab
        await tab.to_front()
        await wait_loaded(tab, tab.limits.navigation)
        return tab

    def tab_at(self, index: int) -> Tab:
        """Return the tab at an index, starting at 0. Raises `InvalidParametersError` if there is none."""
        if not 0 <= index < len(self.tabs):
            there = f"There are tabs 0 to {len(self.tabs) - 1}." if self.tabs else "No tab is open."
            raise InvalidParametersError(f"There is no tab {index}. {there}", Advice.of(Operation.TABS, " lists them."))
        return self.tabs[index]

    async def close_tab(self, tab: Tab) -> None:
        """Close a tab and forget it, even if the browser does not answer.

        If it was active, the tab before it becomes active.
        """
        with trio.move_on_after(self.shared.limits.action):
            await self.browser.connection.send(bc.Close(context=tab.context))
        self.forget(tab)

    async def responsive_tab(self) -> Tab:
        """Return the active tab, or a new one in its place when its page hangs."""
        tab = await self.tab()
        if not tab.hangs:
            return tab
        # Close the tab first: Firefox opens no tab beside a page whose process hangs.
        await self.close_tab(tab)
        return await self.new_tab()

    def adopt(self, tab: Tab) -> None:
        """Add a tab that the browser has created."""
        self.tabs.append(tab)

    def forget(self, tab: Tab) -> None:
        """Remove a tab that is gone. If it was active, the tab before it becomes active."""
        if tab in self.tabs:
            index = self.tabs.index(tab)
            self.tabs.remove(tab)
            tab.close()
            if self.active is tab:
                self.active = self.tabs[max(0, index - 1)] if self.tabs else None

    @asynccontextmanager
    async def closed_on_failure(self) -> AsyncGenerator[None]:
        """Close the context if the block, which sets it up, fails or is cancelled."""
        try:
            yield
        except BaseException:
            with trio.CancelScope(shield=True):
                await self.browser.close_context(self)
            raise

    async def aclose(self) -> None:
        """Close the tabs and delete cookies and storage. Ignore errors of the browser."""
        self.closed = True
        try:
            with suppress(BidiError), trio.move_on_after(self.shared.limits.action):
                if self.user_context != "default":
                    await self.browser.connection.send(RemoveUserContext(user_context=self.user_context))
                elif self.browser.users > 1:
                    # With its last tab, Firefox ends at once, without writing the profile that is to be kept.
                    for tab in list(self.tabs):
                        await self.browser.connection.send(bc.Close(context=tab.context))
        finally:
            if self.staging is not None:
                # An incomplete download stays there for users who miss it.
                with suppress(OSError):
                    self.staging.rmdir()
