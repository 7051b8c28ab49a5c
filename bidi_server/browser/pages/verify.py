"""Verify conditions on the page and its elements: wait until they are true, or say what is there instead."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Literal

import trio

from bidi_server.advice import TO_SEE
from bidi_server.bidi.wire import read_json
from bidi_server.browser.actions.near_matches import near_selector
from bidi_server.browser.actions.target import Target, check_context, note_located, raise_if_wrong, unknown_ref
from bidi_server.browser.console.messages import Message
from bidi_server.browser.network.requests import Request
from bidi_server.browser.pages.wait import Answers, ask_frames
from bidi_server.browser.pattern import Pattern
from bidi_server.browser.snapshot.frame import Frame
from bidi_server.browser.snapshot.take import take_snapshot
from bidi_server.browser.tab.tab import Tab
from bidi_server.browser.words import address, clip, counted, describe, literal
from bidi_server.errors import ScriptError, VerificationError
from bidi_server.escapes import quote
from bidi_server.page.api import Fact, Verified
from bidi_server.plan.faults import is_icon

MAX_LISTED = 10
"""Maximum number of texts of a list in an error message."""

MAX_FAILURES = 3
"""Maximum number of console errors or failed requests in an error message."""

CHECKBOXES = frozenset({"checkbox", "radio"})
"""Kinds of controls whose value is whether they are checked."""

Conditions = Mapping[str, object]
"""Conditions by name, as page/src/act/verify.js takes them."""


@dataclass(frozen=True, slots=True)
class Attribute:
    """An attribute of an element; without a ``value`` it only has to be there."""

    name: str
    value: str | None = None


@dataclass(frozen=True, slots=True)
class ElementConditions:
    """Conditions on one element; None for those that do not matter."""

    visible: bool | None = None
    checked: bool | Literal["mixed"] | None = None
    enabled: bool | None = None
    selected: bool | None = None
    expanded: bool | None = None
    editable: bool | None = None
    focused: bool | None = None
    count: int | None = None
    """Number of elements that match the selector."""
    attribute: Attribute | None = None
    text: str | None = None
    """Part of the text that it shows."""
    value: str | None = None

    def wire(self) -> dict[str, object]:
        """Return the conditions that matter as our script in the page takes them."""
        return {name: value for name, value in asdict(self).items() if value is not None}


@dataclass(frozen=True, slots=True)
class PageConditions:
    """Conditions on the page; those on the console and on requests are about the time since the last navigation."""

    url: str | None = None
    """Part of the URL, or a glob of the whole."""
    title: str | None = None
    """Part of the title."""
    no_console_errors: bool = False
    no_failed_requests: bool = False


async def verify_element_visible(tab: Tab, role: str, name: str, limit: float) -> str:
    """Wait until an element of a role and a part of an accessible name is visible; return a sentence about it.

    Raises `VerificationError` after ``limit`` seconds, and `DialogOpenError`.
    """
    selector = f"getByRole({_literal(role)}, {{ name: {_literal(name)} }})" if name else f"getByRole({_literal(role)})"
    found = await _ask(tab, Target(selector=selector), {"visible": True}, limit)
    if found.holds:
        return f"{found} is visible."
    named = f"{clip(role)} {quote(clip(name))}" if name else clip(role)
    state = f"{found} is there, but it is not visible." if found.answer.element is not None else "It is not there."
    raise await _failure(tab, [f"{named} is visible"], state, limit, selector if found.answer.element is None else None)


async def verify_text_visible(tab: Tab, text: str, limit: float) -> str:
    """Wait until an element shows a text, in any case; return a sentence about it.

    Raises `VerificationError` after ``limit`` seconds, and `DialogOpenError`.
    """
    wanted = f"the text {quote(clip(text))} is visible"
    found = await _ask(tab, None, {"shows": text}, limit)
    if found.holds:
        return f"{_begun(wanted)}."
    hidden = found.answer.matches
    state = f"It is in {counted(hidden, 'hidden element')} only." if hidden else "It is not there."
    raise await _failure(tab, [wanted], state, limit, None if hidden else f"getByText({_literal(text)})")


async def verify_list_visible(tab: Tab, target: Target, items: Sequence[str], limit: float) -> str:
    """Wait until an element shows all texts, in any order; return a sentence about it.

    Raises `VerificationError` after ``limit`` seconds, `ElementNotFoundError` for a ref without an element, and
    `DialogOpenError`.
    """
    found = await _ask(tab, target, {"items": [*items]}, limit)
    if found.answer.element is None:
        raise await _missing(tab, target, ["the list is visible"], limit)
    if found.holds:
        return f"{found} shows {_listed(items)}."
    missing = next(fact.actual for fact in found.answer.facts)
    lacks = f"It lacks {_listed(missing if isinstance(missing, list) else items)}."
    shows = f"It shows {_listed(found.answer.items)}." if found.answer.items else "It shows no items."
    raise await _failure(tab, [f"{found} shows {_listed(items)}"], f"{lacks} {shows}", limit)


async def verify_element(tab: Tab, target: Target, conditions: ElementConditions, limit: float) -> list[str]:
    """Wait until all conditions hold for an element; return a sentence about each.

    Raises `VerificationError` after ``limit`` seconds, `ElementNotFoundError` for a ref without an element,
    `InvalidParametersError` for an invalid selector, and `DialogOpenError`.
    """
    asked = conditions.wire()
    found = await _ask(tab, target, asked, limit)
    subject = str(found) if found.answer.element is not None else f"the element with {target}"
    wanted = {name: _sentence(name, conditions, subject, target) for name in asked}
    if found.holds:
        return [f"{_begun(sentence)}." for sentence in wanted.values()]
    if found.answer.element is None and not {"count", "visible"}.issuperset(asked):
        raise await _missing(tab, target, list(wanted.values()), limit)
    failed = [fact for fact in found.answer.facts if not fact.holds]
    said = [f"{wanted[fact.condition]} ({_actual(fact)})" for fact in failed]
    gone = found.answer.element is None and "visible" in asked
    raise await _failure(tab, said, "", limit, target.selector if gone else None)


async def verify_page(tab: Tab, conditions: PageConditions, limit: float, began: float | None = None) -> list[str]:
    """Wait until the URL and the title are as they should be, then look for errors; return a sentence about each.

    ``began`` is the start of the verification, if this is its second part. Raises `VerificationError`
    ``limit`` seconds later, and `DialogOpenError`.
    """
    end = (trio.current_time() if began is None else began) + limit
    wanted: list[str] = []
    failed: list[str] = []

    def add(sentence: str, actual: str) -> None:
        (failed if actual else wanted).append(f"{sentence} ({actual})" if actual else f"{sentence}.")

    if conditions.url is not None:
        holds = await _url_fits(tab, conditions.url, max(0.0, end - trio.current_time()))
        add(f"the URL matches {quote(clip(conditions.url))}", "" if holds else f"it is {address(tab.url)}")
    if conditions.title is not None:
        title = await _ask(tab, None, {"title": conditions.title}, max(0.0, end - trio.current_time()))
        actual = next((str(fact.actual) for fact in title.answer.facts), "")
        add(
            f"the title contains {quote(clip(conditions.title))}", "" if title.holds else f"it is {quote(clip(actual))}"
        )
    if conditions.no_console_errors:
        errors = [each for each in tab.console.messages.since(tab.page_start) if each.level == "error"]
        add("the console has no errors", _errors(errors))
    if conditions.no_failed_requests:
        requests = [
            each for each in tab.requests.all.since(tab.page_start) if each.has_failed and not is_icon(each.url)
        ]
        add("no request has failed", _requests(requests))
    if failed:
        raise await _failure(tab, failed, "", limit)
    return [_begun(each) for each in wanted]


@dataclass(slots=True)
class _Asked:
    """The last answers of the frames of a tab."""

    tab: Tab
    target: Target | None
    conditions: Conditions
    holds: bool = False
    answer: Verified = field(default_factory=lambda: Verified(holds=False, matches=0, element=None, facts=[], items=[]))
    is_answered: bool = False
    frame: Frame | None = None
    """The frame of the answer."""

    def __str__(self) -> str:
        info = self.answer.element
        if info is None:
            return "the element"
        info = info.copy()
        if info["ref"]:
            info["ref"] = f"{self.tab.shared.ref_prefix}{info['ref']}"
        return describe(info)

    def take(self, answers: Answers) -> bool:
        """Take the answers of all frames. Return whether nothing has to be waited for any more."""
        given = [
            (frame, Verified.model_validate(read_json(str(value.value))))
            for frame, value in answers
            if value is not None and (frame is self.tab.main or "title" not in self.conditions)
        ]
        if not given:
            return False
        self.is_answered = True
        self.frame, self.answer = self._best(given)
        self.holds = self.answer.holds
        is_gone = self.target is not None and self.target.ref is not None and self.answer.element is None
        return self.holds or is_gone

    def _best(self, given: Sequence[tuple[Frame, Verified]]) -> tuple[Frame, Verified]:
        """Return the answer that counts, and its frame: about an element, that of the first frame that has it."""
        if self.target is None or self.conditions == {"visible": True}:
            frame, best = next((each for each in given if each[1].holds), None) or _first_with_element(given)
        else:
            frame, best = _first_with_element(given)
        matches = sum(each.matches for _, each in given)
        update: dict[str, object] = {"matches": matches}
        if "count" in self.conditions:
            facts = [_counted(fact, matches, self.conditions["count"]) for fact in best.facts]
            update |= {"facts": facts, "holds": all(fact.holds for fact in facts)}
        return frame, best.model_copy(update=update)

    def locate(self) -> None:
        """Add the element to the tab's journal, for the step of a plan."""
        if self.target is not None and self.frame is not None and self.answer.element is not None:
            note_located(self.tab, self.frame, self.target, self.answer.element)


def _first_with_element(given: Sequence[tuple[Frame, Verified]]) -> tuple[Frame, Verified]:
    return next((each for each in given if each[1].element is not None), given[0])


def _counted(fact: Fact, matches: int, wanted: object) -> Fact:
    """Return a fact; for that of the count, with the number of the matches in all frames."""
    if fact.condition != "count":
        return fact
    return Fact(condition="count", holds=matches == wanted, actual=matches)


async def _ask(tab: Tab, target: Target | None, conditions: Conditions, limit: float) -> _Asked:
    """Wait until conditions hold. Raises `ElementNotFoundError` for a ref without an element."""
    if target is not None:
        check_context(tab, target)
    asked = _Asked(tab, target, conditions)
    question = {"target": target.wire() if target else None, "conditions": conditions}
    end = trio.current_time() + limit
    await _wait(asked, question, limit)
    if target is not None and target.ref is not None and asked.answer.element is None:
        # The document may be a new one that contains the element too: refs are hashes of an element's identity.
        await take_snapshot(tab)
        await _wait(asked, question, max(0.0, end - trio.current_time()))
        if asked.answer.element is None:
            raise unknown_ref(target)
    asked.locate()
    return asked


async def _wait(asked: _Asked, question: Mapping[str, object], limit: float) -> None:
    target = asked.target
    try:
        await ask_frames(asked.tab, "extra.verify", question, asked.take, limit)
    except ScriptError as error:
        raise_if_wrong(target.selector if target else None, error)
        raise
    if not asked.is_answered:
        raise await asked.tab.unresponsive(limit)


async def _url_fits(tab: Tab, wanted: str, limit: float) -> bool:
    """Wait until the tab's URL contains a text or matches a glob. Raises `DialogOpenError`."""
    glob = Pattern.of_glob(wanted) if "*" in wanted else None

    def fits() -> bool:
        return wanted in tab.url or (glob is not None and glob.found_in(tab.url))

    with trio.move_on_after(limit), tab.interruptible():
        while not fits() or tab.context in tab.loading:
            await tab.wait_for_news()
    tab.dialogs.check_none()
    return fits()


async def _missing(tab: Tab, target: Target, wanted: Sequence[str], limit: float) -> VerificationError:
    return await _failure(tab, wanted, f"No element matches the {target}.", limit, target.selector)


async def _failure(
    tab: Tab, wanted: Sequence[str], state: str, limit: float, selector: str | None = None
) -> VerificationError:
    """Return the error for conditions that are not true, with the elements that resemble a selector without a match."""
    similar = await near_selector(tab, selector) if selector else ""
    message = " ".join(filter(None, [f"Not true after {limit:g} s: {'; '.join(wanted)}.", state, similar]))
    return VerificationError(message, "" if similar else TO_SEE, {"timeout": round(limit * 1000)})


_STATES = {
    "visible": ("is visible", "is not visible"),
    "checked": ("is checked", "is not checked"),
    "enabled": ("is enabled", "is disabled"),
    "selected": ("is selected", "is not selected"),
    "expanded": ("is expanded", "is collapsed"),
    "editable": ("is editable", "is not editable"),
    "focused": ("has the focus", "does not have the focus"),
}
"""Words for a state of an element that is true, and for one that is false."""


def _state(name: str, value: object) -> str:
    return "is partly checked" if value == "mixed" else _STATES[name][0 if value else 1]


def _sentence(name: str, conditions: ElementConditions, subject: str, target: Target) -> str:
    """Return a condition on an element as a sentence without its full stop."""
    attribute, count = conditions.attribute, conditions.count
    match name:
        case "attribute" if attribute is not None:
            value = "" if attribute.value is None else f"={quote(clip(attribute.value))}"
            return f"{subject} has the attribute {clip(attribute.name)}{value}"
        case "count" if count is not None:
            return f"{counted(count, 'element')} {'matches' if count == 1 else 'match'} the {target}"
        case "value":
            return f"{subject} has the value {quote(clip(conditions.value or ''))}"
        case "text":
            return f"{subject} contains the text {quote(clip(conditions.text or ''))}"
        case _:
            return f"{subject} {_state(name, getattr(conditions, name))}"


def _actual(fact: Fact) -> str:
    """Return what is there instead."""
    match fact.condition, fact.actual:
        case "attribute", None:
            return "it has no such attribute"
        case "value", None:
            return "it has no value"
        case "attribute" | "value", actual:
            return f"it is {quote(clip(str(actual)))}"
        case "text", actual:
            return f"it contains {quote(clip(str(actual)))}"
        case "count", actual:
            return f"there {'is' if actual == 1 else 'are'} {actual}"
        case _, None:
            return "it has no such state"
        case name, actual:
            return f"it {_state(name, actual)}"


def _begun(sentence: str) -> str:
    """Return a sentence with a capital letter, unless it begins with a role."""
    return f"{sentence[0].upper()}{sentence[1:]}" if sentence.startswith(("the ", "no ")) else sentence


def _listed(texts: Sequence[str]) -> str:
    """Return the first texts in quotes, and the number of the others."""
    named = ", ".join(quote(clip(text)) for text in texts[:MAX_LISTED])
    return f"{named} and {len(texts) - MAX_LISTED} more" if len(texts) > MAX_LISTED else named


def _errors(errors: Sequence[Message]) -> str:
    """Return the number of console errors, and the first ones; "" if there are none."""
    first = ", ".join(quote(clip(each.headline())) for each in errors[:MAX_FAILURES])
    return f"it has {len(errors)}: {first}" if errors else ""


def _requests(requests: Sequence[Request]) -> str:
    """Return the number of failed requests, and the first ones; "" if there are none."""
    first = ", ".join(f"{each.method} {address(each.url)}: {_reason(each)}" for each in requests[:MAX_FAILURES])
    return f"{len(requests)} {'has' if len(requests) == 1 else 'have'}: {first}" if requests else ""


def _reason(request: Request) -> str:
    return request.status_line if request.status >= 400 else clip(request.failure)


def _literal(text: str) -> str:
    """Return a text for a locator, on one line, as names and texts are compared."""
    return literal(" ".join(text.split()))
