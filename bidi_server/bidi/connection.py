"""The trio half of the protocol: one task reads, one task writes, callers wait for their reply."""

import logging
import math
from collections.abc import Awaitable, Callable, Generator
from contextlib import contextmanager, suppress
from typing import Generic, TypeVar, cast

import trio

from .engine import Engine, Reply
from .errors import BidiError, ConnectionLostError, NoReplyError
from .session import Status
from .transport import Transport, open_websocket
from .wire import Command, Event, Result

logger = logging.getLogger(__name__)

R = TypeVar("R", bound=Result)


KEEP_ALIVE = 60.0
"""Interval between two checks that the browser answers, in seconds."""

SILENCE = 2.0
"""Seconds without a message from the browser, while a call waits, after which it is checked at once."""

PROMPT = 1.0
"""Timeout for that check before ``why_lost`` is asked, in seconds."""

ANSWER = 20.0
"""Timeout for the check since the last message, in seconds: a slow connection may be busy with a large reply."""

ANSWER_WHILE_BUSY = 60.0
"""Timeout for the check of a browser that sends messages, in seconds. 200,000 console messages took 55 s."""


class Sent(Generic[R]):
    """A command that was sent. Its owner calls `forget` at the end."""

    def __init__(self, forget: Callable[[], None]) -> None:
        self.forget = forget
        """Stop waiting for the reply."""
        self.since = trio.current_time()
        self._outcome: Result | BidiError | ConnectionLostError | None = None
        self._done = trio.Event()
        self.turn = math.inf
        """Sequence number of the reply among all replies; infinity until it arrives."""

    async def answer(self) -> R:
        """Wait for the reply. Raises what `Connection.send` raises."""
        await self._done.wait()
        if isinstance(self._outcome, BidiError | ConnectionLostError):
            raise self._outcome
        return self._outcome  # pyright: ignore[reportReturnType] - the engine validated it as the command's result type

    def end(self, outcome: Result | BidiError | ConnectionLostError, turn: float = math.inf) -> None:
        """Store the reply and its sequence number."""
        self._outcome, self.turn = outcome, turn
        self._done.set()

    def was_answered_before(self, other: "Sent[R]") -> bool:
        """Whether its reply arrived before the reply to another command."""
        return self.turn < other.turn


class Connection:
    """Commands to one browser and events from it.

    ``await nursery.start(connection.run, url)`` connects it. Listeners run in the reader task, in the order in which
    the browser sent the events, and must not block. When the socket ends every waiting `send` raises
    `ConnectionLostError`, and so does every later one.
    """

    def __init__(self) -> None:
        self.closed = trio.Event()
        self.close_reason = ""
        self._reason = "the connection was closed"
        self.commands_sent = 0
        self._engine = Engine()
        self._waiting: dict[int, Sent[Result]] = {}
        self._answers = 0
        self._listeners: list[Callable[[Event], None]] = []
        self._outbox, self._to_send = trio.open_memory_channel[str](math.inf)
        self._scope = trio.CancelScope()
        self._heard = -math.inf
        """Time of the last message, or of the oldest waiting call if that is later."""
        self._asked = math.inf
        """Time of the check that is not answered yet; infinity if there is none."""
        self._silence_scopes: list[tuple[trio.CancelScope, float, float]] = []
        """Scopes to cancel after a silence, each with that time and its last deadline."""

    async def run(self, url: str, *, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Connect, report that as started, and serve until the socket ends or `close` is called."""
        async with open_websocket(url) as transport:
            await self.serve(transport, task_status=task_status)

    async def serve(
        self, transport: Transport, *, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED
    ) -> None:
        """Serve an open transport until it ends."""
        try:
            async with trio.open_nursery() as nursery:
                # A scope of our own, inside of the nursery: `close` must not raise an error in the task that runs this.
                self._scope = nursery.cancel_scope
                nursery.start_soon(self._write, transport)
                task_status.started()
                try:
                    await self._read(transport)
                except ConnectionLostError as error:
                    self._reason = error.reason
                nursery.cancel_scope.cancel()
        finally:
            self._end(self._reason)

    def close(self, reason: str = "the connection was closed") -> None:
        """End the connection without telling the browser."""
        self._reason = reason
        self._scope.cancel()

    async def keep_alive(self, why_lost: Callable[[], Awaitable[str]] | None = None) -> None:
        """Check each minute, and after `SILENCE`, that the browser answers. End the connection if it does not.

        A Selenium Grid ends idle sessions (``--session-timeout``, 300 s by default) and may leave the socket open, also
        after a crash of the browser. Machines that go down and browsers that hang leave it open as well. ``why_lost``
        asks another source for the reason; it returns "" if that source does not know.
        """
        last = trio.current_time()
        while not self.closed.is_set():
            with trio.move_on_after(SILENCE):
                await self.closed.wait()
                return
            last_word = self._heard if self._waiting else math.inf
            if trio.current_time() < min(last + KEEP_ALIVE, last_word + SILENCE):
                continue
            self._asked = last = trio.current_time()
            async with trio.open_nursery() as asking:
                if why_lost is not None:
                    asking.start_soon(self._ask_others, why_lost)
                with (
                    self.move_on_after_silence(ANSWER, ANSWER_WHILE_BUSY) as limit,
                    suppress(BidiError, ConnectionLostError),
                ):
                    await self.send(Status())
                asking.cancel_scope.cancel()
            self._asked = math.inf
            if limit.cancelled_caught:
                self.close(f"the browser has not answered for {trio.current_time() - last:.0f} s")

    async def _ask_others(self, why_lost: Callable[[], Awaitable[str]]) -> None:
        await trio.sleep(PROMPT)
        if reason := await why_lost():
            self.close(reason)

    @contextmanager
    def move_on_after_silence(self, seconds: float, most: float) -> Generator[trio.CancelScope]:
        """Cancel the block when no message came for ``seconds``, or when it has taken ``most`` seconds.

        A browser that sends messages is alive: the reply may be behind a backlog of events.
        """
        now = trio.current_time()
        with trio.CancelScope(deadline=now + min(seconds, most)) as scope:
            entry = (scope, seconds, now + most)
            self._silence_scopes.append(entry)
            try:
                yield scope
            finally:
                self._silence_scopes.remove(entry)

    @property
    def in_doubt(self) -> bool:
        """Whether a check has had no answer for more than `SILENCE` seconds."""
        return trio.current_time() > self._asked + SILENCE

    @property
    def owed_for(self) -> float:
        """Seconds for which the oldest waiting command has had no reply; 0 if none is waiting."""
        now = trio.current_time()
        return max((now - sent.since for sent in self._waiting.values()), default=0)

    def add_listener(self, listener: Callable[[Event], None]) -> None:
        """Call a listener with every event from now on."""
        self._listeners.append(listener)

    def remove_listener(self, listener: Callable[[Event], None]) -> None:
        """Undo `add_listener`."""
        self._listeners.remove(listener)

    async def send(self, command: Command[R], limit: float = ANSWER_WHILE_BUSY) -> R:
        """Send a command and return its result.

        Raises the `BidiError` of the browser's error code, `NoReplyError` after ``limit`` seconds, or
        `ConnectionLostError`. Cancellation forgets the command; the browser may still run it. Shorter timeouts belong
        to the caller.
        """
        sent = self.post(command)
        try:
            with trio.move_on_after(limit):
                return await sent.answer()
            raise NoReplyError(f"The browser has not answered {command.method} for {limit:g} s.")
        finally:
            sent.forget()

    def post(self, command: Command[R]) -> Sent[R]:
        """Send a command without waiting for its reply. Raises `ConnectionLostError`.

        The browser receives commands in the order in which they are posted.
        """
        if self.closed.is_set():
            raise ConnectionLostError(self.close_reason)
        id_, text = self._engine.encode(command)
        if not self._waiting:
            self._heard = trio.current_time()

        def forget() -> None:
            self._waiting.pop(id_, None)
            self._engine.forget(id_)

        sent: Sent[R] = Sent(forget)
        self._waiting[id_] = cast("Sent[Result]", sent)
        self.commands_sent += 1
        self._outbox.send_nowait(text)
        return sent

    def send_nowait(self, command: Command[Result]) -> None:
        """Send a command and ignore its reply. Does nothing when the connection has ended."""
        if self.closed.is_set():
            return
        id_, text = self._engine.encode(command)
        self._engine.forget(id_)
        self.commands_sent += 1
        self._outbox.send_nowait(text)

    async def _write(self, transport: Transport) -> None:
        # Only this task writes: a cancelled caller must not leave a partial frame on the socket.
        try:
            async for text in self._to_send:
                await transport.send(text)
        except ConnectionLostError:
            return  # the reader meets the same end and knows its reason

    async def _read(self, transport: Transport) -> None:
        while True:
            message = self._engine.receive(await transport.receive())
            self._heard = trio.current_time()
            for scope, seconds, latest in self._silence_scopes:
                scope.deadline = min(self._heard + seconds, latest)
            if isinstance(message, Reply):
                waiting = self._waiting.pop(message.id, None)
                if waiting is not None:
                    self._answers += 1
                    waiting.end(message.outcome, self._answers)
            elif message is not None:
                for listener in tuple(self._listeners):
                    self._tell(listener, message)

    def _tell(self, listener: Callable[[Event], None], event: Event) -> None:
        try:
            listener(event)
        except Exception:  # an error in one listener must not end the connection for all
            logger.exception("a listener failed on %s", event.method)

    def _end(self, reason: str) -> None:
        self.close_reason = reason
        self.closed.set()
        for waiting in self._waiting.values():
            waiting.end(ConnectionLostError(reason))
