"""Wait for a text, an element, a navigation or an idle network."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import trio

from bidi_server.advice import TO_SEE
from bidi_server.bidi.errors import BidiError, ConnectionLostError
from bidi_server.bidi.script import RemoteValue
from bidi_server.browser.actions.near_matches import near_selector
from bidi_server.browser.actions.target import Target, check_context, no_match, raise_if_wrong
from bidi_server.browser.network.requests import Request
from bidi_server.browser.snapshot.frame import Frame, FrameGoneError
from bidi_server.browser.tab.tab import Navigated, Tab
from bidi_server.browser.words import clip
from bidi_server.errors import DeadlineError, ScriptError

TURN = 0.25
"""Seconds for which each round watches the main frame if a page has several; the other frames are only checked."""

NETWORK_IDLE = 0.5
"""Seconds without a request after which the network is idle; the same value as in other tools."""

HANGING = 2.0
"""Seconds after the time at which a page or a frame should have answered until it is considered hung."""


Answers = Sequence[tuple[Frame, RemoteValue | None]]
"""Answers of the frames of a tab, the main frame first."""

ElementState = Literal["visible", "hidden", "enabled", "disabled", "checked", "unchecked"]


async def wait_text(tab: Tab, texts: Sequence[str], *, gone: bool, limit: float) -> None:
    """Wait until one of the texts is in a frame of the page or, with ``gone``, none of them is in any.

    Raises `DeadlineError` after ``limit`` seconds, `DialogOpenError` when a dialog opens.
    """
    if not await _wait(tab, Question("extra.waitForText", {"texts": [*texts], "gone": gone}, gone=gone), limit):
        state = "is still on the page" if gone else "did not appear"
        raise DeadlineError(f"The text {either(texts)} {state} after {limit:g} s.", TO_SEE)


def either(texts: Sequence[str]) -> str:
    """Return texts in words: `'a'`, or `'a' or 'b'`."""
    return " or ".join(repr(clip(text)) for text in texts)


async def wait_state(tab: Tab, target: Target, state: ElementState, limit: float) -> None:
    """Wait until an element is in a state; one that is not there is hidden.

    Raises `DeadlineError` after ``limit`` seconds, `DialogOpenError` when a dialog opens, and `InvalidParametersError`
    for an invalid selector or a ref of another context.
    """
    check_context(tab, target)
    question = Question("extra.waitForState", {"target": target.wire(), "state": state}, gone=state == "hidden")
    if not await wait_element(tab, target.selector, question, limit):
        raise DeadlineError(f"The element with {target} is not {state} after {limit:g} s.", TO_SEE)


async def wait_response(tab: Tab, part: str, since: int, limit: float) -> Request:
    """Wait for a response to a request whose URL contains ``part``, after a cursor of the tab's journal; return it.

    Raises `DeadlineError` after ``limit`` seconds, `DialogOpenError` when a dialog opens.
    """
    with trio.move_on_after(limit), tab.interruptible():
        while True:
            if found := [each for each in tab.requests.all.since(since) if each.is_answered and part in each.url]:
                return found[-1]
            await tab.wait_for_news()
    tab.dialogs.check_none()
    raise DeadlineError(f"No response from a URL with {clip(part)!r} came within {limit:g} s.", TO_SEE)


async def wait_selector(tab: Tab, selector: str, *, visible: bool, limit: float) -> None:
    """Wait until a selector matches an element in one of the frames; with ``visible``, a visible element.

    Raises `DeadlineError` after ``limit`` seconds, `DialogOpenError` when a dialog opens, and `InvalidParametersError`
    for an invalid selector.
    """
    if not await _selector_matches(tab, selector, visible=visible, limit=limit):
        state = "was visible" if visible else "was there"
        similar = await near_selector(tab, selector)
        raise DeadlineError(
            " ".join(filter(None, [f"No element {selector!r} {state} within {limit:g} s.", similar])),
            TO_SEE,
        )


async def _selector_matches(tab: Tab, selector: str, *, visible: bool, limit: float) -> bool:
    """Whether a selector matches an element in one of the frames within ``limit`` seconds."""
    question = Question("extra.waitForSelector", {"selector": selector, "visible": visible})
    return await wait_element(tab, selector, question, limit)


async def wait_element(tab: Tab, selector: str | None, question: "Question", limit: float) -> bool:
    """Wait until the answer to a question about an element is yes; return False after ``limit`` seconds.

    Raises `DialogOpenError` when a dialog opens, and `InvalidParametersError` for an invalid selector.
    """
    try:
        return await _wait(tab, question, limit)
    except ScriptError as error:
        raise_if_wrong(selector, error)
        raise


async def wait_target(tab: Tab, target: Target, limit: float) -> None:
    """Wait until the selector of a target matches an element. A ref is not waited for: its element existed before.

    Raises `ElementNotFoundError` after ``limit`` seconds, `DialogOpenError`, and `InvalidParametersError`.
    """
    if target.selector is not None and not await _selector_matches(tab, target.selector, visible=False, limit=limit):
        raise await no_match(tab, target, limit)


async def wait_navigation(tab: Tab, cursor: int, limit: float) -> None:
    """Wait until the tab has navigated after a cursor of its journal, and the page has loaded.

    Raises `DeadlineError` after ``limit`` seconds, `DialogOpenError` when a dialog opens.
    """
    with trio.move_on_after(limit), tab.interruptible():
        while not tab.journal.grown_since(cursor, Navigated) or tab.context in tab.loading:
            await tab.wait_for_news()
        return
    tab.dialogs.check_none()
    raise DeadlineError(f"No navigation was complete within {limit:g} s.", "", {"timeout": round(limit * 1000)})


async def wait_url(tab: Tab, fits: Callable[[str], bool], wanted: str, limit: float) -> None:
    """Wait until the tab's URL fits, and the page has loaded; ``wanted`` is what an error calls it.

    Raises `DeadlineError` after ``limit`` seconds, `DialogOpenError` when a dialog opens.
    """
    with trio.move_on_after(limit), tab.interruptible():
        while tab.context in tab.loading or not fits(tab.url):
            await tab.wait_for_news()
        return
    tab.dialogs.check_none()
    raise DeadlineError(
        f"The URL did not match {wanted!r} within {limit:g} s: it is {tab.url}.",
        "",
        {"url": tab.url, "timeout": round(limit * 1000)},
    )


async def wait_network_idle(tab: Tab, limit: float) -> None:
    """Wait until no request has been in flight for `NETWORK_IDLE` seconds.

    Raises `DeadlineError` after ``limit`` seconds, naming pending requests, and `DialogOpenError`.
    """
    cursor = 0
    quiet_since = trio.current_time()
    with trio.move_on_after(limit) as deadline, tab.interruptible():
        while True:
            began = tab.journal.grown_since(cursor, Request)
            if began or tab.requests.pending_since(0) or tab.context in tab.loading:
                quiet_since, cursor = trio.current_time(), tab.journal.cursor()
            with trio.move_on_at(quiet_since + NETWORK_IDLE) as quiet:
                await tab.wait_for_news()
            if quiet.cancelled_caught and not tab.requests.pending_since(0) and tab.context not in tab.loading:
                return
    tab.dialogs.check_none()
    if deadline.cancelled_caught:
        pending = ", ".join(clip(f"{request.method} {request.url}") for request in tab.requests.pending_since(0)[:3])
        raise DeadlineError(
            f"The network was not idle within {limit:g} s{f': {pending}' if pending else ''}.",
            "Wait for something else.",
        )


@dataclass(frozen=True, slots=True)
class Question:
    """A function of our script that waits, up to its ``timeout``, until something is true."""

    function: str
    parameters: dict[str, object]
    gone: bool = False
    """Whether it must be true of all frames, and not of one."""


async def _wait(tab: Tab, question: Question, limit: float) -> bool:
    def is_enough(answers: Answers) -> bool:
        held = [
            question.gone and frame is not tab.main if value is None else value.value is True
            for frame, value in answers
        ]
        return all(held) if question.gone else any(held)

    return await ask_frames(tab, question.function, question.parameters, is_enough, limit)


async def ask_frames(
    tab: Tab, function: str, parameters: Mapping[str, object], is_enough: Callable[[Answers], bool], limit: float
) -> bool:
    """Call a function of our script in every frame until ``is_enough`` accepts the answers of all frames.

    The function waits in the page for up to ``timeout`` milliseconds; a frame whose document is replaced meanwhile has
    no answer. Return False after ``limit`` seconds. Raises `DialogOpenError` when a dialog opens, and `ScriptError`.
    """
    end = trio.current_time() + limit
    is_first = True
    hung: set[Frame] = set()
    # The page itself reports the timeout, unless it hangs.
    with trio.move_on_after(limit + HANGING), tab.interruptible():
        while True:
            began = trio.current_time()
            answers = await _round(tab, function, parameters, _turn(tab, end - began, is_first=is_first), hung)
            if is_enough(answers):
                return True
            if trio.current_time() >= end:
                break
            if len(answers) > 1 and not is_first:
                # The main frame answers at once if only another frame is not as it should be.
                with trio.move_on_at(min(began + TURN, end)):
                    await tab.activity.park()
            is_first = False
            await trio.lowlevel.checkpoint()
    tab.dialogs.check_none()
    return False


def _turn(tab: Tab, left: float, *, is_first: bool) -> float:
    """Return the seconds for which a round watches the main frame. The first round only looks if there are others."""
    if len(tab.frames) == 1:
        return max(0.0, left)
    return 0 if is_first else max(0.0, min(left, TURN))


async def _round(tab: Tab, function: str, parameters: Mapping[str, object], turn: float, hung: set[Frame]) -> Answers:
    """Return the answers of all frames; None of one in ``hung``, whose scripts don't end or whose process is gone."""
    frames = list(tab.frames.values())
    answers: dict[Frame, RemoteValue | None] = {}
    errors: list[ScriptError | ConnectionLostError] = []

    async def ask(frame: Frame) -> None:
        timeout = turn * 1000 if frame is tab.main else 0
        patience = math.inf if frame is tab.main else TURN if frame in hung else HANGING
        with trio.move_on_after(patience) as deadline:
            try:
                answers[frame] = await _watch(tab, frame, function, {**parameters, "timeout": timeout})
            except (ScriptError, ConnectionLostError) as error:
                errors.append(error)
        (hung.add if deadline.cancelled_caught else hung.discard)(frame)

    if len(frames) == 1:
        await ask(frames[0])
    else:
        async with trio.open_nursery() as nursery:
            for frame in frames:
                nursery.start_soon(ask, frame)
    if errors:
        raise errors[0]
    return [(frame, answers.get(frame)) for frame in frames]


async def _watch(tab: Tab, frame: Frame, function: str, parameters: Mapping[str, object]) -> RemoteValue | None:
    """Return the frame's answer, or None if its document is replaced meanwhile."""
    try:
        return await frame.call(function, parameters)
    except (FrameGoneError, BidiError):
        # The new document is asked in the next round.
        with trio.move_on_after(TURN):
            await tab.activity.park()
        return None
