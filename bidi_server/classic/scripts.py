"""Scripts for the driver's `execute/sync`, and what they return."""

import json
import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache

from bidi_server.bidi.wire import read_json
from bidi_server.classic.requests import number
from bidi_server.page import page_script
from drivers.json_values import Json, fields, items

MARK = "\u2063"
"""Invisible separator around the kind of a dialog in its text; see page/classic-recorder.js."""

MISSING = "missing"
ELSEWHERE = "elsewhere"
"""Returned by a script in a document without our realm."""

KINDS = {"1": "alert", "2": "confirm", "3": "prompt"}


@dataclass(frozen=True, slots=True)
class Preload:
    """A preload script. Empty ``contexts`` and ``user_contexts`` mean all."""

    id: str
    declaration: str
    arguments: Sequence[object]
    contexts: Sequence[object]
    user_contexts: Sequence[object]
    sandbox: str


@dataclass(frozen=True, slots=True)
class State:
    """What a document has answered."""

    stamp: str
    """Identifies the document."""
    number: int
    """Number of answers of the document up to this one."""
    url: str
    parsed: bool
    loaded: bool
    leaving: str
    """The URL that the document is being left for, or about:blank if it is unknown; "" if it is not being left."""
    first: int
    """Number of events before these."""
    events: Sequence[Json]
    """Events that the document has not been told to forget. Two answers may have the same ones."""
    frames: Sequence[int]
    """Numbers of the child frames."""
    dirty: Sequence[int]
    """Numbers of the child frames that have loaded a document."""
    response: Json
    """The document's response, with the keys of a note of the recorder. A status of 0 is unknown."""
    outcome: Json = field(default_factory=dict[str, object])
    """Result, exception or error of a call."""


TIME = (
    "setTimeout",
    "clearTimeout",
    "setInterval",
    "clearInterval",
    "requestAnimationFrame",
    "cancelAnimationFrame",
    "cancelIdleCallback",
    "performance",
    "Date",
)
"""Names that keep the browser's own values in a sandbox. Pages, and our clock, may replace the values in the page."""


@cache
def name() -> str:
    """Return the name under which documents keep our realm: other servers and pages cannot guess it."""
    return f"_{secrets.token_hex(12)}"


def in_realm(expression: str, context: str, *, heard: tuple[str, int] = ("", 0), adopt: bool = False) -> str:
    """Return a script whose value is an expression that uses the realm as ``$realm``.

    The value is `MISSING` without a realm, and `ELSEWHERE` in the realm of another browsing context. A realm that was
    there before its context was known gets it, with ``adopt``; otherwise it is missing, too. ``heard`` has the stamp
    of a document, and the number of its events that were heard.
    """
    find = f"const $realm = window[{json.dumps(name())}], $context = {json.dumps(context)};"
    unknown = "$realm.context = $context" if adopt else f"return '{MISSING}'"
    noted = f"$realm.heard({json.dumps(heard[0])}, {heard[1]});" if heard[1] else ""
    return " ".join(
        [
            find,
            f"if (!$realm || $realm.document !== document) return '{MISSING}';",
            f"if (!$realm.context) {unknown};",
            f"if ($realm.context !== $context) return '{ELSEWHERE}';",
            noted,
            f"return {expression};",
        ]
    )


def call(description: Mapping[str, object], code: str) -> str:
    """Return the expression that calls a function, or evaluates an expression, in the realm.

    A page's Content Security Policy does not apply to the text of a script of the driver, only to `eval` in it.
    """
    body = _body(code, str(description.get("sandbox") or ""))
    return f"$realm.call({json.dumps(json.dumps(description))}, {body})"


def _body(code: str, sandbox: str) -> str:
    """Return a function with the value of the code, in which some names have other values than in the page."""
    names = ["globalThis", "__bidi", "requestIdleCallback", *(TIME if sandbox else ())]
    return f"function({{{', '.join(names)}}}) {{ return (\n{code}\n); }}"


def evaluated(expression: str) -> str:
    """Return code for statements, which no expression can hold. A Content Security Policy can forbid it."""
    return f"(0, eval)({json.dumps(expression)})"


def install(stamp: str, context: str, preloads: Iterable[Preload], *, tells_requests: bool) -> str:
    """Return the script that makes the realm in a document, and runs the preload scripts that did not run there.

    With ``tells_requests`` the document reports its requests, too.
    """
    return "\n".join(
        [
            *_made(json.dumps(stamp), tells_requests=tells_requests),
            f"$realm.context ||= {json.dumps(context)};",
            *map(_run, preloads),
            "try { $realm.noteHandlers(); } catch {}",
        ]
    )


def bootstrap(preloads: Iterable[Preload]) -> str:
    """Return the script that makes the realm in a document, and runs the preload scripts, before those of the page."""
    numbers = "[...crypto.getRandomValues(new Uint8Array(16))]"
    stamp = f"{numbers}.map((byte) => byte.toString(16).padStart(2, '0')).join('')"
    return "\n".join(["(() => {", *_made(stamp, tells_requests=False), *map(_run, preloads), "})();"])


def _made(stamp: str, *, tells_requests: bool) -> list[str]:
    given = f"{json.dumps(MARK)}, {json.dumps(tells_requests)}"
    return [
        f"const $name = {json.dumps(name())};",
        "let $realm = window[$name];",
        "if (!$realm || $realm.document !== document) {",
        f"const $record = $realm?.record ?? ({page_script('classic-recorder')})({given});",
        f"$realm = ({page_script('classic')})({stamp}, '');",
        "Object.defineProperty(window, $name, {value: $realm, configurable: true});",
        "$realm.record = $record;",
        "$record($realm);",
        "}",
    ]


def _run(preload: Preload) -> str:
    given = json.dumps(json.dumps({"id": preload.id, "arguments": list(preload.arguments), "sandbox": preload.sandbox}))
    return f"$realm.run({given}, {_body(preload.declaration, preload.sandbox)});"


def parse(value: object) -> State | None:
    """Return the state in the value of a script; None if it is no answer of the realm, but of a dialog."""
    if not isinstance(value, str):
        return None
    told = fields(read_json(value))
    return State(
        stamp=str(told.get("stamp")),
        number=int(number(told.get("number"))),
        url=str(told.get("url")),
        parsed=told.get("parsed") is True,
        loaded=told.get("loaded") is True,
        leaving=str(told.get("leaving", "")),
        first=int(number(told.get("first"))),
        events=[fields(event) for event in items(told.get("events"))],
        frames=[each for each in items(told.get("frames")) if isinstance(each, int)],
        dirty=[each for each in items(told.get("dirty")) if isinstance(each, int)],
        response={"status": told.get("status")},
        outcome={key: told[key] for key in ("result", "exception", "error", "message") if key in told},
    )


def dialog_of(text: str) -> tuple[str, str, str]:
    """Return the kind, the message and the default of a dialog from its text.

    A dialog that opens before the recorder is in the document has no mark. It counts as a confirmation, which is
    answered in every way that an alert is.
    """
    if text.startswith(MARK) and text[1:2] in KINDS:
        initially, mark, message = text[2:].partition(MARK)
        if mark:
            return KINDS[text[1]], message, initially
    return "confirm", text, ""
