r"""Files of secrets: a strict part of what is known as dotenv.

A line is ``NAME=value``, ``export NAME=value`` or ``NAME@https://host=value``. A value in single quotes is taken as it
is, one in double quotes knows ``\n``, ``\r``, ``\t``, ``\"`` and ``\\``; both may have several lines. Other values
end at the line's end, or before a ``#`` that follows a space. ``$`` has no meaning.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

NAME = "[A-Za-z_][A-Za-z0-9_]*"
"""Pattern for the name of a secret."""

_LINE = re.compile(
    rf"""
    (?:export[ \t]+)?
    (?P<name>{NAME}) (?:@(?P<origins>[^\s=]+))?
    [ \t]*=[ \t]*
    (?: '(?P<single>[^']*)' | "(?P<double>(?:[^"\\]|\\.)*)" | (?P<plain>[^'"\s\#][^\n]*?)?? )
    [ \t\r]* (?:(?<=\s)\#[^\n]*|(?<==)\#[^\n]*)? (?:\n|\Z)
    """,
    re.VERBOSE | re.DOTALL,
)

_BLANK = re.compile(r"[ \t\r\n]+|#[^\n]*")

_ESCAPES = {"n": "\n", "r": "\r", "t": "\t"}


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of a file of secrets."""

    name: str
    value: str
    origins: tuple[str, ...]
    """What stands after ``@``, separated by commas."""
    line: int


def parse(text: str) -> Iterator[Entry]:
    """Yield the entries of a file. Raises ValueError with the number of a line, and never with its content."""
    at = 0
    while at < len(text):
        if blank := _BLANK.match(text, at):
            at = blank.end()
            continue
        line = text.count("\n", 0, at) + 1
        found = _LINE.match(text, at)
        if found is None:
            raise ValueError(f"line {line} is not NAME=value. Put a value with quotes, # or spaces into 'quotes'.")
        yield Entry(found["name"], _value(found), tuple(filter(None, (found["origins"] or "").split(","))), line)
        at = found.end()


def _value(found: re.Match[str]) -> str:
    if found["single"] is not None:
        return found["single"]
    if found["double"] is not None:
        return re.sub(r"\\(.)", lambda each: _ESCAPES.get(each[1], each[1]), found["double"], flags=re.DOTALL)
    return found["plain"] or ""
