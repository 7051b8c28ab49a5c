"""One browser process, the connection to it, and the routing of its events."""

import logging
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import trio

from bidi_server.bidi import browsing_context as bc
from bidi_server.bidi import session
from bidi_server.bidi.browser import Close, CreateUserContext, RemoveUserContext
from bidi_server.bidi.connection import Connection
from bidi_server.bidi.errors import (
    BidiError,
    ConnectionLostError,
    InvalidArgumentError,
    UnknownCommandError,
    UnsupportedOperationError,
)
from bidi_server.bidi.log import EntryAdded
from bidi_server.bidi.network import BaseParameters
from bidi_server.bidi.script import AddPreloadScript, RealmCreated, RealmDestroyed, RealmInfo
from bidi_server.bidi.session import ManualProxyConfiguration
from bidi_server.bidi.wire import Event
from bidi_server.browser.console.messages import PAGE
from bidi_server.browser.contexts.context import Context, ContextOptions
from bidi_server.browser.contexts.lease import records_of
from bidi_server.browser.engine.chromium.quirks import Chromium
from bidi_server.browser.engine.document_guard import DocumentGuard
from bidi_server.browser.engine.firefox.quirks import Firefox
from bidi_server.browser.engine.interceptor import Interceptor
from bidi_server.browser.engine.proxy_auth import Logins
from bidi_server.browser.engine.quirks import EngineQuirks
from bidi_server.browser.engine.webkit.quirks import ClassicWebKit, WebKit
from bidi_server.browser.network.proxy import Proxy
from bidi_server.browser.origin import origin_of
from bidi_server.browser.snapshot.frame import preloads
from bidi_server.browser.tab.state import Shared
from bidi_server.browser.tab.tab import Opened, Tab
from bidi_server.errors import NotSupportedError
from drivers import Launched, WebDriverSession

if TYPE_CHECKING:
    from collections.abc import Generator

    from bidi_server.browser.files.grid_node import NodeFiles
    from bidi_server.browser.network.entrance import Entrance

logger = logging.getLogger(__name__)

_QUIRKS: dict[str, type[EngineQuirks]] = {
    "firefox": Firefox,
    "webkit": ClassicWebKit,
    "minibrowser": WebKit,
    "safari": WebKit,
}
"""By name of the browser; others are built on Chromium."""

QUIT_SECONDS = 4.0
"""Timeout for Firefox to write a profile that is kept, in seconds."""


def engine_of(browser: str) -> type[EngineQuirks]:
    """Return the quirks of a browser, by its name in the capabilities."""
    return _QUIRKS.get(browser, Chromium)


def scripts(engine: type[EngineQuirks]) -> list[AddPreloadScript]:
    """Return the commands that have our scripts run in every document."""
    return preloads(compiles_anew=engine.compiles_anew, tells_late=engine.tells_late, shares_focus=engine.shares_focus)


class Browser:
    """A running browser, with its tabs by browsing context and its contexts by user context."""

    def __init__(self, launched: Launched, *, keeps_profile: bool = False) -> None:
        self.connection = Connection()
        self.name = launched.browser_name
        self.version = launched.browser_version
        self.users = 0
        """Number of sessions that use the browser."""
        self.gaps: set[str] = set()
        """Features that this version lacks, found by trying them. Each session is notified once."""
        self._heeds_proxies: bool | None = None
        """Whether the browser supports a proxy for a single context; None until that was checked."""
        self._watching = False
        self._subscribing = trio.Lock()
        self._is_shared = False
        self._workers: dict[str, RealmInfo] = {}
        self._launched = launched
        self._keeps_profile = keeps_profile
        self._nursery: trio.Nursery | None = None
        self._node_files: NodeFiles | None = None
        self._contexts: dict[str, Context] = {}
        self._tabs: dict[str, Tab] = {}
        self.connection.add_listener(self._on_event)
        self.quirks = engine_of(self.name)(self)
        self.interceptor = Interceptor(self.connection, self._sender, lambda: self.nursery)
        self.documents = DocumentGuard(self.connection, self._tabs.get, self.interceptor.exempt)
        self.logins = Logins(self.connection, self._proxied, lambda event: self._sender(event)[0])

    @property
    def lost(self) -> str:
        """The reason why the connection ended; "" while it is open."""
        return self.connection.close_reason if self.connection.closed.is_set() else ""

    @property
    def nursery(self) -> trio.Nursery:
        """The nursery of the connection's tasks. Only for a browser that is connected."""
        assert self._nursery is not None
        return self._nursery

    @property
    def shortcomings(self) -> list[str]:
        """Notices for a session about the gaps of this version: one line, or an empty list."""
        gaps = [*self.quirks.gaps, *sorted(self.gaps)]
        return [f"{self.name} {self.version} {self.quirks.gap}: {'; '.join(gaps)}."] if gaps else []

    @property
    def session(self) -> WebDriverSession | None:
        """The WebDriver session that other processes can connect to; None if they cannot."""
        return self._launched.session

    @property
    def profile_in_use(self) -> bool:
        """Whether a context uses the browser's own profile. There is only one."""
        return "default" in self._contexts

    def mutes_workers_of(self, url: str) -> bool:
        """Whether the page has a service worker whose console messages the browser does not report."""
        if self.quirks.reports_service_workers:
            return False
        types = {worker.type for worker in self._workers.values() if origin_of(worker.origin) == origin_of(url)}
        return "service-worker" in types

    @property
    def pid(self) -> int:
        """The id of the process that guards the browser and its driver; 0 if the browser is not ours to end."""
        return self._launched.pid

    @property
    def tabs(self) -> list[Tab]:
        """The tabs of every context."""
        return [tab for context in self._contexts.values() for tab in context.tabs]

    def tab_of(self, context: str) -> Tab | None:
        """Return the tab of a browsing context, which is a tab or a frame in it."""
        return self._tabs.get(context)

    async def new_context(
        self, name: str, options: ContextOptions, *, persistent: bool = False, proxy: Proxy | None = None
    ) -> Context:
        """Create a context. A persistent context is the browser's own profile; there is only one.

        Raises `NotSupportedError` if the browser ignores the proxy of a context, or if --egress can't hold for it.
        """
        send = self.connection.send
        user_context = "default"
        entrance = await self._entrance(options, proxy, persistent=persistent)
        used = entrance.proxy if entrance is not None else proxy
        if not persistent:
            try:
                if used is not None:
                    await self._check_heeds_proxies(options)
                configuration = used.configuration() if used is not None else None
                wanted = CreateUserContext(proxy=configuration) if configuration else CreateUserContext()
                if options.ignores_certificates:
                    # In Firefox 153, what the session says about certificates does not hold in other contexts.
                    wanted = wanted.model_copy(update={"accept_insecure_certs": True})
                user_context = (await send(wanted)).user_context
            except BaseException:
                if entrance is not None:
                    entrance.close()
                raise
        context = self._take(Context(self, name, user_context, options, proxy, entrance))
        async with context.closed_on_failure():
            if (used is not None and used.answers_login) or options.http_credentials:
                is_ours = entrance is not None and not options.http_credentials
                with self._able_to("answer logins", "--http-credentials and proxies with a login"):
                    await self.logins.switch_on(until_login_of=context.shared if is_ours else None)
            width, height = options.viewport
            await send(bc.SetViewport(viewport=bc.Viewport(width=width, height=height), user_contexts=[user_context]))
            if self._launched.stays:
                # Tabs that are not ours stay without our scripts.
                for script in scripts(type(self.quirks)):
                    await send(script.model_copy(update={"user_contexts": [user_context]}))
            await self._prepare(context, options)
        return context

    async def adopt_context(self, name: str, user_context: str, options: ContextOptions) -> Context:
        """Adopt a context that another connection has created, with its tabs."""
        context = self._take(Context(self, name, user_context, options))
        await self._prepare(context, options)
        for info in (await self.connection.send(bc.GetTree())).contexts:
            if info.user_context == user_context:
                self._adopt(info, None)
        return context

    def _take(self, context: Context) -> Context:
        self._contexts[context.user_context] = context
        self._is_shared = self._is_shared or context.outlives
        return context

    async def _prepare(self, context: Context, options: ContextOptions) -> None:
        if options.allowed is not None:
            with self._able_to("intercept requests", "--allowed-urls and --blocked-urls"):
                await self.documents.watch_closely()
                await self.intercept()
        if options.web_only:
            self.documents.listen()
        if self._node_files is not None or not self._launched.is_elsewhere:
            await context.receive_downloads(options.downloads, self._node_files)
        if options.watched:
            await self.watch(context)

    @contextmanager
    def _able_to(self, do: str, options: str) -> "Generator[None]":
        """Raise `NotSupportedError`, with the options that need it, for what the browser has no command for."""
        try:
            yield
        except (UnknownCommandError, UnsupportedOperationError) as error:
            raise NotSupportedError(
                f"{self.name} can't {do}, which {options} need.", "Leave them out, or use another browser."
            ) from error

    def _adopt(self, info: bc.Info, parent: str | None) -> None:
        self._created(info.model_copy(update={"parent": parent}))
        for child in info.children or ():
            self._adopt(child, info.context)

    def leave_context(self, context: Context) -> None:
        """Stop using a context without closing it, so that other servers can resume it."""
        self._contexts.pop(context.user_context, None)
        for tab in context.tabs:
            for id_ in tab.frames:
                self._tabs.pop(id_, None)
            tab.close()

    async def watch(self, context: Context) -> None:
        """Record details for developers in a context: workers, sources of responses, bodies."""
        send = self.connection.send
        async with self._subscribing:
            if not self._watching:
                extra = [event.method for event in self.quirks.watched_events]
                await send(session.Subscribe(events=[RealmCreated.method, RealmDestroyed.method, *extra]))
                self._watching = True
        await context.keep_bodies()

    async def _check_heeds_proxies(self, options: ContextOptions) -> None:
        """Raise `NotSupportedError` if the browser ignores the proxy of a context, as Firefox 140 does.

        The check is to create a context with a proxy that is invalid by the specification: other browsers reject it.
        """
        if self._heeds_proxies is None:
            invalid = ManualProxyConfiguration(socks_version=5)
            try:
                made = await self.connection.send(CreateUserContext(proxy=invalid))
            except InvalidArgumentError:
                self._heeds_proxies = True
            else:
                self._heeds_proxies = False
                await self.connection.send(RemoveUserContext(user_context=made.user_context))
        if not self._heeds_proxies:
            way_out = "Start the server with --egress open" if options.egress is not None else "Leave the proxy out"
            raise NotSupportedError(
                f"{self.name} {self.version} gives no context a proxy of its own.",
                f"{way_out}, or use another browser or a newer version.",
            )

    async def _entrance(self, options: ContextOptions, proxy: Proxy | None, *, persistent: bool) -> "Entrance | None":
        """Start our own proxy for a context if it needs one."""
        if options.egress is not None:
            if persistent or self._launched.stays or self._launched.is_elsewhere:
                raise NotSupportedError(
                    f"--egress {options.egress.text} does not hold for profiles, and for browsers that run elsewhere.",
                    "Use another profile or browser, or start the server with --egress open.",
                )
            from bidi_server.browser.network.egress_proxy import EgressProxy

            entrance: Entrance = EgressProxy(options.egress, proxy, {urlsplit(self._launched.web_socket_url).port or 0})
        elif proxy is not None and not self.quirks.takes_proxy(proxy):
            if self._launched.is_elsewhere:
                raise NotSupportedError(
                    f"{self.name} can't use {proxy} itself, and runs elsewhere, where our own proxy can't help.",
                    "Use a proxy that it knows, or a browser on this machine.",
                )
            # Imported late: few proxies need a relay.
            from bidi_server.browser.network.proxy_relay import Relay

            entrance = Relay(proxy)
        else:
            return None
        await self.nursery.start(entrance.run)
        return entrance

    def _proxied(self, context: str | None) -> Context | None:
        """Return the context whose proxy the requests of a browsing context go through.

        Requests of workers have no browsing context: they match if exactly one context has a proxy.
        """
        tab = self._tabs.get(context or "")
        owners = [owner for owner in self._contexts.values() if owner.used_proxy is not None]
        if tab is not None:
            owners = [owner for owner in owners if owner.shared is tab.shared]
        return owners[0] if len(owners) == 1 else None

    def exempt(self, context: str, *, on: bool = True) -> None:
        """Leave the documents of a browsing context to another listener; with ``on=False``, handle them again."""
        if on:
            self.interceptor.listen()
            self.interceptor.exempt.add(context)
        else:
            self.interceptor.exempt.discard(context)

    async def intercept(self) -> None:
        """Intercept requests if a context has rules for them, otherwise stop doing so."""
        await self.interceptor.switch(on=any(each.shared.interception.needed for each in self._contexts.values()))

    def _sender(self, event: BaseParameters) -> tuple[Shared | None, Tab | None]:
        """Return the shared state of the context that sent a request, and the tab unless a worker sent it."""
        tab = self._tabs.get(event.context or "")
        if tab is not None:
            return tab.shared, tab
        context = self._context_of(event.user_context)
        return context.shared if context is not None else None, None

    async def close_context(self, context: Context) -> None:
        """Close a context and forget it, even if the browser does not answer."""
        try:
            with suppress(ConnectionLostError):
                await context.aclose()
        finally:
            self._contexts.pop(context.user_context, None)
            if context.entrance is not None:
                self.logins.forget(context.shared)
                context.entrance.close()
        if context.shared.interception.needed:
            with trio.move_on_after(context.shared.limits.action), suppress(BidiError, ConnectionLostError):
                await self.intercept()

    async def connect(self, nursery: trio.Nursery, *, resume: bool = False) -> None:
        """Connect to the browser. With ``resume``, another connection has used it before."""
        self._nursery = nursery
        self._is_shared = resume
        if self._launched.classic is not None and self._launched.first_session is not None:
            # Imported late: only drivers without WebDriver BiDi need it.
            from bidi_server.classic.connect import serve_classic

            first = self._launched.first_session
            await nursery.start(serve_classic, self.connection, self._launched.classic, first)
            if first.downloads is None:
                self.gaps.add("downloads are not reported")
            if not first.inspector:
                self.gaps.add("HTTP statuses of pages are unknown")
                self.gaps.add("localStorage is saved and restored for open pages only")
                self.gaps.add(
                    "pages' first scripts run before ours: messages, errors, listeners and closed shadow roots may be"
                    " missing, their clock is real"
                )
        else:
            await nursery.start(self.connection.run, self._launched.web_socket_url)
        grid = self._launched.grid
        nursery.start_soon(self.connection.keep_alive, grid.why_lost if grid is not None else None)
        if self._launched.devtools is not None:
            nursery.start_soon(self.quirks.watch_over, self._launched.devtools)
        if not self._launched.session_ready:
            wishes = session.CapabilityRequest(unhandled_prompt_behavior=session.UserPromptHandler(default="ignore"))
            wanted = session.New(capabilities=session.CapabilitiesRequest(always_match=wishes))
            begun = await self.connection.send(wanted)
            self.name = str(begun.capabilities.get("browserName", self.name)).lower()
            if not isinstance(self.quirks, engine_of(self.name)):
                # What listens at --endpoint has another name than was expected.
                self.quirks = engine_of(self.name)(self)
        if grid is not None:
            # Imported late: only browsers on a Grid need it.
            from bidi_server.browser.files.grid_node import NodeFiles

            self._node_files = NodeFiles(grid, nursery)
            await self._node_files.prepare(needs_folder=self.quirks.needs_downloads_folder)

    async def aclose(self) -> None:
        """End the browser. If it stays or other servers use it, only close the contexts that do not outlive us."""
        with trio.move_on_after(QUIT_SECONDS if self._keeps_profile else 2, shield=True):
            try:
                if self._launched.stays:
                    await self._withdraw()
                elif self._is_shared:
                    await self._end_if_last()
                elif not self.lost and not self._launched.session_ready:
                    await self.connection.send(Close())
                    if self._keeps_profile:
                        await self._launched.wait_exited()  # it writes the profile now
            except (BidiError, ConnectionLostError):
                pass
        self.connection.close()
        await self._launched.aclose()
        for tab in list(self._tabs.values()):
            tab.close()

    def leave(self) -> None:
        """Keep the browser running when this process disconnects."""
        self._launched.farewell = None

    async def _end_if_last(self) -> None:
        farewell = self._launched.farewell
        self.leave()
        if not self.lost:
            await self._withdraw()
            if all(record.lapsed for record in (await records_of(self.connection)).values()):
                self._launched.farewell = farewell

    async def _withdraw(self) -> None:
        for context in list(self._contexts.values()):
            if not context.outlives:
                await context.aclose()
        if not self.lost and not self._launched.session_ready:
            await self.connection.send(session.End())

    def died(self) -> str:
        """Return the last lines that the browser and its driver printed."""
        return self._launched.log_tail()

    def _on_event(self, event: Event) -> None:
        match event:
            case bc.ContextCreated():
                self._created(event)
            case bc.ContextDestroyed():
                self._destroyed(event.context)
            case EntryAdded():
                tab = self._tab_for(event.source.context, event.source.user_context)
                if tab is not None and (self._watching or event.source.context is not None):
                    worker = self._workers.get(event.source.realm)
                    tab.on_log(event, worker.type if worker else PAGE)
            case BaseParameters():
                tab = self._tab_for(event.context, event.user_context)
                if tab is not None:
                    tab.on_request(event, by_worker=event.context is None)
            case RealmCreated():
                if event.type != "window":
                    self._workers[event.realm] = event
            case RealmDestroyed():
                self._workers.pop(event.realm, None)
            case _:
                tab = self._tabs.get(getattr(event, "context", None) or "")
                if tab is not None:
                    tab.on_event(event)
                    if isinstance(event, bc.NavigationCommitted) and event.context == tab.context:
                        self._renew_conditions(tab)

    def _tab_for(self, context: str | None, user_context: str | None) -> Tab | None:
        """Return the tab of an event. Events of workers belong to the active tab of their context."""
        if context is not None:
            return self._tabs.get(context)
        owner = self._context_of(user_context)
        return owner.active if owner is not None else None

    def _context_of(self, user_context: str | None) -> Context | None:
        """Return the context with that user context.

        Chromium 150 does not tell the user context of a worker. If only one context has tabs, it is that.
        """
        if user_context is not None:
            return self._contexts.get(user_context)
        used = [context for context in self._contexts.values() if context.tabs]
        return used[0] if len(used) == 1 else None

    def worker_started(self, session: str, user_context: str | None) -> None:
        """Apply the network conditions of a user context to a worker, given by its DevTools session."""
        context = self._contexts.get(user_context or "") or self._contexts.get("default")
        if context is not None and context.conditions.worker_started(session):
            self.nursery.start_soon(context.conditions.apply_to, session)

    def worker_ended(self, session: str) -> None:
        """Forget a worker, given by its DevTools session."""
        for context in self._contexts.values():
            context.conditions.worker_ended(session)

    def _renew_conditions(self, tab: Tab) -> None:
        context = self._contexts.get(tab.shared.user_context)
        if context is not None and context.conditions.need_renewal and self._nursery is not None:
            self._nursery.start_soon(context.conditions.renew, tab.context)

    def has_context(self, user_context: str) -> bool:
        """Whether a user context is ours."""
        return user_context in self._contexts

    def notify(self, user_context: str, notice: str) -> None:
        """Add a notice to the next answer of the session with a user context."""
        if (context := self._contexts.get(user_context)) is not None:
            context.shared.notices.append(notice)

    def _created(self, event: bc.Info) -> None:
        if event.parent is not None:
            tab = self._tabs.get(event.parent)
            # Firefox reports all frames again when another connection subscribes.
            if tab is not None and event.context not in tab.frames:
                tab.add_frame(event)
                self._tabs[event.context] = tab
            return
        context = self._contexts.get(event.user_context or "default")
        if context is None or event.context in self._tabs:
            return
        tab = self._tabs[event.context] = Tab(self.connection, event, context.shared)
        context.adopt(tab)
        self._renew_conditions(tab)
        # A tab without an opener (Ctrl+click, rel=noopener) is still an effect of the agent's action in the active tab.
        opener = self._tabs.get(event.original_opener or "") or context.active
        if self._nursery is not None:
            self._nursery.start_soon(self._prepare_tab, tab)
            if event.original_opener is not None:
                self._nursery.start_soon(self.quirks.opened, tab)
        if opener is not None and opener is not tab:
            opened = Opened(tab)
            opener.journal.add(opened)
            context.shared.untold.append(opened)
            opener.activity.unpark_all()

    async def _prepare_tab(self, tab: Tab) -> None:
        await self.quirks.created(tab)
        tab.prepared.set()

    def _destroyed(self, id_: str) -> None:
        tab = self._tabs.pop(id_, None)
        if tab is None:
            return
        for child in [frame.context for frame in tab.frames.values() if frame.parent == id_]:
            self._destroyed(child)
        tab.remove_frame(id_)
        if tab.context == id_:
            self.quirks.closed(tab)
            for context in self._contexts.values():
                context.forget(tab)
