"""Records of a running page: console and network."""

from typing import Literal

from bidi_server.browser.console.messages import PAGE, Message
from bidi_server.browser.network.requests import Request
from bidi_server.browser.network.timings import clock
from bidi_server.browser.tab.tab import Tab
from bidi_server.browser.words import clip
from bidi_server.escapes import one_line, quote
from bidi_server.tools.base import TabTool
from bidi_server.tools.outcome import Outcome

MAX_MESSAGE = 500
"""Maximum length of a shown message, in characters."""

_PLACE = " @ "
"""Separator between the text of a message and its location and time."""

_STATIC = frozenset({"image", "font", "style", "stylesheet", "script", "css", "img", "link"})


class BrowserConsoleMessages(TabTool):
    """Read the console since the page was loaded."""

    read_only = True
    ignores_dialog = True

    level: Literal["error", "warning", "info", "debug"] = "info"
    """Minimum severity."""

    async def run(self, tab: Tab, out: Outcome) -> None:
        """See the class."""
        messages = tab.console.at_level(self.level, tab.page_start)
        out.say(*map(message_line, messages) if messages else (f"No messages of level {self.level}.",))


class BrowserNetworkRequests(TabTool):
    """List the network requests since the page was loaded."""

    read_only = True
    ignores_dialog = True

    include_static: bool = False
    """Include successful images, fonts, scripts and styles."""

    async def run(self, tab: Tab, out: Outcome) -> None:
        """See the class."""
        requests = tab.requests.all.since(tab.page_start)
        shown = [request for request in requests if self.include_static or not _dull(request)]
        out.say(*map(request_line, shown) if shown else ("No requests.",))
        if len(shown) < len(requests):
            out.say(f"({len(requests) - len(shown)} static files left out; includeStatic: true shows them)")


def message_line(message: Message, *, full: bool = False) -> str:
    """Return a console message on one line: kind, text, location and time (UTC)."""
    kind = message.method if message.method in {"uncaught", "table", "group", "trace"} else message.level
    origin = "" if message.origin == PAGE else f", {message.origin.replace('-', ' ')}"
    text = message.headline(full=full) if full else clip(message.headline(), MAX_MESSAGE)
    if _PLACE in text:
        text = quote(text)
    place = f"{message.url}:{message.line} " if message.url else ""
    return one_line(f"[{kind}{origin}] {text}{_PLACE}{place}{clock(message.time).partition('T')[2]}")


def request_line(request: Request) -> str:
    """Return a request on one line: method, URL and result."""
    if request.failure:
        result = f"failed: {request.failure}"
    elif request.pending:
        result = f"{request.status} …" if request.status else "pending"
    else:
        result = f"{request.status} {request.status_words}".strip()
    kind = f" ({request.kind})" if request.kind else ""
    return one_line(f"{request.method} {clip(request.url, 300)} → {result}{kind}")


def _dull(request: Request) -> bool:
    succeeded = not request.failure and not request.pending and request.status < 400
    return succeeded and request.kind in _STATIC
