"""The storage of an origin: localStorage and sessionStorage.

https://html.spec.whatwg.org/multipage/webstorage.html
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Literal

from bidi_server.browser.snapshot.frame import Frame
from bidi_server.errors import LimitError, NotSupportedError
from bidi_server.page.api import Stored

Area = Literal["local", "session"]


@dataclass(frozen=True, slots=True)
class StorageChange:
    """A change of a storage. It happens in the order of the attributes."""

    clear: bool = False
    remove: Sequence[str] = ()
    set: Sequence[tuple[str, str]] = ()


async def entries_of(frame: Frame, area: Area, change: StorageChange | None = None) -> dict[str, str]:
    """Return the entries of the storage of a frame's origin, after a change.

    Raises `NotSupportedError` if the page has no storage, and `LimitError` if an entry has no room.
    """
    found = await frame.ask(Stored, "extra.storage", area, asdict(change) if change is not None else {})
    match found.error:
        case "denied":
            raise NotSupportedError(f"This page has no {area}Storage.", "Open a page with a web address first.")
        case "full":
            raise LimitError(f"The {area}Storage of this site is full.", "Delete entries, or set a shorter value.")
        case None:
            return dict(found.entries)
