r"""Encodings in which a text may appear: percent-encoding, JSON, HTML and base64.

A text is decoded as a whole, layer by layer, and each position in a layer leads back to the text. So a value is found
whatever part of it is encoded, in whatever mixture: `encodeURI`, JSON within a URL, HTML that is escaped twice.
"""

import base64
import re
from bisect import bisect_right
from dataclasses import dataclass, field
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
    starts: list[int] = field(default_factory=list[int])
    """Start of the character of each escape, in this text."""
    ends: list[int] = field(default_factory=list[int])
    spans: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    """Start and end of the escape, in the other text."""

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return the part of the other text that a part of this one comes from."""
        return self._place(start)[0], self._place(end - 1)[1]

    def _place(self, position: int) -> tuple[int, int]:
        last = bisect_right(self.starts, position) - 1
        if last < 0:
            return position, position + 1
        if position < self.ends[last]:
            return self.spans[last]
        place = self.spans[last][1] + position - self.ends[last]
        return place, place + 1


def decoded(text: str) -> Layer | None:
    """Return a text with the characters that its escapes stand for, or None if there are no escapes."""
    if "%" not in text and "\\" not in text and "&" not in text:
        return None
    layer, parts = Layer(""), list[str]()
    known: dict[str, str] = {}
    done = length = 0
    for found in _ESCAPE.finditer(text):
        start, end = found.span()
        escape = found[0]
        value = known.get(escape)
        if value is None:
            value = known[escape] = _value(escape)
        length += start - done
        parts += (text[done:start], value)
        layer.starts.append(length)
        length += len(value)
        layer.ends.append(length)
        layer.spans.append((start, end))
        done = end
    if not parts:
        return None
    layer.text = "".join((*parts, text[done:]))
    return layer


def base64_parts(value: str) -> list[str]:
    """Return what base64 of any text with the value in it contains, for each position in a group of three bytes.

    It is in the URL-safe alphabet. The characters at both ends that depend on the text around are left out.
    """
    data = value.encode(errors="surrogatepass")
    return [
        base64.urlsafe_b64encode(bytes(before) + data).decode()[-(-before * 8 // 6) : (before + len(data)) * 8 // 6]
        for before in range(3)
    ]
