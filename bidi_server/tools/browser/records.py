"""Records of a running page: console and network."""

from datetime import UTC, datetime, time, timedelta

from bidi_server.browser.console.messages import PAGE, Message
from bidi_server.browser.contexts.script_maps import Originals, originals
from bidi_server.browser.network.requests import Request
from bidi_server.browser.network.timings import clock
from bidi_server.browser.sessions.session import Session
from bidi_server.browser.tab.tab import Tab
from bidi_server.browser.words import clip
from bidi_server.config import ConsoleLevel
from bidi_server.errors import InvalidParametersError
from bidi_server.escapes import one_line, quote
from bidi_server.tools.base import SessionTool
from bidi_server.tools.outcome import Outcome

MAX_MESSAGE = 500
"""Maximum length of a shown message, in characters."""

_PLACE = " @ "
"""Separator between the text of a message and its location and time."""

MAX_SINCE = 40
"""Maximum length of an invalid time in an error, in characters."""

LAST_CALL = "last call"
"""Value of ``since`` for the last call of the same tool."""

NAVIGATION = "navigation"
"""Value of ``since`` for the load of the page."""

MAX_AHEAD = timedelta(minutes=1)
"""Maximum difference of a time of today from the present; a time further ahead is one of yesterday."""

_STATIC = frozenset({"image", "font", "style", "stylesheet", "script", "css", "img", "link"})


class BrowserConsoleMessages(SessionTool):
    """Read the page's console."""

    read_only = True
    ignores_dialog = True

    level: ConsoleLevel = "info"
    """Minimum severity."""
    since: str | None = None
    """A time as a message shows it, or "last call"; default: the load of the page."""
    filename: str | None = None
    """Write them to this file instead."""

    async def run(self, session: Session, out: Outcome) -> None:
        """See the class."""
        context = await session.context()
        tab = await context.tab()
        level = self.level if "level" in self.model_fields_set else session.config.console_level or self.level
        messages = _messages_since(self.since or NAVIGATION, tab, level)
        tab.console.last_read = tab.journal.cursor()
        found = await originals(context, tab, messages)
        lines = [message_line(message, found) for message in messages] or [f"No messages of level {level}."]
        await _say(session, out, lines, self.filename, "console")


class BrowserNetworkRequests(SessionTool):
    """List the network requests since the page was loaded."""

    read_only = True
    ignores_dialog = True

    include_static: bool = False
    """Include successful images, fonts, scripts and styles."""
    filename: str | None = None
    """Write them to this file instead."""

    async def run(self, session: Session, out: Outcome) -> None:
        """See the class."""
        tab = await session.tab()
        requests = tab.requests.all.since(tab.page_start)
        shown = [request for request in requests if self.include_static or not _dull(request)]
        lines = [request_line(request) for request in shown] or ["No requests."]
        await _say(session, out, lines, self.filename, "network")
        if len(shown) < len(requests):
            out.say(f"({len(requests) - len(shown)} static files left out; includeStatic: true shows them)")


async def _say(session: Session, out: Outcome, lines: list[str], filename: str | None, stem: str) -> None:
    if filename is None:
        out.quote("\n".join(map(one_line, lines)))
    else:
        await out.say_or_save(session.outputs, "\n".join(lines), stem, filename=filename)


def _messages_since(since: str, tab: Tab, level: str) -> list[Message]:
    """Return the messages of a tab, over all of its pages unless since the load of this one.

    Raises `InvalidParametersError`.
    """
    if since == NAVIGATION:
        return tab.console.at_level(level, tab.page_start)
    if since == LAST_CALL:
        return tab.console.at_level(level, tab.console.last_read)
    start = _seconds(since)
    return [message for message in tab.console.at_level(level) if message.time >= start]


def _seconds(text: str) -> float:
    """Return a time as messages show it, with or without its date, in seconds since the epoch.

    Without an offset it is in UTC. Raises `InvalidParametersError`.
    """
    now = datetime.now(UTC)
    try:
        try:
            moment = datetime.combine(now.date(), time.fromisoformat(text))
            has_date = False
        except ValueError:
            moment, has_date = datetime.fromisoformat(text), True
    except ValueError as error:
        message = f"since: {clip(text, MAX_SINCE)!r} is neither a time nor {LAST_CALL!r} nor {NAVIGATION!r}."
        raise InvalidParametersError(message, "Pass a time as a message shows it: 14:05:09.250Z.") from error
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    if not has_date and moment > now + MAX_AHEAD:
        moment -= timedelta(days=1)
    return moment.timestamp()


def message_line(message: Message, found: Originals, *, full: bool = False) -> str:
    """Return a console message on one line: kind, text, location and time (UTC)."""
    kind = message.method if message.method in {"uncaught", "table", "group", "trace", "issue"} else message.level
    origin = "" if message.origin == PAGE else f", {message.origin.replace('-', ' ')}"
    text = message.headline(full=full) if full else clip(message.headline(), MAX_MESSAGE)
    if _PLACE in text:
        text = quote(text)
    place = f"{message.url}:{message.line} " if message.url else ""
    if original := found.place(message):
        place = f"{original}, in {place}"
    return one_line(f"[{kind}{origin}] {text}{_PLACE}{place}{clock(message.time).partition('T')[2]}")


def request_line(request: Request) -> str:
    """Return a request on one line: method, URL and result."""
    kind = f" ({request.kind})" if request.kind else ""
    return one_line(f"{request.method} {clip(request.url, 300)} → {request.result}{kind}")


def _dull(request: Request) -> bool:
    succeeded = not request.failure and not request.pending and request.status < 400
    return succeeded and request.kind in _STATIC
