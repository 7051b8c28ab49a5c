"""A session's browser and contexts, and the record through which several servers can serve one session."""

from __future__ import annotations

import logging
import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import trio

from bidi_server.bidi.errors import BidiError, ConnectionLostError
from bidi_server.browser.contexts.beginning import enable
from bidi_server.browser.contexts.lease import LONGEST_MESSAGE, Record, read_record, write_record
from bidi_server.browser.engine.pool import Browsers, launch_options
from bidi_server.browser.sessions.handles import Place
from bidi_server.browser.tab.dialogs import Dialog
from bidi_server.browser.tab.view import View
from bidi_server.errors import SessionNotFoundError

if TYPE_CHECKING:
    from collections.abc import Collection
    from pathlib import Path

    from bidi_server.browser.contexts.context import Context, ContextOptions
    from bidi_server.browser.engine.browser import Browser
    from bidi_server.browser.tab.tab import Tab
    from bidi_server.config import Capability, Config

logger = logging.getLogger(__name__)

STALE = 0.9
"""Fraction of the idle timeout. A record is renewed when less than this is left."""


@dataclass(slots=True)
class Held:
    """A session's browser, and the contexts in it by the agent's names for them."""

    browser: Browser
    options: ContextOptions
    """Options of the contexts."""
    contexts: dict[str, Context]
    active: Context
    told: Record | None = None
    """The record that was read or written last."""

    @classmethod
    async def resume(cls, browser: Browser, options: ContextOptions, home: str) -> Held:
        """Adopt the contexts of a session in a browser. ``home`` is the user context that contains its record.

        Raises `NoSuchUserContextError` if the session was closed, `SessionNotFoundError` if it cannot be resumed.
        """
        record = await read_record(browser.connection, home)
        named = record.contexts if record is not None else {"default": home}
        if not named:
            raise SessionNotFoundError("its proxy's login is known only to the server that it began at")
        contexts = {name: await browser.adopt_context(name, id_, options) for name, id_ in named.items()}
        held = cls(browser, options, contexts, next(iter(contexts.values())))
        if record is not None:
            await held._follow(record)
            tab = held.active.active
            if tab is not None and record.dialog is not None:
                tab.dialogs.add(Dialog(*record.dialog))
        held.label_refs()
        return held

    def download_into(self, folder: Path) -> None:
        """Change the folder for downloads."""
        self.options = replace(self.options, downloads=folder)
        for context in self.contexts.values():
            if context.shared.downloads is not None:
                context.shared.downloads = folder
                for tab in context.tabs:
                    tab.downloads.folder = folder

    async def apply(self, options: ContextOptions, added: Collection[Capability]) -> None:
        """Apply options with more capabilities."""
        before, self.options = self.options, options
        for context in self.contexts.values():
            if options.watched and not before.watched:
                await self.browser.watch(context)
            if options.copies and not before.copies:
                context.let_copy()
            await enable(context, added)

    @property
    def home(self) -> str:
        """The user context that contains the record: the oldest one."""
        return next(iter(self.contexts.values())).user_context

    def losses(self, first: str) -> str:
        """Return a sentence that lists what was lost with the browser, or "".

        ``first`` is the name of the context that every session has, which is not listed.
        """
        lost = [tab.url for context in self.contexts.values() for tab in context.tabs]
        lost += [f"the context {name!r}" for name in self.contexts if name != first]
        return f" Lost: {', '.join(lost)}." if lost else ""

    @property
    def place(self) -> Place | None:
        """The place where other servers find the session; None if they cannot."""
        return Place(self.browser.session, self.home) if self.browser.session is not None else None

    def label_refs(self) -> None:
        """Prefix refs with the name of their context while there are several contexts (seed 002)."""
        for name, context in self.contexts.items():
            context.shared.ref_prefix = f"{name}:" if len(self.contexts) > 1 else ""
            context.shared.others = [other for other in self.contexts if other != name]

    async def catch_up(self, server: str) -> None:
        """Apply the changes that another server has made meanwhile.

        Raises `NoSuchUserContextError` if the session was closed there.
        """
        record = await read_record(self.browser.connection, self.home)
        if record is not None and record.by != server:
            await self._follow(record)
            self.label_refs()

    async def _follow(self, record: Record) -> None:
        self.told = record
        for name, context in list(self.contexts.items()):
            if context.travels and name not in record.contexts:
                self.browser.leave_context(self.contexts.pop(name))
        for name, user_context in record.contexts.items():
            if name not in self.contexts:
                self.contexts[name] = await self.browser.adopt_context(name, user_context, self.options)
        self.active = self.contexts.get(record.active, self.active)
        tab = self.browser.tab_of(record.tab or "")
        if tab is not None:
            self.active.active = tab
        # Through the other server, the agent has seen newer snapshots than those kept here.
        for context in self.contexts.values():
            for tab in context.tabs:
                tab.view = View()

    def leave(self) -> None:
        """Stop using the contexts without closing them, so that other servers can resume them."""
        for context in self.contexts.values():
            self.browser.leave_context(context)

    async def write_down(self, server: str, idle_timeout: float) -> None:
        """Write the record for other servers if it has changed or must be renewed. Ignore errors of the browser."""
        now = time.time()
        tab = self.active.active
        record = Record(
            by=server,
            until=now + idle_timeout,
            contexts={name: context.user_context for name, context in self.contexts.items() if context.travels},
            active=self.active.name,
            tab=tab.context if tab is not None else None,
            dialog=_dialog(tab),
        )
        told = self.told
        if (
            told is not None
            and told.model_copy(update={"until": record.until}) == record
            and told.until - now > STALE * idle_timeout
        ):
            return
        try:
            await write_record(self.browser.connection, self.home, record)
            self.told = record
        except BidiError:
            self.told = None


async def resumed(browsers: Browsers, config: Config, options: ContextOptions, place: Place) -> Held:
    """Resume a session whose browser is already running elsewhere.

    Raises `BrowserUnavailableError`, and `SessionNotFoundError` with the reason.
    """
    browser = await browsers.resume(launch_options(config), place.session)
    held = None
    try:
        with trio.move_on_after(options.limits.action):
            held = await Held.resume(browser, options, place.user_context)
            return held
    except (BidiError, ConnectionLostError) as error:
        logger.info("a session can't be resumed: %s", error)
        raise SessionNotFoundError("it was closed") from error
    finally:
        if held is None:
            with trio.CancelScope(shield=True):
                await browsers.release(browser)
    raise SessionNotFoundError(f"the browser did not answer within {options.limits.action:g} s")


def _dialog(tab: Tab | None) -> tuple[str, str, str, str] | None:
    dialog = tab.dialogs.open if tab is not None else None
    if dialog is None:
        return None
    return (dialog.kind, dialog.message[:LONGEST_MESSAGE], dialog.frame, dialog.default[:LONGEST_MESSAGE])
