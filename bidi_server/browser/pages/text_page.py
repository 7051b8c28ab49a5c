"""Pages that are text files, as browsers show plain text, CSV, JSON and XML: their text, and a search in it."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import cast

from bidi_server.browser.tab.tab import Tab
from bidi_server.browser.words import clip
from bidi_server.errors import InvalidParametersError
from bidi_server.escapes import indented, quote

MAX_LINE = 200
"""Characters of a line that was found."""

MAX_FOUND = 50
"""Lines that a search tells."""


@dataclass(frozen=True, slots=True)
class Extract:
    """What an answer tells of a text that has ``length`` characters: those from ``start`` on."""

    text: str
    start: int
    length: int

    @property
    def end(self) -> int:
        """Place after the last character that is told."""
        return self.start + len(self.text)

    def __str__(self) -> str:
        shown = indented(self.text.rstrip())
        if not shown.strip():
            return "The file is empty." if not self.length else "There is only white space here."
        if len(self.text) == self.length:
            return f"Text:\n{shown}"
        rest = f"; the rest: browser_snapshot with offset: {self.end}, or with search" if self.end < self.length else ""
        return f"Text, characters {self.start:,} to {self.end:,} of {self.length:,}{rest}:\n{shown}"


def extract(text: str, length: int, room: int, start: int = 0) -> Extract:
    """Return as much of a text as there is room for, up to the end of a line where that is not far.

    ``text`` is what follows after ``start`` characters, or at least so much of it.
    """
    shown = text[:room]
    if start + len(shown) < length:
        line = shown.rfind("\n") + 1
        shown = shown[:line] if line > room / 2 else shown
    return Extract(shown, start, length)


async def whole_text(tab: Tab) -> str:
    """Return all of the page's text. Raises `InvalidParametersError` for a page that is more than a text file."""
    text = (await tab.ask(lambda: tab.main.call_json("source")))["text"]
    if text is None:
        raise InvalidParametersError(
            "This page is not a text file: offset is for plain text, CSV, JSON and XML.",
            "Leave it out; a part of the page is to be had by ref or selector.",
        )
    return cast("str", text)


def found_lines(text: str, search: str) -> str:
    """Return the lines of a text that contain a string, with their numbers; capitals count for nothing.

    Of a line that is too long for an answer the parts are told that contain it.
    """
    wanted = re.compile(re.escape(search), re.IGNORECASE)
    parts = list(islice(_parts(text, wanted), MAX_FOUND + 1))
    if not parts:
        return f"No line contains {quote(search)}."
    first = f" The first {MAX_FOUND}:" if len(parts) > MAX_FOUND else ":"
    return f"Lines that contain {quote(search)}{first}\n{indented(chr(10).join(parts[:MAX_FOUND]))}"


def _parts(text: str, wanted: re.Pattern[str]) -> Iterator[str]:
    for number, line in enumerate(text.splitlines(), 1):
        end = 0
        for match in wanted.finditer(line):
            if match.start() < end:
                continue
            begin = max(match.start() - MAX_LINE // 4, 0) if len(line) > MAX_LINE else 0
            end = begin + MAX_LINE
            yield f"{number}: {'…' if begin else ''}{clip(line[begin : end + 1], MAX_LINE)}"
