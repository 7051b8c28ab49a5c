"""What a session holds in its browser, and what the servers that serve one session tell each other of it."""

from __future__ import annotations

import logging
import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import trio

from bidi_server.bidi.errors import BidiError, ConnectionLostError
from bidi_server.browser.contexts.lease import LONGEST_MESSAGE, Record, read_record, write_record
from bidi_server.browser.engine.pool import Browsers, launch_options
from bidi_server.browser.sessions.handles import Place
from bidi_server.browser.tab.dialogs import Dialog
from bidi_server.errors import SessionNotFoundError

if TYPE_CHECKING:
    from pathlib import Path

    from bidi_server.browser.contexts.context import Context, ContextOptions
    from bidi_server.browser.engine.browser import Browser
    from bidi_server.browser.tab.tab import Tab
    from bidi_server.config import Config

logger = logging.getLogger(__name__)

STALE = 0.9
"""A record is written anew when less than this part of the idle timeout is left."""


@dataclass(slots=True)
class Held:
    """The browser, and in it contexts by the names that the agent knows."""

    browser: Browser
    options: ContextOptions
    """What its contexts are like."""
    contexts: dict[str, Context]
    active: Context
    told: Record | None = None
    """The record as it was read or written last."""

    @classmethod
    async def resume(cls, browser: Browser, options: ContextOptions, home: str) -> Held:
        """Take what a session has in a browser.

        Raises `NoSuchUserContextError` when it was closed, `SessionNotFoundError` when it can't be gone on with.
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
        """Have downloads end up in another folder."""
        self.options = replace(self.options, downloads=folder)
        for context in self.contexts.values():
            if context.shared.downloads is not None:
                context.shared.downloads = folder
                for tab in context.tabs:
                    tab.downloads.folder = folder

    @property
    def home(self) -> str:
        """The user context that keeps the record: the oldest."""
        return next(iter(self.contexts.values())).user_context

    def losses(self, first: str) -> str:
        """Return what is gone with the browser, for the end of what says so; ``first`` is every session's context."""
        lost = [tab.url for context in self.contexts.values() for tab in context.tabs]
        lost += [f"the context {name!r}" for name in self.contexts if name != first]
        return f" Lost: {', '.join(lost)}." if lost else ""

    @property
    def place(self) -> Place | None:
        """Where other servers find all this, if they can."""
        return Place(self.browser.session, self.home) if self.browser.session is not None else None

    def label_refs(self) -> None:
        """Put the context's name before refs while there are several contexts (seed 002)."""
        for name, context in self.contexts.items():
            context.shared.ref_prefix = f"{name}:" if len(self.contexts) > 1 else ""
            context.shared.others = [other for other in self.contexts if other != name]

    async def catch_up(self, server: str) -> None:
        """Take over what another server has done since.

        Raises `NoSuchUserContextError` when the session was closed there.
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
        # The agent has seen pages since that we have not.
        for context in self.contexts.values():
            for tab in context.tabs:
                tab.seen = tab.previous = None
                tab.numbered = []

    def leave(self) -> None:
        """Let others go on with all of it."""
        for context in self.contexts.values():
            self.browser.leave_context(context)

    async def write_down(self, server: str, idle_timeout: float) -> None:
        """Tell other servers where the session stands, if that is news. What the browser refuses is no matter here."""
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
    """Go on with what a session has elsewhere.

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
