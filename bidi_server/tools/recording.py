"""Steps of a plan from the calls of a session."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import trio

from bidi_server.browser.actions.target import is_ref
from bidi_server.browser.console.messages import Message
from bidi_server.browser.network.requests import Request
from bidi_server.browser.settling.effects import Effects
from bidi_server.browser.snapshot.model import Snapshot
from bidi_server.browser.tab.tab import Located, Opened, Tab
from bidi_server.browser.words import clip, literal
from bidi_server.escapes import one_line
from bidi_server.plan.faults import ConsoleError, FailedRequest
from bidi_server.plan.model import Caused, Element, Locator, Step
from drivers.json_values import is_array, is_object

TYPED = ("text", "value")
"""Parameters whose value goes into the element of the same call or field."""


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
    tool: str,
    arguments: Mapping[str, object],
    start: Start,
    tab: Tab | None,
    effects: Effects[object] | None,
    secrets: Sequence[str] = (),
) -> Step:
    """Return the step for a call that succeeded. ``tab`` is the tab that it worked on, and ``effects`` its effects.

    ``secrets`` are the names of those that stand as ``{{NAME}}`` in its arguments already.
    """
    found: dict[str, Located] = {}
    if tab is not None:
        since = start.cursor if tab is start.tab else 0
        found = {each.target: each for each in tab.journal.since(since, Located)}
    call = _Call(found, start.seen, is_check=tool.startswith("browser_verify_"), secrets=list(secrets))
    kept = call.keep(arguments)
    return Step(
        tool=tool,
        arguments=kept,
        elements=call.elements,
        url=tab.url if tab is not None else "",
        title=_title(tab, effects),
        caused=_caused(effects),
        seconds=round(trio.current_time() - start.time, 3),
        secrets=tuple(dict.fromkeys(call.secrets)),
    )


def _title(tab: Tab | None, effects: Effects[object] | None) -> str:
    if effects is not None and effects.snapshot is not None:
        return effects.snapshot.title
    return tab.title if tab is not None else ""


@dataclass(frozen=True, slots=True)
class _Call:
    """The elements and secrets of a call."""

    located: Mapping[str, Located]
    """The elements that it found, by ref or selector."""
    seen: Snapshot | None
    """What the agent saw of the page before."""
    is_check: bool
    """Whether it verifies the page. Its selectors stay: another one may hold where that of the agent does not."""
    elements: dict[str, Element] = field(default_factory=dict[str, Element])
    secrets: list[str] = field(default_factory=list[str])

    def keep(self, arguments: Mapping[str, object], path: str = "") -> dict[str, object]:
        """Return the arguments without those that name elements, which go into `elements`, and without passwords."""
        kept = dict(arguments)
        for start, name, value in _targets(arguments):
            # A selector whose matches are counted stands for all of them, not for one element.
            element = self._element(value) if "count" not in arguments else None
            if element is None:
                continue  # not for an element that the call acts on
            selector = f"{start}Selector" if start else "selector"
            self.elements[f"{path}{selector}"] = element
            kept.pop(f"{start}Element" if start else "element", None)
            if not self.is_check or is_ref(value.strip()):
                kept.pop(name)
                kept.pop(selector, None)
            if element.type == "password":
                self._hide(kept, _secret_name(element.name))
        for name, value in kept.items():
            if is_array(value):
                kept[name] = [
                    self.keep(each, f"{path}{name}.{index}.") if is_object(each) else each
                    for index, each in enumerate(value)
                ]
        if is_array(masks := kept.get("mask")):
            kept["mask"] = [self._selector(str(each)) for each in masks]
        return kept

    def _selector(self, target: str) -> str:
        """Return a selector for an element that is only looked at."""
        element = self._element(target) if is_ref(target) else None
        return element.locators[0].selector if element is not None and element.locators else target

    def _hide(self, arguments: dict[str, object], secret: str) -> None:
        for each in TYPED:
            value = arguments.get(each)
            if isinstance(value, str) and not any(f"{{{{{name}" in value for name in self.secrets):
                self.secrets.append(secret)
                arguments[each] = f"{{{{{secret}}}}}"

    def _element(self, value: str) -> Element | None:
        """Return the element that a ref or a selector named; None if that is not known."""
        target = value.strip().rpartition(":")[2] if is_ref(value.strip()) else value
        found = self.located.get(target)
        if found is not None:
            return self._located(found, target)
        row = self.seen.by_ref.get(target) if self.seen is not None else None
        if row is None:
            return None
        by_role = f"getByRole({literal(row.role)}, {{ name: {literal(row.name)}, exact: true }})"
        locators = self._with_role(row.role, row.name, target, Locator("role", by_role, 1))
        return Element(row.role, row.name, "", locators=tuple(locators))

    def _located(self, found: Located, target: str) -> Element:
        info = found.info
        locators = [Locator(each["kind"], each["selector"], each["matches"]) for each in info.get("locators", [])]
        if locators and locators[0].kind == "role":
            ref = info["ref"].rpartition(":")[2]
            locators = self._with_role(info["role"], info["name"], ref, locators[0], *locators[1:])
        if not is_ref(target) and not any(each.selector == target for each in locators):
            locators.append(Locator("selector", target, 1))
        kind = str(info["props"].get("type") or "")
        return Element(info["role"], info["name"], info["tag"], kind, tuple(locators), found.frame)

    def _with_role(self, role: str, name: str, ref: str, by_role: Locator, *others: Locator) -> list[Locator]:
        """Return the locators, the one by role last if there are others that it matches in the last snapshot."""
        is_named = "name:" in by_role.selector
        every = self.seen.rows if self.seen is not None else []
        rows = [row for row in every if row.role == role and (row.name == name or not is_named)]
        if len(rows) <= 1:
            return [replace(by_role, matches=1), *others]
        place = next((index for index, row in enumerate(rows) if row.ref == ref), None)
        return [*others, *([] if place is None else [Locator("role", f"{by_role.selector}.nth({place})", 1)])]


def _targets(arguments: Mapping[str, object]) -> Iterator[tuple[str, str, str]]:
    """Yield the arguments that may name elements: what stands before "Ref" or "Selector", the name, and the value."""
    for name, value in arguments.items():
        match = re.fullmatch(r"(.*?)(?:[rR]ef|[sS]elector)", name)
        if match and isinstance(value, str) and value:
            yield match[1], name, value


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
            _console_error(each) for each in effects.of(Message) if each.level == "error" and not each.is_browsers_own
        ),
        failed_requests=tuple(each for each in map(_failed, effects.of(Request)) if each and not each.is_for_icon),
        closed=effects.closed,
    )


def _console_error(message: Message) -> ConsoleError:
    return ConsoleError(one_line(clip(message.headline(), 200)), one_line(clip(message.url, 300)), message.line)


def _failed(request: Request) -> FailedRequest | None:
    if not request.has_failed:
        return None
    result = one_line(clip(request.failure or str(request.status), 200))
    return FailedRequest(one_line(request.method), one_line(clip(request.url, 300)), result)
