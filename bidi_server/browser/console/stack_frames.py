"""Stack frames in the sources of their scripts, by source maps."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from bidi_server.browser.console.source_maps import Original, SourceMap, parse_map
from bidi_server.browser.origin import origin_of
from bidi_server.browser.words import clip
from bidi_server.escapes import quote

MAX_SOURCE = 200
"""Maximum length of the name of a source, in characters."""

MAX_NAME = 100
"""Maximum length of the name of a function, in characters; longer ones are ignored."""

# "at name (url:1:2)" or "at url:1:2", as Chromium and `stack_of` write it. The page controls the stacks of errors.
_FRAME = re.compile(
    r"at (?P<kind>async |new )?(?:(?P<function>[^(\n]*) \()?(?P<url>[^\s()]+):(?P<line>\d{1,9}):(?P<column>\d{1,9})\)?"
)
_IDENTIFIER = re.compile(r"[^\W\d][\w$]*|\$[\w$]*")
_PLAIN = re.compile(r"[\w./:@~+$%#?&=!*\[\]-]+")
_LINE_END = re.compile(r"\r\n|[\n\r\u2028\u2029]")


@dataclass(frozen=True, slots=True)
class Place:
    """A position in a script: its URL, and line and column from 1."""

    url: str
    line: int
    column: int

    def __str__(self) -> str:
        """Return it as browsers write it."""
        return f"{self.url}:{self.line}:{self.column}"


class MappedScript:
    """A script with its source map. Raises `BrokenMapError` if the map is not valid."""

    def __init__(self, source_map: str, base: str, code: str) -> None:
        self._map: SourceMap = parse_map(source_map, base)
        self._lines = _LINE_END.split(code)

    def find(self, place: Place) -> Original | None:
        """Return the original of a place in the script."""
        return self._map.find(place.line - 1, place.column - 1)

    def name_of_called(self, name: str, call: Place) -> str:
        """Return the name in the source of a function that the script calls ``name`` at a place; "" if unknown."""
        line = self._lines[call.line - 1] if 0 < call.line <= len(self._lines) else ""
        # Chromium reports where the name of the function begins, and Firefox 153 also the bracket behind it.
        for column in (call.column - 1, call.column - 1 - len(name)):
            if column >= 0 and _identifier_at(line, column) == name:
                original = self._map.find(call.line - 1, column)
                return original.name if original is not None else ""
        return ""


def place_of(frame: str) -> Place | None:
    """Return the place in a line of a stack; None if it has none."""
    found = _FRAME.fullmatch(frame)
    return Place(found["url"], int(found["line"]), int(found["column"])) if found else None


def original_frames(frames: Sequence[str], scripts: Mapping[str, MappedScript]) -> list[str]:
    """Return the lines of a stack with places in sources, and behind them the places in the scripts."""
    pairs = zip_longest(frames, frames[1:], fillvalue="")
    return [_original_frame(frame, caller, scripts) for frame, caller in pairs]


def original_place(place: Place, scripts: Mapping[str, MappedScript]) -> str:
    """Return the place in a source; "" if it is unknown."""
    script = scripts.get(place.url)
    original = script.find(place) if script is not None else None
    return _words(original, place) if original is not None else ""


def _original_frame(frame: str, caller: str, scripts: Mapping[str, MappedScript]) -> str:
    found, place = _FRAME.fullmatch(frame), place_of(frame)
    source = original_place(place, scripts) if place is not None else ""
    if found is None or not source:
        return frame
    function = found["function"] or ""
    own = function.partition(" [as ")[0].rpartition(".")[2]
    name = _original_name(own, place_of(caller), scripts) or function
    where = f"{source}, in {place}"
    return f"at {found['kind'] or ''}{name} ({where})" if name else f"at {where}"


def _original_name(name: str, call: Place | None, scripts: Mapping[str, MappedScript]) -> str:
    """Return the name of a function in its source; "" if it is unknown.

    A source map names identifiers, not functions. The name of a function is known if its caller names it at the call.
    """
    script = scripts.get(call.url) if call is not None else None
    found = script.name_of_called(name, call) if call is not None and script is not None and name else ""
    return found if len(found) <= MAX_NAME and _IDENTIFIER.fullmatch(found) else ""


def _identifier_at(line: str, column: int) -> str:
    """Return the identifier that begins at a column of a line; "" if none does."""
    before = line[column - 1 : column] if column else ""
    found = _IDENTIFIER.match(line, column)
    return found[0] if found and not _IDENTIFIER.fullmatch(f"_{before}" if before else "") else ""


def _words(original: Original, place: Place) -> str:
    """Return a place in a source of a script, counted from 1."""
    name = clip(original.source.removeprefix(f"{origin_of(place.url)}/"), MAX_SOURCE)
    return f"{name if _PLAIN.fullmatch(name) else quote(name)}:{original.line + 1}:{original.column + 1}"
