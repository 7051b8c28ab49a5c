r"""Encodings in which a text may appear: percent-encoding, JSON, HTML and base64.

A text is decoded as a whole, layer by layer, and each position in a layer leads back to the text. So a value is found
whatever part of it is encoded, in whatever mixture: `encodeURI`, JSON within a URL, HTML that is escaped twice.
"""

import base64
import re
from bisect import bisect_right
from dataclasses import dataclass
from html import unescape

LAYERS = 3
"""Maximum number of encodings within each other."""

_ESCAPE = re.compile(
    # A byte of ASCII or a sequence of UTF-8: https://url.spec.whatwg.org/#percent-encoded-bytes.
    r"%(?:[0-7][0-9A-Fa-f]|[C-Fc-f][0-9A-Fa-f](?:%[89ABab][0-9A-Fa-f]){1,3})"
    # JSON and JavaScript, with the pairs above U+FFFF.
    r"|\\(?:u[dD][89abAB][0-9A-Fa-f]{2}\\u[dD][c-fC-F][0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|x[0-9A-Fa-f]{2}|[nrtbf\"'/\\])"
    # HTML: https://html.spec.whatwg.org/multipage/syntax.html#character-references.
    "|&(?:#[0-9]{1,7}|#[xX][0-9A-Fa-f]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});"
)

_CONTROLS = {"n": "\n", "r": "\r", "t": "\t", "b": "\b", "f": "\f"}


def _value(escape: str) -> str:
    match escape[0]:
        case "%":
            return bytes.fromhex(escape.replace("%", "")).decode(errors="replace")
        case "&":
            return unescape(escape)
        case _ if escape[1] in "ux":
            units = [int(each[1:], 16) for each in escape.split("\\")[1:]]
            return b"".join(unit.to_bytes(2) for unit in units).decode("utf-16-be", "replace")
        case _:
            return _CONTROLS.get(escape[1], escape[1])


@dataclass(slots=True)
class Layer:
    """A decoded text, and the place of each escape in it and in the text that it was decoded from."""

    text: str
    starts: list[int]
    """Start of the characters of each escape, in this text."""
    ends: list[int]
    froms: list[int]
    """Start of each escape, in the other text."""
    untils: list[int]

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return the part of the other text that a part of this one comes from."""
        return self._place(start)[0], self._place(end - 1)[1]

    def _place(self, position: int) -> tuple[int, int]:
        last = bisect_right(self.starts, position) - 1
        if last < 0:
            return position, position + 1
        if position < self.ends[last]:
            return self.froms[last], self.untils[last]
        place = self.untils[last] + position - self.ends[last]
        return place, place + 1


def decoded(text: str) -> Layer | None:
    """Return a text with the characters that its escapes stand for, or None if there are no escapes."""
    if "%" not in text and "\\" not in text and "&" not in text:
        return None
    froms: list[int] = []
    untils: list[int] = []
    escapes: list[str] = []
    for found in _ESCAPE.finditer(text):
        froms.append(found.start())
        untils.append(found.end())
        escapes.append(found[0])
    if not escapes:
        return None
    known = {escape: _value(escape) for escape in set(escapes)}
    starts: list[int] = []
    ends: list[int] = []
    parts: list[str] = []
    done = length = 0
    for start, end, escape in zip(froms, untils, escapes, strict=True):
        value = known[escape]
        parts += (text[done:start], value)
        length += start - done
        starts.append(length)
        length += len(value)
        ends.append(length)
        done = end
    parts.append(text[done:])
    return Layer("".join(parts), starts, ends, froms, untils)


def base64_parts(value: str) -> list[str]:
    """Return what base64 of any text with the value in it contains, for each position in a group of three bytes.

    It is in the URL-safe alphabet. The characters at both ends that depend on the text around are left out.
    """
    data = value.encode(errors="surrogatepass")
    return [
        base64.urlsafe_b64encode(bytes(before) + data).decode()[-(-before * 8 // 6) : (before + len(data)) * 8 // 6]
        for before in range(3)
    ]
