"""Console tools for developers (seed 001)."""

from typing import Annotated

from pydantic import Field

from bidi_server.browser.console.messages import Message
from bidi_server.browser.contexts.script_maps import Originals, originals
from bidi_server.browser.sessions.session import Session
from bidi_server.browser.tab.tab import Tab
from bidi_server.escapes import one_line
from bidi_server.tools.base import SessionTool, TabTool
from bidi_server.tools.browser.records import message_line
from bidi_server.tools.outcome import Outcome

MAX_FRAMES = 3
"""Maximum number of shown lines of an error's stack."""


class BrowserRecentConsoleLogs(SessionTool):
    """Read the tab's console, newest message first, over all of its pages and workers."""

    capabilities = ("dev",)
    read_only = True
    ignores_dialog = True

    limit: Annotated[int, Field(ge=1, le=1000)] = 100
    """Messages to return."""

    async def run(self, session: Session, out: Outcome) -> None:
        """See the class."""
        context = await session.context()
        tab = await context.tab()
        messages = tab.console.at_level("debug")[::-1][: self.limit]
        found = await originals(context, tab, messages)
        lines: list[str] = []
        full: list[str] = []
        for message in messages:
            stack = _stack(message, found)
            lines += [message_line(message, found), *stack[:MAX_FRAMES]]
            full += [message_line(message, found, full=True), *stack]
        await out.say_or_save(session.outputs, "\n".join(lines) or "No messages.", "console", full="\n".join(full))
        if context.browser.mutes_workers_of(tab.url):
            out.say(f"({context.browser.name} does not tell what service workers print.)")


class BrowserClearConsoleLogs(TabTool):
    """Clear the tab's console messages."""

    capabilities = ("dev",)
    read_only = True
    ignores_dialog = True
    is_step = False

    async def run(self, tab: Tab, out: Outcome) -> None:
        """See the class."""
        count = len(tab.console.at_level("debug"))
        tab.console.clear()
        out.say(f"Forgot {count} messages.")


def _stack(message: Message, found: Originals) -> list[str]:
    frames = found.frames(message) if message.shows_stack else []
    # The line of the message already contains the location of the first frame.
    is_shown = message.always_shows_stack or len(frames) > 1
    return [f"    {one_line(frame)}" for frame in frames] if is_shown else []
