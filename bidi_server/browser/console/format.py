"""Format values of a page as in a developer console: ``{userId: 123, tags: ["a", "b"]}``."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping

from bidi_server.bidi.script import RemoteValue
from bidi_server.bidi.values import CIRCULAR, CUT, as_mapping, from_remote
from drivers.json_values import fields, is_array, items

MAX_ITEMS = 30
"""Maximum number of items of an array or object in the short form."""

MAX_REPEATED = 1000
"""Maximum length of an object that is written in full again when it occurs again, in characters."""

_IDENTIFIER = re.compile(r"[A-Za-z_$][\w$]*")
_INTEGER = re.compile(r"\s*([+-]?\d+)")
_FLOAT = re.compile(r"\s*([+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)", re.IGNORECASE)
_SPECIFIER = re.compile(r"%([sdifoOcj%])")

Raw = Mapping[str, object]

REST: Raw = {"type": CUT}
"""Last item of an array or object that is cut off."""


def message_text(args: list[RemoteValue], errors: Mapping[int, list[str]], *, short: bool) -> str:
    """Return the arguments of a console method as text, with ``%s`` and other specifiers replaced.

    ``errors`` has, by index of an argument, the text of the error that it is, or of the errors among its properties,
    because the protocol leaves these texts out.
    https://console.spec.whatwg.org/#formatter
    """
    inspector = _Inspector(MAX_ITEMS if short else None)
    values = [as_mapping(arg) for arg in args]
    rest = iter([(value, errors.get(index, [])) for index, value in enumerate(values)])
    parts: list[str] = []
    if values and values[0].get("type") == "string" and "%" in str(values[0].get("value")):
        next(rest)

        def replace(found: re.Match[str]) -> str:
            if found[1] == "%":
                return "%"
            value = next(rest, None)
            if value is None:
                return found[0]
            return "" if found[1] == "c" else _specified(found[1], *value, inspector)

        parts.append(_SPECIFIER.sub(replace, str(values[0].get("value"))))
    parts += [inspector.top(*value) for value in rest]
    return " ".join(parts)


def _specified(letter: str, value: Raw, errors: list[str], inspector: "_Inspector") -> str:
    if letter not in "dif":
        return inspector.top(value, errors)
    is_number = value.get("type") in {"number", "bigint", "string"}
    found = (_FLOAT if letter == "f" else _INTEGER).match(str(value.get("value"))) if is_number else None
    return found[1] if found else "NaN"


class _Inspector:
    """Formatter for one message. It remembers objects, because the browser serialises each of them only once."""

    def __init__(self, most: int | None) -> None:
        self._most = most
        self._errors: Iterator[str] = iter(())
        self._depth = 0
        self._written: dict[object, str] = {}

    def top(self, value: Raw, errors: Iterable[str] = ()) -> str:
        """Return an argument as text; a string is returned unchanged."""
        self._errors = iter(errors)
        return str(value.get("value")) if value.get("type") == "string" else self._show(value)

    def _show(self, raw: Raw) -> str:
        kind, value = str(raw.get("type")), raw.get("value")
        match kind:
            case "string":
                return json.dumps(value, ensure_ascii=False)
            case "undefined" | "null":
                return kind
            case "boolean":
                return "true" if value else "false"
            case "number":
                return str(value)
            case "bigint":
                return f"{value}n"
            case "array" | "set" | "nodelist" | "htmlcollection" | "object" | "map":
                return self._container(kind, raw)
            case "error":
                return next(self._errors, "Error") if self._depth <= 1 else "Error"
            case _:
                return str(from_remote(raw))

    def _container(self, kind: str, raw: Raw) -> str:
        internal_id, value = raw.get("internalId"), raw.get("value")
        if not is_array(value):
            empty = f"[{CUT}]" if kind == "array" else f"{{{CUT}}}"
            return empty if internal_id is None else self._written.get(internal_id, empty)
        if internal_id is not None:
            self._written[internal_id] = CIRCULAR
        shown = value[: self._most]
        self._depth += 1
        inner = ", ".join(self._item(kind, item) for item in shown)
        self._depth -= 1
        if len(shown) < len(value):
            inner += f", {CUT}"
        opened, closed = ("[", "]") if kind in {"array", "nodelist", "htmlcollection"} else ("{", "}")
        prefix = {"map": f"Map({len(value)}) ", "set": f"Set({len(value)}) "}.get(kind, "")
        text = f"{prefix}{opened}{inner}{closed}"
        if internal_id is not None:
            self._written[internal_id] = text if len(text) <= MAX_REPEATED else f"{opened}{CUT} as before{closed}"
        return text

    def _item(self, kind: str, item: object) -> str:
        if kind not in {"object", "map"} or item is REST:
            return self._show(fields(item))
        key, value = items(item)
        if kind == "map":
            name = json.dumps(key, ensure_ascii=False) if isinstance(key, str) else self._show(fields(key))
            return f"{name} => {self._show(fields(value))}"
        name = str(key)
        quoted = name if _IDENTIFIER.fullmatch(name) else json.dumps(name, ensure_ascii=False)
        return f"{quoted}: {self._show(fields(value))}"
