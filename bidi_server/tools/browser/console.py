"""Console tools for developers (seed 001)."""

from typing import Annotated

from pydantic import Field

from bidi_server.browser.console.messages import Message
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
        text = "\n".join("\n".join([message_line(message), *_stack(message, MAX_FRAMES)]) for message in messages)
        full = "\n".join("\n".join([message_line(message, full=True), *_stack(message)]) for message in messages)
        await out.say_or_save(session.outputs, text or "No messages.", "console", full=full)
        if context.browser.mutes_workers_of(tab.url):
            out.say(f"({context.browser.name} does not tell what service workers print.)")


class BrowserClearConsoleLogs(TabTool):
    """Clear the tab's console messages."""

    capabilities = ("dev",)
    read_only = True
    ignores_dialog = True

    async def run(self, tab: Tab, out: Outcome) -> None:
        """See the class."""
        count = len(tab.console.at_level("debug"))
        tab.console.clear()
        out.say(f"Forgot {count} messages.")


def _stack(message: Message, most: int | None = None) -> list[str]:
    always = message.method in {"uncaught", "trace"}
    frames = message.frames if always or message.level == "error" else []
    # The line of the message already contains the location of the first frame.
    return [f"    {one_line(frame)}" for frame in frames[:most]] if always or len(frames) > 1 else []
