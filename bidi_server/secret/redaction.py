"""Redaction: the values of secrets in everything that leaves the server are replaced by ``{{NAME}}``.

The values are those of the whole process. Nothing more is imported before one is known.
"""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from bidi_server.secret.encodings import Layer

    Forms = Sequence[tuple[str, str]]

SHORTEST = 4
"""Minimum length of a secret, and of a part of one that is cut off, in characters: less is found by chance anywhere."""

FOLDED = 8
"""Minimum length of a secret that is found in upper and lower case too, as in the name of a host."""

CUT = "…"
"""Mark of a text that was cut off."""

_PICTURES = {".png": b"\x89PNG", ".jpg": b"\xff\xd8\xff", ".jpeg": b"\xff\xd8\xff", ".webp": b"RIFF", ".pdf": b"%PDF"}
"""Endings of files that are no text, and how such files begin. What they show is masked before they are made."""


class Redactor:
    """The values to replace. A value that is known stays known: a page may show it much later."""

    def __init__(self) -> None:
        self._lock = threading.Lock()  # values are read in other threads
        self._known: dict[str, tuple[str, float]] = {}
        """Names by value, and the time to forget it, of `time.monotonic`."""
        self._finder: _Finder | None = None
        self.is_used = False
        """Whether there may be values later."""

    def learn(self, value: str, name: str, seconds: float = float("inf")) -> None:
        """Add a value, for some seconds."""
        with self._lock:
            if value not in self._known:
                self._finder = None
            self._known[value] = (name, time.monotonic() + seconds)

    def forget(self) -> None:
        """Remove all values."""
        with self._lock:
            self._known.clear()
            self._finder = None

    @property
    def values(self) -> list[str]:
        """The values that are known."""
        return list(self._known)

    def redact(self, text: str) -> str:
        """Return a text with ``{{NAME}}`` for each value in it, in any usual encoding."""
        if not self._known or len(text) < SHORTEST:
            return text
        return self._current().redact(text)

    def _current(self) -> _Finder:
        now = time.monotonic()
        with self._lock:
            for value in [value for value, (_, until) in self._known.items() if until < now]:
                del self._known[value]
                self._finder = None
            if self._finder is None:
                self._finder = _Finder({value: name for value, (name, _) in self._known.items()})
            return self._finder


class _Finder:
    """Finds values in any usual encoding."""

    def __init__(self, names: dict[str, str]) -> None:
        from bidi_server.secret.encodings import LAYERS, base64_parts, decoded

        self._layers, self._decoded = LAYERS, decoded
        folded: dict[str, str] = {}
        exact: dict[str, str] = {}
        encoded: dict[str, str] = {}
        for value, name in names.items():
            label = f"{{{{{name}}}}}"
            forms = [value]
            while len(forms) <= LAYERS and (layer := decoded(forms[-1])) is not None and len(layer.text) >= SHORTEST:
                forms.append(layer.text)  # a value with an escape in it, where the text around it is decoded
            forms += [form.replace(" ", "+") for form in forms]
            if len(value) >= FOLDED:
                folded.update({_folded(form): label for form in forms})
            else:
                exact.update(dict.fromkeys(forms, label))
            encoded.update({part: label for part in base64_parts(value) if len(part) >= SHORTEST})
        self._folded, self._exact, self._encoded = list(folded.items()), list(exact.items()), list(encoded.items())
        every = (*folded.items(), *exact.items(), *encoded.items())
        self._cuts = _Cuts([(_url_safe(_folded(form)), label) for form, label in every])

    def redact(self, text: str) -> str:
        spans: list[tuple[int, int, str]] = []
        layers: list[Layer] = []
        current = text
        while True:
            for start, end, label in self._found(current):
                place = start, end
                for layer in reversed(layers):
                    place = layer.span(*place)
                spans.append((*place, label))
            layer = self._decoded(current) if len(layers) < self._layers else None
            if layer is None:
                return _replaced(text, spans)
            layers.append(layer)
            current = layer.text

    def _found(self, text: str) -> Iterator[tuple[int, int, str]]:
        folded = _folded(text)
        yield from _all(folded, self._folded)
        yield from _all(text, self._exact)
        yield from _all(_url_safe(text), self._encoded)
        if CUT in text:
            yield from self._cuts.found(_url_safe(folded))


class _Cuts:
    """Finds the beginning of a value before a mark of `CUT`, and the end of one after it."""

    def __init__(self, forms: Forms) -> None:
        self._beginnings: dict[str, list[tuple[str, int, str]]] = {}
        self._ends: dict[str, list[tuple[str, int, str]]] = {}
        for form, label in forms:
            for at in range(SHORTEST, len(form)):
                self._beginnings.setdefault(form[at - SHORTEST : at], []).append((form, at, label))
            for at in range(1, len(form) - SHORTEST + 1):
                self._ends.setdefault(form[at : at + SHORTEST], []).append((form, at, label))

    def found(self, text: str) -> Iterator[tuple[int, int, str]]:
        at = text.find(CUT)
        while at >= 0:
            for form, length, label in self._beginnings.get(text[max(at - SHORTEST, 0) : at], ()):
                if text.endswith(form[:length], 0, at):
                    yield at - length, at, label
            after = at + len(CUT)
            for form, start, label in self._ends.get(text[after : after + SHORTEST], ()):
                if text.startswith(form[start:], after):
                    yield after, after + len(form) - start, label
            at = text.find(CUT, after)


def _url_safe(text: str) -> str:
    """Return a text with the URL-safe alphabet of base64."""
    return text.replace("+", "-").replace("/", "_")  # 20 times faster than `str.translate` for a megabyte


def _folded(text: str) -> str:
    """Return a text of the same length in lower case."""
    lower = text.lower()
    return (
        lower if len(lower) == len(text) else "".join(each if len(each.lower()) > 1 else each.lower() for each in text)
    )


def _all(text: str, forms: Forms) -> Iterator[tuple[int, int, str]]:
    for form, label in forms:
        at = text.find(form)
        while at >= 0:
            yield at, at + len(form), label
            at = text.find(form, at + len(form))


def _replaced(text: str, spans: Iterable[tuple[int, int, str]]) -> str:
    """Return a text with labels in place of its parts; of parts that overlap, the first and longest gives the label."""
    parts: list[str] = []
    done = 0
    for start, end, label in sorted(spans, key=lambda span: (span[0], -span[1])):
        if start >= done:
            parts += (text[done:start], label)
        done = max(done, end)
    return "".join((*parts, text[done:])) if parts else text


def visible_forms(values: Sequence[str]) -> list[str]:
    """Return what pages may show of values: them, and them in a URL or in base64."""
    if not values:
        return []
    from urllib.parse import quote, quote_plus

    from bidi_server.secret.encodings import base64_parts

    forms = [form for value in values for form in (value, quote(value, safe=""), quote(value), quote_plus(value))]
    return list(dict.fromkeys([*forms, *(part for value in values for part in base64_parts(value))]))


REDACTOR = Redactor()
"""The redactor of the process."""


def redact(text: str) -> str:
    """Return a text with ``{{NAME}}`` for each value of a secret in it, in any usual encoding."""
    return REDACTOR.redact(text)


def redact_file(data: bytes, name: str) -> bytes:
    """Return the content of a file without values of secrets. Pictures and PDFs stay as they are."""
    ending = name[name.rfind(".") :].lower() if "." in name else ""
    if not REDACTOR.values or (ending in _PICTURES and data.startswith(_PICTURES[ending])):
        return data
    return redact(data.decode(errors="surrogateescape")).encode(errors="surrogateescape")


class LinesRedactor:
    """Redacts a long text part by part, each up to the end of a line."""

    def __init__(self) -> None:
        self._held = b""

    def feed(self, part: bytes) -> bytes:
        """Return the whole lines so far that were not returned before."""
        lines, end, self._held = (self._held + part).rpartition(b"\n")
        return redact_file(lines + end, "")

    def finish(self) -> bytes:
        """Return what is left."""
        return redact_file(self._held, "")
