"""Effects of an action that were unfinished when settling ended, as data; the toolsets put them into words."""

from dataclasses import dataclass
from enum import Enum


class Cause(Enum):
    """The reason why the wait ended before the page was settled."""

    REQUEST = "request"
    """A request that the action started has no complete response."""
    FRAME = "frame"
    """A frame is loading another document."""
    TAB = "tab"
    """A tab that the action opened is still loading."""
    DOWNLOAD = "download"
    STALLED = "stalled"
    """The page is usable, but parts of it have not arrived: see `page_load.StallWatch`."""
    LOADING = "loading"
    """The page did not load within the navigation timeout."""
    NO_ANSWER = "no answer"
    """The server of the next page did not respond, so its load was stopped: see `document_request.stop_unanswered`."""
    PAGES = "pages"
    """Pages keep navigating to further pages by themselves."""
    UNREADABLE = "unreadable"
    """The page could not be read; `Unfinished.what` is the browser's error."""
    SCRIPT = "script"
    """A script keeps the page busy."""
    ANIMATION = "animation"
    CHANGES = "changes"
    """The page keeps changing."""
    WORK = "work"
    """A timer that the action set has not fired yet."""
    MESSAGE = "message"
    """A worker or a server, `Unfinished.what`, has not answered a message that the action sent."""


@dataclass(frozen=True, slots=True)
class Unfinished:
    """One unfinished effect. ``what`` is its name if it has one, such as that of a request or a file."""

    cause: Cause
    what: str = ""
