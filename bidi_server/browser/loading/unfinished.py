"""What was still under way when the wait for an action's effects ended, as data; the toolsets word it."""

from dataclasses import dataclass
from enum import Enum


class Cause(Enum):
    """Why the wait ended before the page was settled."""

    REQUEST = "request"
    """A request that the action started has no complete response."""
    FRAME = "frame"
    """A frame is loading another document."""
    TAB = "tab"
    """A tab that the action opened is still loading."""
    DOWNLOAD = "download"
    STALLED = "stalled"
    """The page is usable, and parts of it have not come: see `page_load.StallWatch`."""
    LOADING = "loading"
    """The page did not load within the navigation timeout."""
    NO_ANSWER = "no answer"
    """The server of the next page did not answer, so that page was given up: see `document.stop_unanswered`."""
    PAGES = "pages"
    """Each page goes on to another by itself."""
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
    """One thing that was still under way. ``what`` names it where it has a name: a request, a file."""

    cause: Cause
    what: str = ""
