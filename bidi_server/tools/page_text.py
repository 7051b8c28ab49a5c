"""Texts of pages in answers, apart from the server's own sentences."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from bidi_server.escapes import one_line

_FIRST_WORD = re.compile(r" *[A-Za-z]+")


@dataclass(frozen=True, slots=True)
class PageText:
    """A text that a page has written, perhaps below a line of ours."""

    text: str
    head: str = ""
    """What we say above it: one line or several, of which the last begins with a word, such as "Changes:"."""

    def __str__(self) -> str:
        return f"{self.head}\n{self.text}" if self.head else self.text

    def fenced(self, fence: str) -> str:
        """Return the text after a line with the fence: the last of the head, or one of its own.

        A page may have learned the fence from the agent, and shows it then without its end.
        """
        before, _, last = self.head.rpartition("\n")
        word = _FIRST_WORD.match(last)
        line = f"{last[: word.end()]} {fence}{last[word.end() :]}" if word else f"{fence}:"
        text = self.text.replace(fence, f"{fence[:-2]}…")
        return "\n".join(part for part in (before, line, text) if part)


Part = str | PageText
"""A part of an answer: a sentence of ours, or a text of a page."""


def written(parts: Iterable[Part], fence: str = "") -> str:
    """Return the text of an answer. Without a ``fence`` nothing marks where texts of pages begin and end."""
    lines: list[str] = []
    inside = False
    for part in parts:
        if isinstance(part, PageText):
            lines.append(part.fenced(fence) if fence else str(part))
            inside = bool(fence)
        elif part:
            if inside:
                lines.append(f"End {fence}")
                inside = False
            lines.append(part)
    return "\n".join(lines)


def ours(sentences: Iterable[str]) -> list[Part]:
    """Return sentences of ours as parts, each on one line."""
    return [one_line(each) for each in sentences]
