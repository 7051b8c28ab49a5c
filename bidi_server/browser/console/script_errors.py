"""Exceptions of the agent's JavaScript: their text and their position in the script."""

import re
import secrets
from collections.abc import Iterator
from dataclasses import dataclass

from bidi_server.bidi.script import RemoteValue
from bidi_server.browser.console.format import message_text
from bidi_server.errors import ScriptError
from bidi_server.escapes import quote
from drivers.json_values import objects

MAX_TEXT = 500
"""Maximum length of the text of an exception, in characters."""

MAX_FRAMES = 5
"""Maximum number of functions of the stack in an error."""

MAX_STACK = 20_000
"""Maximum number of characters of the stack that are parsed."""

_MARK = f"thrown {secrets.token_hex(8)}"

_STACK = (
    "(($of) => ($of?.line >= 0 && !$of.sourceURL ? `@:${{$of.line}}:${{$of.column}}\\n` : '')"
    " + String($of?.stack ?? ''))"
)
"""Format string of a function that returns the stack of a value.

The stack of WebKitGTK 2.50 has no positions in scripts of the driver; the error has the position of the innermost one.
"""

THROWN = (
    f"['{_MARK}', $bidiError, (() => {{{{ try {{{{ return String($bidiError); }}}} catch {{{{ return ''; }}}} }}}})(),"
    f" {_STACK}($bidiError), {_STACK}(new Error())]"
)
"""Format string of an expression that represents ``$bidiError``. It is on the line after the script's last one."""

# A frame is "at name (url:1:2)" or "at url:1:2" in Chromium, "name@url:1:2" in Firefox.
# Each part can match in one way only, because the page controls the text of the stack.
_FRAME = re.compile(r"^(?:[ \t]*at (?:async )?(?:([^(\n]*) \()?|([^@\n]*)@)(.*):(\d+):(\d+)\)?$", re.MULTILINE)
_OURS = re.compile(r"\$bidi|callFunction$")
_LINE_END = re.compile(r"\r\n|[\n\r\u2028\u2029]")


@dataclass(frozen=True, slots=True)
class _Frame:
    name: str
    url: str
    line: int
    column: int


def raise_if_thrown(value: RemoteValue, script: str) -> None:
    """Raise `ScriptError` if the value represents an exception of the script."""
    told = objects(value.value) if value.type == "array" else []
    if not told or told[0].get("value") != _MARK:
        return
    text, stack, here = (str(item.get("value")) for item in told[2:])
    frames = list(_frames(stack.removeprefix(text)[:MAX_STACK]))
    place: dict[str, object] = {}
    if (position := _position(frames, next(_frames(here), None), script)) is not None:
        place = {"line": position[0], "column": position[1]}
    if names := [frame.name for frame in frames if frame.name and not _OURS.match(frame.name)][:MAX_FRAMES]:
        place["stack"] = names
    said = [f"{key} {place[key]}" for key in ("line", "column") if key in place]
    said += [f"in {', '.join(names)}"] if names else []
    where = f" ({', '.join(said)})" if said else ""
    shown = _shown(RemoteValue.model_validate(told[1]), text)
    raise ScriptError(f"The script threw {quote(shown)}{where}.", "Fix the script and try again.", place)


def _position(frames: list[_Frame], ours: _Frame | None, script: str) -> tuple[int, int] | None:
    """Return line and column, from 1, of the script's innermost frame; ``ours`` is a frame on the line after it."""
    if ours is None:
        return None
    lines = _LINE_END.split(script)
    for frame in frames:
        line = frame.line - ours.line + len(lines)
        # In Firefox, frames of the page's own scripts have the same URL.
        if frame.url == ours.url and 0 <= line < len(lines) and frame.column <= len(lines[line]) + 1:
            return line + 1, frame.column
    return None


def _shown(thrown: RemoteValue, text: str) -> str:
    """Return the thrown value as its own text, or as a console shows it."""
    if not text or text.startswith("[object ") or thrown.type in {"array", "map", "set", "function"}:
        text = message_text([thrown], {}, short=True)
    return text if len(text) <= MAX_TEXT else f"{text[:MAX_TEXT]}…"


def _frames(stack: str) -> Iterator[_Frame]:
    for v8, gecko, url, line, column in _FRAME.findall(stack):
        yield _Frame(v8 or gecko.rpartition("*")[2], url, int(line), int(column))
