"""Steps of a plan from the calls of a session."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import trio

from bidi_server.browser.actions.target import is_ref
from bidi_server.browser.console.messages import Message
from bidi_server.browser.network.requests import Request
from bidi_server.browser.settling.effects import Effects
from bidi_server.browser.snapshot.model import Snapshot
from bidi_server.browser.tab.tab import Located, Opened, Tab
from bidi_server.browser.words import clip
from bidi_server.escapes import one_line
from bidi_server.page.api import Description
from bidi_server.plan.model import Caused, Element, Locator, Step
from drivers.json_values import is_array, is_object

REF = re.compile(r"(?P<start>|.*?)[rR]ef")
"""Names of parameters that take a ref: ``ref``, ``startRef``."""

TYPED = ("text", "value")
"""Parameters whose value goes into the element of the same call or field."""

FAILED_STATUS = 400
"""Lowest HTTP status of a failed request."""


@dataclass(frozen=True, slots=True)
class Start:
    """The moment before a call."""

    tab: Tab | None
    cursor: int
    time: float
    seen: Snapshot | None
    """What the agent saw of the page last."""

    @classmethod
    def now(cls, tab: Tab | None) -> "Start":
        """Return the current moment."""
        if tab is None:
            return cls(None, 0, trio.current_time(), None)
        return cls(tab, tab.journal.cursor(), trio.current_time(), tab.view.seen)


def recorded(
    tool: str, arguments: Mapping[str, object], start: Start, tab: Tab | None, effects: Effects[object] | None
) -> Step:
    """Return the step for a call that succeeded. ``tab`` is the tab that it worked on, and ``effects`` its effects."""
    located: dict[str, Located] = {}
    if tab is not None:
        since = start.cursor if tab is start.tab else 0
        located = {each.target: each for each in tab.journal.since(since, Located)}
    elements: dict[str, Element] = {}
    secrets: dict[str, str] = {}
    kept = _kept(arguments, "", located, start.seen, elements, secrets)
    return Step(
        tool=tool,
        arguments=kept,
        elements=elements,
        url=tab.url if tab is not None else "",
        title=_title(tab, effects),
        caused=_caused(effects),
        seconds=round(trio.current_time() - start.time, 3),
        secrets=tuple(secrets),
    )


def _title(tab: Tab | None, effects: Effects[object] | None) -> str:
    if effects is not None and effects.snapshot is not None:
        return effects.snapshot.title
    return tab.title if tab is not None else ""


def _kept(
    arguments: Mapping[str, object],
    path: str,
    located: Mapping[str, Located],
    seen: Snapshot | None,
    elements: dict[str, Element],
    secrets: dict[str, str],
) -> dict[str, object]:
    """Return the arguments without those that name elements, which go into ``elements``, and without passwords."""
    kept = dict(arguments)
    for start, name in _targets(arguments):
        target = str(arguments[name]).strip().rpartition(":")[2] if REF.fullmatch(name) else str(arguments[name])
        # A selector whose matches are counted stands for all of them, not for one element.
        found = located.get(target) if "count" not in arguments else None
        if found is None:
            continue  # an argument that is not for an element that the call acts on
        selector = f"{start}Selector" if start else "selector"
        elements[f"{path}{selector}"] = _element(found, target, seen)
        for each in (name, selector, "element" if not start else f"{start}Element"):
            kept.pop(each, None)
        if found.info["props"].get("type") == "password":
            for each in TYPED:
                if isinstance(kept.get(each), str):
                    secrets[secret := _secret_name(found.info["name"])] = ""
                    kept[each] = f"{{{{{secret}}}}}"
    for name, value in kept.items():
        if is_array(value):
            kept[name] = [
                _kept(each, f"{path}{name}.{index}.", located, seen, elements, secrets) if is_object(each) else each
                for index, each in enumerate(value)
            ]
    return kept


def _targets(arguments: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    """Yield the arguments that may name elements, each with what stands before "Ref" or "Selector" in its name."""
    for name, value in arguments.items():
        match = re.fullmatch(r"(.*?)(?:[rR]ef|[sS]elector)", name)
        if match and isinstance(value, str) and value:
            yield match[1], name


def _element(found: Located, target: str, seen: Snapshot | None) -> Element:
    info = found.info
    locators = [Locator(each["kind"], each["selector"], each["matches"]) for each in info.get("locators", [])]
    if locators and locators[0].kind == "role":
        locators = _with_role(locators, info, seen)
    if not any(each.selector == target for each in locators) and not is_ref(target):
        locators.append(Locator("selector", target, 1))
    kind = str(info["props"].get("type") or "")
    return Element(info["role"], info["name"], info["tag"], kind, tuple(locators), found.frame)


def _with_role(locators: Sequence[Locator], info: Description, seen: Snapshot | None) -> list[Locator]:
    """Return the locators with the number of matches by role and name, which the last snapshot shows."""
    by_role, *others = locators
    rows = (
        [row for row in seen.rows if row.role == info["role"] and row.name == info["name"]] if seen is not None else []
    )
    if len(rows) <= 1:
        return [replace(by_role, matches=1), *others]
    ref = info["ref"].rpartition(":")[2]
    place = next((index for index, row in enumerate(rows) if row.ref == ref), None)
    if place is None:
        return others
    return [*others, Locator("role", f"{by_role.selector}.nth({place})", 1)]


def _secret_name(name: str) -> str:
    """Return the name of the environment variable for a password field: ``Your password`` is YOUR_PASSWORD."""
    return re.sub(r"[^A-Z0-9]+", "_", name.upper()).strip("_") or "PASSWORD"


def _caused(effects: Effects[object] | None) -> Caused:
    if effects is None:
        return Caused()
    dialog = effects.dialog
    return Caused(
        navigated=bool(effects.navigated),
        dialog=one_line(f"{dialog.kind}: {dialog.message}") if dialog is not None else "",
        tabs=len(effects.of(Opened)),
        downloads=tuple(download.name for download in effects.downloads),
        console_errors=tuple(
            one_line(clip(message.headline(), 200)) for message in effects.of(Message) if message.level == "error"
        ),
        failed_requests=tuple(failed_request(each) for each in effects.of(Request) if is_failed(each)),
        closed=effects.closed,
    )


def is_failed(request: Request) -> bool:
    """Whether a request has failed, or was answered with an error."""
    return bool(request.failure) or request.status >= FAILED_STATUS


def failed_request(request: Request) -> str:
    """Return method, URL and result of a failed request."""
    return one_line(f"{request.method} {clip(request.url, 300)} → {request.failure or request.status}")
