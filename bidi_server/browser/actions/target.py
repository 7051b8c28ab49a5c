"""Finding the element for a ref or a selector, and the errors if there is none or it is not actionable."""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

from bidi_server.advice import TO_SEE, Advice, Operation
from bidi_server.bidi.errors import BidiError
from bidi_server.browser.actions.near_matches import near, near_selector, sentence
from bidi_server.browser.actions.obstacles import not_actionable
from bidi_server.browser.origin import origin_of
from bidi_server.browser.snapshot.frame import Frame, FrameGoneError
from bidi_server.browser.snapshot.model import Row, Snapshot
from bidi_server.browser.snapshot.take import take_snapshot
from bidi_server.browser.tab.tab import Located, Tab
from bidi_server.browser.words import address, clip, describe, in_single_quotes
from bidi_server.errors import (
    ElementChangedError,
    ElementNotFoundError,
    InvalidParametersError,
    ScriptError,
)
from bidi_server.page.api import Changed, Choice, Description, Obstacle, OfElement
from bidi_server.secret.text import SecretText, refused
from drivers.json_values import fields

R = TypeVar("R", bound=OfElement)
R_co = TypeVar("R_co", bound=OfElement, covariant=True)

_REF = re.compile(r"(?:(?P<context>[^:]+):)?(?P<ref>e[0-9a-z]{4,6})")


def is_ref(text: str) -> bool:
    """Whether a text has the form of a ref, with or without a context."""
    return bool(_REF.fullmatch(text))


_REF_AS_SELECTOR = re.compile(rf"\s*(?:aria-ref=|\[(?:aria-)?ref=)[\"']?({_REF.pattern})[\"']?\]?\s*")
"""Refs in the notation of other tools and of the snapshot."""

_WRONG = re.compile(r"'(?P<part>.*)' is not a valid selector(?:: (?P<advice>.*))?", re.DOTALL)
"""Matches the message of page/src/act/selector-error.js."""


@dataclass(frozen=True, slots=True)
class Target:
    """The element that a call names, by a ref of the snapshot or by a selector.

    ``label`` is the agent's own name for the element. ``context`` is the name of the context, which precedes the ref if
    there are several contexts. ``shows_refs`` is False for an agent whose tools take no refs. ``secret`` is a text that
    is to be entered into the element, if that is bound to origins.
    """

    ref: str | None = None
    selector: str | None = None
    label: str | None = None
    context: str | None = None
    shows_refs: bool = True
    secret: SecretText | None = None

    @classmethod
    def parse(cls, ref: str | None, selector: str | None, label: str | None = None) -> "Target":
        """Create a target from a call's parameters. Raises `InvalidParametersError` if they are malformed."""
        if selector and not ref and (match := _REF_AS_SELECTOR.fullmatch(selector)):
            ref, selector = match[1], None
        if ref and not selector:
            match = _REF.fullmatch(ref.strip().removeprefix("[ref=").removesuffix("]"))
            if match is None:
                raise InvalidParametersError(
                    f"{clip(ref)!r} is not a ref: a ref is e and 4 to 6 letters or digits, such as e1a2b.",
                    Advice.of("Take one from ", Operation.SNAPSHOT, ", or pass selector."),
                )
            return cls(ref=match["ref"], label=label, context=match["context"])
        if selector and not ref:
            return cls(selector=selector, label=label)
        raise InvalidParametersError(
            "Name the element by ref or by selector, one of the two.", 'Refs are in the snapshot: {"ref": "e1a2b"}.'
        )

    @classmethod
    def of(cls, given: str) -> "Target":
        """Create a target from a ref or a selector. No element has a tag name of the form of a ref."""
        return cls.parse(given, None) if is_ref(given.strip()) else cls.parse(None, given)

    def __str__(self) -> str:
        return f"ref {self.ref}" if self.ref else f"selector {self.selector!r}"

    def taking(self, text: object) -> "Target":
        """Return the target for a text that is to be entered into it."""
        return replace(self, secret=text) if isinstance(text, SecretText) and text.origins is not None else self

    def wire(self) -> dict[str, object]:
        """Return the target as our script in the page takes it."""
        wire: dict[str, object] = {"ref": self.ref} if self.ref else {"selector": self.selector}
        if self.secret is not None:
            wire["bound"] = {"origins": self.secret.origins}
        return wire


@dataclass(frozen=True, slots=True)
class Found:
    """An element of a page: its frame, and its description by our script.

    ``note`` is a remark for the answer, such as that the element has changed. ``shows_refs`` is that of its target.
    """

    frame: Frame
    info: Description
    note: str
    shows_refs: bool

    def __str__(self) -> str:
        return describe(self.info)


@dataclass(frozen=True, slots=True)
class Asked(Found, Generic[R_co]):
    """An element that a function of our script was called with, and the function's answer."""

    answer: R_co


async def on_element(tab: Tab, target: Target, kind: type[R], function: str, *arguments: object) -> Asked[R]:
    """Call one of the ``act`` functions of our script in the page with the element; ``kind`` is its answer.

    Raises `ElementNotFoundError`, `ElementChangedError` if the element differs from what the agent saw,
    `ElementNotActionableError` if the element does not allow it, and `InvalidParametersError` if the selector does not
    parse or the ref is in a context that is not the active one.
    """
    return unblocked(await try_element(tab, target, kind, function, *arguments))


async def try_element(
    tab: Tab, target: Target, kind: type[R], function: str, *arguments: object
) -> Asked[R | Obstacle]:
    """Do the same as `on_element`, but return an obstacle as the function's answer."""
    check_context(tab, target)
    expected = tab.view.row(target.ref)
    wire = target.wire()
    if expected is not None:
        wire["was"] = {"role": expected.role, "name": expected.name}
    call = _Call(kind, function, (wire, *arguments), target, tab)
    for frame in _frames(tab, target):
        if (answer := await call.ask(frame)) is not None:
            return _checked(tab, target, frame, answer, expected)
    if target.ref is None:
        raise await no_match(tab, target)
    # The document may be a new one that contains the element too: refs are hashes of an element's identity.
    snapshot = await take_snapshot(tab)
    frame = snapshot.frames.get(target.ref)
    answer = await call.ask(frame) if frame else None
    if frame is None or answer is None:
        raise _gone(tab, target, expected, snapshot)
    return _checked(tab, target, frame, answer, expected)


def check_context(tab: Tab, target: Target) -> None:
    """Raise `InvalidParametersError` if a ref is in another context than that of the tab."""
    if target.context not in {None, tab.shared.name, *tab.shared.others}:
        there = ", ".join(map(repr, [tab.shared.name, *tab.shared.others]))
        raise InvalidParametersError(
            f"{target} is in the context {target.context!r}, which does not exist.", f"There are: {there}."
        )
    if target.context not in {None, tab.shared.name}:
        raise InvalidParametersError(
            f"{target} is in the context {target.context!r}, and {tab.shared.name!r} is the active one.",
            Advice.of("Call ", Operation.CONTEXT_SWITCH, f' with {{"name": "{target.context}"}} first.'),
        )


def _frames(tab: Tab, target: Target) -> list[Frame]:
    """Return the frames to search: the frame that the ref came from, or all frames, the main frame first."""
    seen = tab.view.seen
    known = seen.frames.get(target.ref or "") if seen else None
    if known is not None and known.context in tab.frames:
        return [known]
    return [tab.main, *(frame for frame in tab.frames.values() if frame is not tab.main)]


@dataclass(frozen=True, slots=True)
class _Call(Generic[R]):
    """A call of one of our functions with an element."""

    kind: type[R]
    function: str
    arguments: tuple[object, ...]
    target: Target
    tab: Tab

    async def ask(self, frame: Frame) -> R | Obstacle | Changed | None:
        """Return the answer of a frame, or None if the element is not there."""
        arguments = self.arguments
        secret = self.target.secret
        if secret is not None and not is_within(self.tab, frame, secret.origins or ()):
            nowhere: dict[str, object] = {**fields(arguments[0]), "bound": {"origins": ()}}
            arguments = (nowhere, *arguments[1:])
        try:
            result = await frame.call_json(self.function, *arguments)
        except ScriptError as error:
            raise_if_wrong(self.target.selector, error)
            raise
        except (FrameGoneError, BidiError):
            if frame.parent is None:
                raise
            return None
        return answer_of(self.kind, result)


def answer_of(kind: type[R], result: Mapping[str, object]) -> R | Obstacle | Changed | None:
    """Return the typed answer about an element; None if the element is not there."""
    if "missing" in result:
        return None
    if result.get("changed") == "significant":
        return Changed.model_validate(result)
    return (Obstacle if "blocked" in result else kind).model_validate(result)


def _checked(
    tab: Tab, target: Target, frame: Frame, answer: R | Obstacle | Changed, expected: Row | None
) -> Asked[R | Obstacle]:
    info = answer.element.copy()
    if target.secret is not None and isinstance(answer, Obstacle) and answer.blocked == "not-for-secret":
        raise refused(target.secret.names, target.secret.origins or (), _place(tab, frame, info, answer.kind))
    if isinstance(answer, Changed):
        was = (expected.role, expected.name) if expected is not None else ("", "")
        before, now = (f"{role} {in_single_quotes(name)}" for role, name in (was, (info["role"], info["name"])))
        raise ElementChangedError(
            f"Element changed since snapshot. Was: {before}, Now: {now}.",
            "Take a new snapshot to get current element state.",
        )
    if not target.shows_refs:
        info["ref"] = ""
        if isinstance(answer, Obstacle) and answer.cover is not None:
            answer = answer.model_copy(update={"cover": {**answer.cover, "ref": ""}})
    elif info["ref"]:
        info["ref"] = f"{tab.shared.ref_prefix}{info['ref']}"
    note_located(tab, frame, target, info)
    note = _note(answer.choice) if answer.choice is not None else ""
    if answer.changed == "minor":
        note = "Note: Element may have changed. Using current state."
    return Asked(frame, info, note, target.shows_refs, answer)


def is_within(tab: Tab, frame: Frame, origins: Collection[str]) -> bool:
    """Whether all frames that a frame is in, the tab among them, are of these origins."""
    while frame.parent is not None:
        outer = tab.frames.get(frame.parent)
        if outer is None or origin_of(outer.url) not in origins:
            return False
        frame = outer
    return True


def _place(tab: Tab, frame: Frame, info: Description, kind: str) -> str:
    """Return where a secret was not entered."""
    if kind == "form":
        return f"in {describe(info)}: its form is sent to another origin"
    here = origin_of(frame.url) or address(frame.url)
    top = origin_of(tab.main.url) or address(tab.main.url)
    return f"in {describe(info)} of {here}" + (f" within {top}" if frame is not tab.main else "")


def note_located(tab: Tab, frame: Frame, target: Target, info: Description) -> None:
    """Add an element that was found to the tab's journal, for the step of a plan."""
    tab.journal.add(Located(target.ref or target.selector or "", info, tuple(_frame_urls(tab, frame))))


def _frame_urls(tab: Tab, frame: Frame) -> list[str]:
    """Return the URLs of a frame and of the frames that it is in, outermost first, without the main frame."""
    urls: list[str] = []
    inner: Frame | None = frame
    while inner is not None and inner.parent is not None:
        urls.insert(0, inner.url)
        inner = tab.frames.get(inner.parent)
    return urls


def _note(choice: Choice) -> str:
    """Return the note about the match that was chosen from several matches of a selector."""
    if choice.clickable:
        return f"It is match {choice.place} of {choice.all}, the first that can be clicked."
    return f"It is the first of {choice.all} matches."


def raise_if_wrong(selector: str | None, error: ScriptError) -> None:
    """Raise `InvalidParametersError` if a script error reports an invalid selector."""
    wrong = _WRONG.search(error.message)
    if selector is not None and wrong is not None:
        raise InvalidParametersError(
            f"{wrong['part']!r} is not a selector.",
            wrong["advice"] or Advice.of("Correct it, or use a ref from ", Operation.SNAPSHOT, "."),
        ) from error


async def no_match(tab: Tab, target: Target, waited: float | None = None) -> ElementNotFoundError:
    """Return the error for a selector without a match, with the most similar elements of the page.

    ``waited`` is the time that the caller has waited for a match, in seconds.
    """
    selector = target.selector or ""
    details: dict[str, object] = {"selector": selector}
    if waited is not None:
        details["timeout"] = round(waited * 1000)
    message = f"No element matches the {target}{f' after {waited:g} s' if waited else ''}."
    if match := _REF.fullmatch(selector.strip()):
        return ElementNotFoundError(message, f'It is a ref: pass {{"ref": "{match[0]}"}}.', details)
    if similar := await near_selector(tab, selector, shows_refs=target.shows_refs):
        return ElementNotFoundError(f"{message} {similar}", "", details)
    advice = TO_SEE
    if waited is None:
        advice = Advice.of("Take a ", Operation.SNAPSHOT, " and use a ref, or wait for it: ", Operation.WAIT_FOR, ".")
    return ElementNotFoundError(message, advice, details)


def unknown_ref(target: Target, *details: str) -> ElementNotFoundError:
    """Return the error for a ref without an element; ``details`` are further sentences."""
    return _no_such_element(f"There is no element with {target}.", *details)


def _no_such_element(*sentences: str) -> ElementNotFoundError:
    return ElementNotFoundError(" ".join(filter(None, sentences)), "Take a new snapshot to see current page state.")


def _gone(tab: Tab, target: Target, expected: Row | None, snapshot: Snapshot) -> ElementNotFoundError:
    name = expected.name if expected else target.label or ""
    role = expected.role if expected else ""
    what = f"Element {in_single_quotes(f'{clip(name)} {role}'.rstrip())}" if name else "The element"
    which = f" (ref: {target.ref})" if target.shows_refs else ""
    similar = sentence(tab, near(role, name, snapshot), shows_refs=target.shows_refs)
    return _no_such_element(f"{what}{which} no longer exists.", similar) if expected else unknown_ref(target, similar)


def unblocked(found: Asked[R | Obstacle]) -> Asked[R]:
    """Return the element. Raises `ElementNotActionableError` if the answer is an obstacle."""
    if isinstance(found.answer, Obstacle):
        raise not_actionable(found.info, found.answer)
    return Asked(found.frame, found.info, found.note, found.shows_refs, found.answer)
