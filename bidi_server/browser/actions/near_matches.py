"""Elements of the page that resemble a ref or a selector without a match, for error messages."""

from contextlib import suppress
from difflib import SequenceMatcher

import trio

from bidi_server.bidi.errors import BidiError
from bidi_server.browser.snapshot.frame import FrameGoneError
from bidi_server.browser.snapshot.model import Row, Snapshot
from bidi_server.browser.snapshot.take import take_snapshot
from bidi_server.browser.tab.tab import Tab
from bidi_server.errors import ScriptError
from bidi_server.page.api import Wanted

MAX_MATCHES = 3
"""Maximum number of similar elements in an error message (seed 002)."""

TIMEOUT = 2.0
"""Timeout for the search for similar elements, in seconds."""


async def near_selector(tab: Tab, selector: str, *, shows_refs: bool = True) -> str:
    """Return a sentence with the elements that resemble a selector without a match; "" if there are none."""
    with trio.move_on_after(TIMEOUT), suppress(FrameGoneError, BidiError, ScriptError):
        wanted = await tab.main.ask(Wanted, "act.wanted", selector)
        if wanted.text:
            snapshot = await take_snapshot(tab)
            return sentence(tab, near(wanted.role, wanted.text, snapshot), shows_refs=shows_refs)
    return ""


def sentence(tab: Tab, rows: list[Row], *, shows_refs: bool = True) -> str:
    """Return a sentence with the names of rows, and their refs if ``shows_refs`` is set; "" without rows."""
    named = ", ".join(f"{row} [ref={tab.shared.ref_prefix}{row.ref}]" if shows_refs else str(row) for row in rows)
    return f"Similar elements on page: {named}." if named else ""


def near(role: str, name: str, snapshot: Snapshot) -> list[Row]:
    """Return the rows with a ref that are most similar to an element with this role and name, the best first."""
    if not name:
        return []
    wanted = name.lower()

    def score(row: Row) -> float:
        has = row.name.lower()
        likeness = 0.8 if wanted in has else SequenceMatcher(None, wanted, has).ratio()
        return likeness + (0.3 if row.role == role and likeness > 0.3 else 0)

    scores = [(score(row), row) for row in snapshot.by_ref.values() if row.name]
    best = sorted(scores, key=lambda each: each[0], reverse=True)[:MAX_MATCHES]
    return [row for points, row in best if points > 0.5]
