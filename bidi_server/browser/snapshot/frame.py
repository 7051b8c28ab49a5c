"""A frame: a browsing context, with our JavaScript in a sandbox realm of its document."""

import json
import secrets
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

import trio

from bidi_server.bidi.connection import Connection, Sent
from bidi_server.bidi.errors import BidiError, NoSuchFrameError
from bidi_server.bidi.script import (
    AddPreloadScript,
    CallFunction,
    ContextTarget,
    Evaluate,
    EvaluateResult,
    LocalValue,
    RemoteValue,
    SerializationOptions,
    SharedReference,
)
from bidi_server.bidi.values import shared_id_of, to_local
from bidi_server.bidi.wire import read_json
from bidi_server.errors import ScriptError
from bidi_server.page import bundle, page_script
from bidi_server.page.api import Answer
from drivers.json_values import fields

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Generator, Sequence

    from bidi_server.config import HiddenText

SANDBOX = "bidi-server"
"""Name of the sandbox. The page cannot see it; it sees the page's DOM without the scripts' changes to DOM objects."""

PROMPT = 0.5
"""Timeout for a document that is not busy to answer, in seconds."""

_FLAT = SerializationOptions(max_dom_depth=0, include_shadow_tree="all")

_MISSING = "missing: no walker in this realm"


A = TypeVar("A", bound=Answer)


def read_answer(kind: type[A], text: str | bytes) -> A:
    """Parse the JSON text that one of our functions returned."""
    return kind.model_validate(read_json(text))


class FrameGoneError(Exception):
    """The frame's document was replaced or removed before it answered. Ask the new document."""


def preloads(*, compiles_anew: bool, tells_late: bool, shares_focus: bool) -> list[AddPreloadScript]:
    """Return the preload scripts: the walker for our sandbox, and the recorder of listeners for the page's realm.

    ``compiles_anew`` means that the browser compiles them in each document, and ``tells_late`` that it reports requests
    late, so that the recorder keeps their URLs. Where it ``shares_focus``, pages do not hear of other sessions' turns.
    """
    secret = secrets.token_hex(8)
    also = "early?.keepFocus();" if shares_focus else ""
    walker = f"() => {{ const early = {bundle(as_text=compiles_anew)}; early?.askBy('{secret}'); {also} }}"
    return [
        AddPreloadScript(function_declaration=walker, sandbox=SANDBOX),
        AddPreloadScript(
            function_declaration=f"() => {{ ({page_script('listen')})('{secret}', {str(tells_late).lower()}); }}"
        ),
    ]


class Question:
    """A question to a document, sent right behind a command, whether the document is about to navigate.

    The answer counts only if it arrives after the reply to the command.
    """

    def __init__(self, frame: "Frame") -> None:
        self.was_asked = False
        self._frame = frame
        self._sent: Sent[EvaluateResult] | None = None

    def ask(self) -> None:
        """Ask now, and drop any earlier question."""
        self.forget()
        self.was_asked = True
        self._sent = self._frame.connection.post(_own_function(self._frame.context, "isLeaving"))

    def drop_unless_after(self, command: Sent[EvaluateResult]) -> None:
        """Drop the question unless the reply to the command arrived before the answer to the question."""
        if self._sent is not None and not command.was_answered_before(self._sent):
            self.forget()

    def forget(self) -> None:
        """Stop waiting for the answer."""
        sent, self._sent = self._sent, None
        if sent is not None:
            sent.forget()

    async def is_denied(self) -> bool:
        """Whether the question was asked and the answer is no. Raises `FrameGoneError`."""
        if self._sent is None:
            return False
        result = (await self._frame.answer_of(self._sent)).result
        return result is not None and result.value is False


@dataclass(frozen=True, slots=True)
class FrameOptions:
    """How our script works in a frame."""

    packs: bool = False
    """Whether it compresses long answers."""
    test_id: str = ""
    """The attribute that ``getByTestId`` searches; "" for the usual ones."""
    hidden_text: "HiddenText" = "mark"
    """What a snapshot does with text that people don't see."""


class Frame:
    """A browsing context. ``parent`` is None for the main frame of a tab."""

    def __init__(
        self, connection: Connection, context: str, parent: str | None, url: str, options: FrameOptions
    ) -> None:
        self.connection = connection
        self.context = context
        self.parent = parent
        self.url = url
        self.options = options
        self.forbidden = ""
        """URL of its document if that must not be opened. The document is about to be replaced, and counts as gone."""
        self.prefix = ""
        """Prefix of the refs of this frame, which makes them unique: its path among the frames of the page."""
        self.suspects = ""
        """The walker's id for the elements that it suspected of closed shadow roots and that we have examined."""

    async def call(self, function: str, *arguments: object, nodes: "Sequence[SharedReference]" = ()) -> RemoteValue:
        """Call one of our own functions, such as ``walk`` or ``act.ready``, in the sandbox realm.

        The arguments must be serialisable as JSON; the nodes follow them. Raises `FrameGoneError` when the document is
        replaced or removed meanwhile, and `ScriptError`.
        """
        command = _own_function(self.context, function, arguments, nodes, self.options.test_id)
        result = await self._send(command)
        if result.result is not None and result.result.value == _MISSING:
            await self._evaluate(f"void {bundle()}")
            result = await self._send(command)
        if result.result is None:
            # Our functions throw only for invalid input, such as a selector that does not parse.
            details = result.exception_details
            raise ScriptError(details.text if details else f"{function} failed in the page.")
        return result.result

    async def call_json(self, function: str, *arguments: object) -> dict[str, object]:
        """Call one of our functions that returns a JSON object."""
        value = (await self.call(function, *arguments)).value
        return fields(read_json(str(value)))

    async def ask(self, kind: type[A], function: str, *arguments: object) -> A:
        """Call one of our functions that has an answer of its own, such as ``settle``."""
        return read_answer(kind, str((await self.call(function, *arguments)).value))

    @contextmanager
    def asked(self, kind: type[A], function: str) -> "Generator[Callable[[], Awaitable[A]]]":
        """Ask now, and yield a function that waits for the answer, so that the browser can do something else meanwhile.

        The function raises the errors of `call`.
        """
        sent = self.connection.post(_own_function(self.context, function))

        async def answer() -> A:
            result = (await self.answer_of(sent)).result
            if result is None or result.value == _MISSING:
                return await self.ask(kind, function)
            return read_answer(kind, str(result.value))

        try:
            yield answer
        finally:
            sent.forget()

    async def run_library(self, expression: str) -> None:
        """Evaluate an expression that contains a library, in the sandbox realm where our functions are already.

        The page's Content Security Policy does not apply to it. Raises `FrameGoneError` and `ScriptError`.
        """
        result = await self._evaluate(expression)
        if result.exception_details is not None:
            raise ScriptError(result.exception_details.text)

    async def element(self, target: dict[str, object]) -> SharedReference | None:
        """Return a reference to the element of ``{"ref": …}`` or ``{"selector": …}``; None if there is none."""
        value = await self.call("act.element", target)
        shared_id = shared_id_of(value)
        return SharedReference(shared_id=shared_id) if shared_id else None

    async def evaluate_function(
        self,
        declaration: str,
        arguments: "Sequence[LocalValue]" = (),
        *,
        await_promise: bool = True,
        sandbox: str | None = None,
        question: Question | None = None,
        abandon: "Callable[[Sent[EvaluateResult]], None] | None" = None,
    ) -> EvaluateResult:
        """Call a function of the agent in the page's own realm, like a script of the page, or in a sandbox.

        A ``question`` is asked right behind it. When the call is cancelled, ``abandon`` takes over the command, to drop
        it or to wait for its reply later.
        """
        return await self._send(
            CallFunction(
                function_declaration=declaration,
                await_promise=await_promise,
                target=ContextTarget(context=self.context, sandbox=sandbox)
                if sandbox
                else ContextTarget(context=self.context),
                arguments=list(arguments),
                user_activation=True,
            ),
            question,
            abandon,
        )

    async def reacts(self) -> bool:
        """Whether the document answers within `PROMPT` seconds."""
        with trio.move_on_after(PROMPT), suppress(FrameGoneError, BidiError):
            await self._evaluate("0")
            return True
        return False

    async def _evaluate(self, expression: str) -> EvaluateResult:
        return await self._send(
            Evaluate(
                expression=expression,
                await_promise=False,
                target=ContextTarget(context=self.context, sandbox=SANDBOX),
            )
        )

    async def _send(
        self,
        command: CallFunction | Evaluate,
        question: Question | None = None,
        abandon: "Callable[[Sent[EvaluateResult]], None] | None" = None,
    ) -> EvaluateResult:
        sent = self.connection.post(command)
        if question is not None:
            question.ask()
        try:
            return await self.answer_of(sent)
        except trio.Cancelled:
            if abandon is None:
                sent.forget()
            else:
                abandon(sent)
            raise
        finally:
            if question is not None:
                question.drop_unless_after(sent)

    async def answer_of(self, sent: Sent[EvaluateResult]) -> EvaluateResult:
        """Wait for the reply of this frame's document. Raises `FrameGoneError`."""
        try:
            answer = await sent.answer()
        except BidiError as error:
            self.raise_if_gone(error)
            raise
        if self.forbidden:
            raise FrameGoneError(f"{self.forbidden} must not be opened")
        return answer

    def raise_if_gone(self, error: BidiError) -> None:
        """Raise `FrameGoneError` if the error means that the document or the frame is gone."""
        # Chromium says so only in the error message; Firefox aborts the query of a document that is being replaced.
        if isinstance(error, NoSuchFrameError) or any(sign in error.message for sign in _GONE):
            raise FrameGoneError(error.message) from error


def _own_function(
    context: str,
    function: str,
    arguments: "Sequence[object]" = (),
    nodes: "Sequence[SharedReference]" = (),
    test_id: str = "",
) -> CallFunction:
    """Return the command that calls one of our functions in the sandbox realm."""
    takes_selectors = function.startswith(("act.", "extra."))
    first = f"__bidi.act.useTestId({json.dumps(test_id)}), " if test_id and takes_selectors else ""
    declaration = (
        f"(json, ...nodes) => typeof __bidi === 'undefined' ? {_MISSING!r}"
        f" : ({first}__bidi.{function}(...JSON.parse(json), ...nodes))"
    )
    return CallFunction(
        function_declaration=declaration,
        await_promise=True,
        target=ContextTarget(context=context, sandbox=SANDBOX),
        # As one string: for each object, Chromium's mapper makes several round trips to the page, 12 ms and more.
        arguments=[to_local(json.dumps(arguments)), *(node.to_wire() for node in nodes)],
        serialization_options=_FLAT,
    )


_GONE = (
    "navigated or closed",
    "Cannot find context",
    "Execution context was destroyed",
    "Inspected target",
    "destroyed before query",
    "AbortError",
    "BrowsingContext does no longer exist",
    "DiscardedBrowsingContext",
)
