"""Source maps: the positions of a script in the sources that it was made of.

https://tc39.es/ecma426/
"""

import json
from array import array
from bisect import bisect_right
from dataclasses import dataclass, field
from typing import Protocol
from urllib.parse import urljoin

from drivers.json_values import Json, fields, items

_DIGITS = {
    character: value
    for value, character in enumerate("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
}

_LARGEST = 2**31 - 1


class BrokenMapError(ValueError):
    """A source map is not valid."""


@dataclass(frozen=True, slots=True)
class Original:
    """A position in a source, both counted from 0, and the identifier there; "" if the map does not name it."""

    source: str
    line: int
    column: int
    name: str


class SourceMap(Protocol):
    """The source map of one script."""

    def find(self, line: int, column: int) -> Original | None:
        """Return the original of a position in the script, both counted from 0; None if it has none."""
        ...


def parse_map(text: str, base: str) -> SourceMap:
    """Parse a source map whose URL, or that of the script it is in, is ``base``. Raises `BrokenMapError`."""
    try:
        raw = fields(json.loads(text))
        return _index_map(raw, base) if "sections" in raw else _plain_map(raw, base)
    except (ValueError, OverflowError, RecursionError) as error:
        raise BrokenMapError(str(error)) from error


@dataclass(slots=True)
class _Mappings:
    """The mappings of a script, in the order of their positions in it.

    A mapping is a column of the script, a source, a line and a column of it, and a name; -1 for none.
    """

    starts: "array[int]" = field(default_factory=lambda: array("i"))
    """Index of the first mapping of each line, and at the end the number of mappings."""
    columns: "array[int]" = field(default_factory=lambda: array("i"))
    originals: "array[int]" = field(default_factory=lambda: array("i"))
    """The other four values of each mapping."""


@dataclass(frozen=True, slots=True)
class _PlainMap:
    sources: list[str]
    names: list[str]
    mappings: _Mappings

    def find(self, line: int, column: int) -> Original | None:
        starts = self.mappings.starts
        if not 0 <= line < len(starts) - 1:
            return None
        index = bisect_right(self.mappings.columns, column, starts[line], starts[line + 1]) - 1
        if index < starts[line]:
            return None
        source, original_line, original_column, name = self.mappings.originals[4 * index : 4 * index + 4]
        if source < 0 or not self.sources[source]:
            return None
        # Only the first column of a mapping is known to be where the identifier begins.
        is_named = name >= 0 and self.mappings.columns[index] == column
        return Original(self.sources[source], original_line, original_column, self.names[name] if is_named else "")


@dataclass(frozen=True, slots=True)
class _IndexMap:
    sections: list[tuple[tuple[int, int], _PlainMap]]

    def find(self, line: int, column: int) -> Original | None:
        index = bisect_right(self.sections, (line, column), key=lambda section: section[0]) - 1
        if index < 0:
            return None
        (first_line, first_column), section = self.sections[index]
        return section.find(line - first_line, column - first_column if line == first_line else column)


def _index_map(raw: Json, base: str) -> _IndexMap:
    sections: list[tuple[tuple[int, int], _PlainMap]] = []
    for section in map(fields, items(raw["sections"])):
        offset = fields(section.get("offset"))
        place = _number(offset.get("line")), _number(offset.get("column"))
        if sections and place < sections[-1][0]:
            raise BrokenMapError("The sections are not in order.")
        sections.append((place, _plain_map(fields(section.get("map")), base)))
    return _IndexMap(sections)


def _plain_map(raw: Json, base: str) -> _PlainMap:
    if raw.get("version") != 3:
        raise BrokenMapError("The version is not 3.")
    root = raw.get("sourceRoot")
    prefix = f"{root.removesuffix('/')}/" if isinstance(root, str) and root else ""
    sources = (
        [
            urljoin(base, prefix + source) if isinstance(source, str) and source else ""
            for source in items(raw["sources"])
        ]
        if "sources" in raw
        else []
    )
    names = [name if isinstance(name, str) else "" for name in items(raw.get("names"))]
    mappings = raw.get("mappings")
    if not isinstance(mappings, str):
        raise BrokenMapError("The mappings are missing.")
    return _PlainMap(sources, names, _decoded(mappings, len(sources), len(names)))


def _number(value: object) -> int:
    if not isinstance(value, int) or not 0 <= value <= _LARGEST:
        raise BrokenMapError("An offset is not a number.")
    return value


def _decoded(mappings: str, sources: int, names: int) -> _Mappings:
    """Return mappings from their text: https://tc39.es/ecma426/#sec-mappings."""
    found = _Mappings()
    source = line = column = name = 0
    known: dict[str, tuple[int, ...]] = {}
    """The numbers of the segments so far: a bundle repeats most of them."""
    for row in mappings.split(";"):
        found.starts.append(len(found.columns))
        generated = 0
        for segment in filter(None, row.split(",")):
            steps = known.get(segment)
            if steps is None:
                steps = known[segment] = _numbers(segment)
            if steps[0] < 0 and generated:
                raise BrokenMapError("The mappings of a line are not in order.")
            generated += steps[0]
            has_source, has_name = len(steps) > 1, len(steps) > 4
            if has_source:
                source, line, column = source + steps[1], line + steps[2], column + steps[3]
            if has_name:
                name += steps[4]
            if min(generated, line, column) < 0:
                raise BrokenMapError("A position is negative.")
            if (has_source and not 0 <= source < sources) or (has_name and not 0 <= name < names):
                raise BrokenMapError("A source or a name is missing.")
            found.columns.append(generated)
            found.originals.extend((source if has_source else -1, line, column, name if has_name else -1))
    found.starts.append(len(found.columns))
    return found


def _numbers(segment: str) -> tuple[int, ...]:
    """Return the numbers of a segment, in Base64 VLQ: https://tc39.es/ecma426/#sec-base64-vlq."""
    numbers: list[int] = []
    value = shift = 0
    for character in segment:
        digit = _DIGITS.get(character)
        if digit is None or shift > 30:
            raise BrokenMapError("A mapping is not a list of numbers.")
        value |= (digit & 31) << shift
        shift += 5
        if not digit & 32:
            numbers.append(-(value >> 1) if value & 1 else value >> 1)
            value = shift = 0
    if shift or len(numbers) not in {1, 4, 5}:
        raise BrokenMapError("A mapping is not a list of numbers.")
    return tuple(numbers)
