"""Pages that show a text file, such as plain text, CSV, JSON or XML: extract or search their text."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from bidi_server.browser.tab.tab import Tab
from bidi_server.browser.words import clip
from bidi_server.errors import InvalidParametersError
from bidi_server.escapes import indented, quote
from bidi_server.page.api import Source

MAX_LINE = 200
"""Maximum length of a line in search results, in characters."""

MAX_FOUND = 50
"""Maximum number of lines in search results."""


@dataclass(frozen=True, slots=True)
class Extract:
    """The part of a text of ``length`` characters that an answer shows, from ``start`` on."""

    text: str
    start: int
    length: int

    @property
    def end(self) -> int:
        """Offset after the last character shown."""
        return self.start + len(self.text)

    def __str__(self) -> str:
        shown = indented(self.text.rstrip())
        if not shown.strip():
            return "The file is empty." if not self.length else "There is only white space here."
        if len(self.text) == self.length:
            return f"Text:\n{shown}"
        rest = f"; the rest: a snapshot with offset: {self.end}, or with search" if self.end < self.length else ""
        return f"Text, characters {self.start:,} to {self.end:,} of {self.length:,}{rest}:\n{shown}"


def extract(text: str, length: int, room: int, start: int = 0) -> Extract:
    """Return at most ``room`` characters of a text, cut at the end of a line if that is in the second half.

    ``text`` is the text from ``start`` on, or at least enough of it.
    """
    shown = text[:room]
    if start + len(shown) < length:
        line = shown.rfind("\n") + 1
        shown = shown[:line] if line > room / 2 else shown
    return Extract(shown, start, length)


async def whole_text(tab: Tab) -> str:
    """Return the whole text of the page. Raises `InvalidParametersError` if the page is not a text file."""
    text = (await tab.ask(lambda: tab.main.ask(Source, "source"))).text
    if text is None:
        raise InvalidParametersError(
            "This page is not a text file: offset is for plain text, CSV, JSON and XML.",
            "Leave it out; a part of the page is to be had by ref or selector.",
        )
    return text


def found_lines(text: str, search: str) -> str:
    """Return the lines of a text that contain a string, ignoring case, with their line numbers.

    Of lines longer than `MAX_LINE`, only the parts around the matches are returned.
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
