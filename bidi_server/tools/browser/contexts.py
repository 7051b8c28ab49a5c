"""Isolated contexts, each with its own cookies, storage, tabs and proxy."""

import json
from pathlib import Path

from bidi_server.browser.contexts.storage_state import StorageState, collect, read_state, write_state
from bidi_server.browser.sessions.session import Session
from bidi_server.browser.words import address
from bidi_server.config import File
from bidi_server.escapes import one_line
from bidi_server.tools.base import SessionTool
from bidi_server.tools.outcome import Outcome
from bidi_server.tools.proxy import ProxyServer

MOST_SKIPPED = 20
"""Maximum number of named pages whose storage could not be read."""


class BrowserContextCreate(SessionTool):
    """Create an isolated context with its own cookies, storage, tabs and proxy, and switch to it."""

    ignores_dialog = True

    name: str
    proxy: ProxyServer | None = None
    storage_state: File | None = None
    """File written by browser_context_save_storage, with cookies and localStorage to begin with."""

    async def run(self, session: Session, out: Outcome) -> None:
        """See the class."""
        proxy = self.proxy.to_proxy() if self.proxy else None
        state = await read_state(await session.files.readable(self.storage_state)) if self.storage_state else None
        _, refused = await session.create_context(self.name, proxy=proxy, state=state)
        through = f" Its traffic goes through {proxy}{' with a login' if proxy.username else ''}." if proxy else ""
        out.say(f"Created the context {self.name!r}; it is active now.{through}")
        if state is not None:
            local = sum(len(origin.local_storage) for origin in state.origins)
            out.say(f"It has {len(state.cookies)} cookies and {local} localStorage entries from {self.storage_state}.")
        out.say(*(f"Not taken: {what}" for what in refused))


class BrowserContextSwitch(SessionTool):
    """Make another context the active one; all further calls go to its pages."""

    ignores_dialog = True

    name: str

    async def run(self, session: Session, out: Outcome) -> None:
        """See the class."""
        context = await session.switch_context(self.name)
        page = f"its page is {address(context.active.url)}" if context.active else "no page is open in it"
        out.say(f"The context {self.name!r} is active; {page}.")


class BrowserContextList(SessionTool):
    """List the contexts."""

    read_only = True
    ignores_dialog = True

    async def run(self, session: Session, out: Outcome) -> None:
        """See the class."""
        active = await session.context()
        lines: list[str] = []
        for name, context in session.contexts.items():
            entry: dict[str, object] = {"name": name, "isActive": context is active, "pageCount": len(context.tabs)}
            if context.active is not None:
                entry["currentUrl"] = address(context.active.url)
            if context.proxy is not None:
                entry["proxy"] = str(context.proxy)
            lines.append(json.dumps(entry, ensure_ascii=False))
        out.say(*("[" + ",\n ".join(map(one_line, lines)) + "]").split("\n"))


class BrowserContextClose(SessionTool):
    """Close a context and its pages; its cookies and storage are gone."""

    ignores_dialog = True

    name: str

    async def run(self, session: Session, out: Outcome) -> None:
        """See the class."""
        before = await session.context()
        active = await session.close_context(self.name)
        now = "" if active is before else f" The context {active.name!r} is active now."
        out.say(f"Closed the context {self.name!r}.{now}")


class BrowserContextSaveStorage(SessionTool):
    """Save the cookies and localStorage of a context to a file, for browser_context_create."""

    ignores_dialog = True

    name: str
    path: File

    async def run(self, session: Session, out: Outcome) -> None:
        """See the class."""
        await session.context()
        context = session.context_named(self.name)
        path = await session.files.writable(self.path)
        state, silent = await collect(context)
        await write_state(state, path)
        say_saved(out, path, state, silent)


def say_saved(out: Outcome, path: Path, state: StorageState, silent: list[str]) -> None:
    """Say what was written to a file; the localStorage of ``silent`` ones is missing."""
    out.files.append(path)
    origins = f"{len(state.origins)} origin{'s' if len(state.origins) != 1 else ''}"
    out.say(f"Saved {len(state.cookies)} cookies and the localStorage of {origins} to {path}.")
    if silent:
        rest = f" and {len(silent) - MOST_SKIPPED} more" if len(silent) > MOST_SKIPPED else ""
        pages = f"{', '.join(silent[:MOST_SKIPPED])}{rest}"
        out.say(f"Skipped, since no page of them answered: {pages}. Open one, and save again.")
