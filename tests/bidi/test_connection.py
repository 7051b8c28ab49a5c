import pytest
import trio
from trio.testing import MockClock, wait_all_tasks_blocked
from wsproto import ConnectionType, WSConnection
from wsproto.events import AcceptConnection, Request, TextMessage

from bidi_server.bidi import browsing_context, errors, script, session
from bidi_server.bidi.connection import ANSWER, ANSWER_WHILE_BUSY, KEEP_ALIVE, Connection
from bidi_server.bidi.errors import ConnectionLostError
from bidi_server.bidi.transport import WebSocketTransport
from bidi_server.bidi.wire import Command, Event
from tests.support.fakes import ScriptedTransport, open_scripted_connection

READY: dict[str, object] = {"ready": True, "message": ""}
NEW_TAB = browsing_context.Create(type="tab")
LOAD = {"context": "c", "navigation": None, "timestamp": 1, "url": "u"}


class Answers:
    """What several commands came back with, in the order in which they did."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self.came: list[tuple[str, object]] = []

    async def ask(self, name: str, command: Command[session.StatusResult]) -> None:
        try:
            self.came.append((name, await self._connection.send(command)))
        except (errors.BidiError, ConnectionLostError) as error:
            self.came.append((name, error))


async def test_replies_reach_their_callers_in_any_order() -> None:
    async with open_scripted_connection() as (connection, browser), trio.open_nursery() as nursery:
        answers = Answers(connection)
        ids: dict[str, object] = {}
        for name in ("first", "second", "third"):
            nursery.start_soon(answers.ask, name, session.Status())
            ids[name] = (await browser.next_command())["id"]
        for name in ("third", "first", "second"):
            browser.succeed(ids[name], {"ready": True, "message": name})
            await wait_all_tasks_blocked()
        assert [name for name, _ in answers.came] == ["third", "first", "second"]
        assert [result for _, result in answers.came] == [
            session.StatusResult(ready=True, message=name) for name in ("third", "first", "second")
        ]


async def test_commands_leave_in_the_order_in_which_they_were_sent() -> None:
    async with open_scripted_connection() as (connection, browser), trio.open_nursery() as nursery:
        for context in "abc":
            nursery.start_soon(connection.send, browsing_context.Activate(context=context))
            await wait_all_tasks_blocked()
        commands = [await browser.next_command() for _ in "abc"]
        assert [command["params"] for command in commands] == [{"context": context} for context in "abc"]
        assert connection.commands_sent == 3
        nursery.cancel_scope.cancel()


async def test_a_command_may_be_sent_without_waiting() -> None:
    async with open_scripted_connection() as (connection, browser):
        connection.send_nowait(browsing_context.Activate(context="c"))
        command = await browser.next_command()
        assert (command["method"], command["params"]) == ("browsingContext.activate", {"context": "c"})
        browser.fail(command["id"], "no such frame")
        browser.end("gone")
        await connection.closed.wait()
        connection.send_nowait(browsing_context.Activate(context="c"))


async def test_the_order_of_answers_is_known() -> None:
    async with open_scripted_connection() as (connection, browser):
        first, second = connection.post(session.Status()), connection.post(session.Status())
        ids = [(await browser.next_command())["id"] for _ in range(2)]
        assert not first.was_answered_before(second)
        for id_ in reversed(ids):
            browser.succeed(id_, READY)
        assert (await first.answer()).ready
        assert second.was_answered_before(first)
        assert not first.was_answered_before(second)


async def test_nobody_waits_for_a_command_that_was_forgotten() -> None:
    async with open_scripted_connection() as (connection, browser):
        sent = connection.post(session.Status())
        sent.forget()
        browser.succeed((await browser.next_command())["id"], READY)
        await wait_all_tasks_blocked()
        assert not sent.was_answered_before(connection.post(session.Status()))


async def test_the_browsers_error_is_raised() -> None:
    async with open_scripted_connection() as (connection, browser), trio.open_nursery() as nursery:
        answers = Answers(connection)
        nursery.start_soon(answers.ask, "status", session.Status())
        browser.fail((await browser.next_command())["id"], "no such frame", "c is gone")
        await wait_all_tasks_blocked()
        ((_, error),) = answers.came
        assert isinstance(error, errors.NoSuchFrameError)
        assert error.message == "c is gone"


async def test_a_result_that_does_not_fit_is_an_error_and_not_the_end() -> None:
    async with open_scripted_connection() as (connection, browser), trio.open_nursery() as nursery:
        answers = Answers(connection)
        nursery.start_soon(answers.ask, "misfit", session.Status())
        browser.succeed((await browser.next_command())["id"], {"ready": "?"})
        nursery.start_soon(answers.ask, "fits", session.Status())
        browser.succeed((await browser.next_command())["id"], READY)
        await wait_all_tasks_blocked()
        assert isinstance(answers.came[0][1], errors.UnknownError)
        assert answers.came[1] == ("fits", session.StatusResult(ready=True, message=""))


async def test_a_reply_that_comes_after_its_caller_was_cancelled_is_dropped(autojump_clock: MockClock) -> None:
    async with open_scripted_connection() as (connection, browser):
        with trio.move_on_after(1) as patience:
            await connection.send(session.Status())
        assert patience.cancelled_caught
        late = (await browser.next_command())["id"]
        browser.succeed(late, {"ready": False, "message": "late"})
        async with trio.open_nursery() as nursery:
            answers = Answers(connection)
            nursery.start_soon(answers.ask, "next", session.Status())
            browser.succeed((await browser.next_command())["id"], READY)
        assert answers.came == [("next", session.StatusResult(ready=True, message=""))]


async def test_a_command_that_is_never_answered_is_an_error(autojump_clock: MockClock) -> None:
    async with open_scripted_connection() as (connection, browser):
        start = trio.current_time()
        with pytest.raises(errors.NoReplyError, match=r"has not answered session\.status for 60 s"):
            await connection.send(session.Status())
        assert trio.current_time() - start == pytest.approx(ANSWER_WHILE_BUSY)
        browser.succeed((await browser.next_command())["id"], READY)
        with trio.fail_after(ANSWER_WHILE_BUSY * 3):
            async with trio.open_nursery() as nursery:
                answers = Answers(connection)
                nursery.start_soon(answers.ask, "next", session.Status())
                browser.succeed((await browser.next_command())["id"], READY)
        assert answers.came == [("next", session.StatusResult(ready=True, message=""))]


async def test_a_socket_that_ends_fails_every_waiting_call_and_every_later_one() -> None:
    async with open_scripted_connection() as (connection, browser):
        async with trio.open_nursery() as nursery:
            answers = Answers(connection)
            for name in ("a", "b", "c"):
                nursery.start_soon(answers.ask, name, session.Status())
                await browser.next_command()
            browser.end("the browser crashed")
        assert {name for name, _ in answers.came} == {"a", "b", "c"}
        assert {str(error) for _, error in answers.came} == {"the browser crashed"}
        assert (connection.closed.is_set(), connection.close_reason) == (True, "the browser crashed")
        with pytest.raises(ConnectionLostError, match="the browser crashed"):
            await connection.send(session.Status())


async def test_what_was_said_before_the_end_still_counts() -> None:
    async with open_scripted_connection() as (connection, browser):
        async with trio.open_nursery() as nursery:
            answers = Answers(connection)
            nursery.start_soon(answers.ask, "answered", session.Status())
            browser.succeed((await browser.next_command())["id"], READY)
            browser.end("gone")
        assert answers.came == [("answered", session.StatusResult(ready=True, message=""))]


async def test_close_fails_the_calls_that_wait() -> None:
    async with open_scripted_connection() as (connection, browser):
        async with trio.open_nursery() as nursery:
            answers = Answers(connection)
            nursery.start_soon(answers.ask, "waiting", session.Status())
            await browser.next_command()
            connection.close()
        ((_, error),) = answers.came
        assert isinstance(error, ConnectionLostError)
        with pytest.raises(ConnectionLostError, match="closed"):
            await connection.send(session.Status())


async def test_close_is_no_error_to_whoever_runs_the_connection() -> None:
    connection = Connection()
    async with trio.open_nursery() as nursery:
        await nursery.start(connection.serve, ScriptedTransport())
        connection.close()
        connection.close()
    assert not nursery.cancel_scope.cancelled_caught


async def test_events_reach_every_listener_in_order_though_one_fails(caplog: pytest.LogCaptureFixture) -> None:
    async with open_scripted_connection() as (connection, browser):
        heard: list[tuple[str, str]] = []

        def failing(event: Event) -> None:
            heard.append(("failing", event.method))
            raise ZeroDivisionError

        connection.add_listener(failing)
        connection.add_listener(lambda event: heard.append(("sound", event.method)))
        browser.emit("browsingContext.navigationStarted", LOAD)
        browser.emit("vendor:unknown.event", {})
        browser.emit("browsingContext.load", {"context": 1})
        browser.say("garbage")
        browser.emit("browsingContext.load", LOAD)
        await wait_all_tasks_blocked()
        assert heard == [
            ("failing", "browsingContext.navigationStarted"),
            ("sound", "browsingContext.navigationStarted"),
            ("failing", "browsingContext.load"),
            ("sound", "browsingContext.load"),
        ]
        assert "a listener failed on browsingContext.load" in caplog.text
        connection.remove_listener(failing)
        browser.emit("browsingContext.load", LOAD)
        await wait_all_tasks_blocked()
        assert heard[4:] == [("sound", "browsingContext.load")]


async def test_an_event_before_a_reply_is_heard_before_it() -> None:
    async with open_scripted_connection() as (connection, browser), trio.open_nursery() as nursery:
        order: list[str] = []
        connection.add_listener(lambda event: order.append(event.method))

        async def navigate() -> None:
            await connection.send(browsing_context.Navigate(context="c", url="u"))
            order.append("reply")

        nursery.start_soon(navigate)
        id_ = (await browser.next_command())["id"]
        browser.emit("browsingContext.load", LOAD)
        browser.succeed(id_, {"navigation": None, "url": "u"})
        await wait_all_tasks_blocked()
        assert order == ["browsingContext.load", "reply"]


async def test_a_listener_may_remove_itself() -> None:
    async with open_scripted_connection() as (connection, browser):
        heard: list[str] = []

        def once(event: Event) -> None:
            connection.remove_listener(once)
            heard.append("once")

        connection.add_listener(once)
        connection.add_listener(lambda event: heard.append("always"))
        browser.emit("browsingContext.load", LOAD)
        browser.emit("browsingContext.load", LOAD)
        await wait_all_tasks_blocked()
        assert heard == ["once", "always", "always"]


async def test_a_cancelled_call_leaves_no_half_frame_behind() -> None:
    ours, theirs = trio.testing.lockstep_stream_pair()
    received: list[str] = []
    cancelled = trio.Event()

    async def browser() -> None:
        protocol = WSConnection(ConnectionType.SERVER)
        protocol.receive_data(bytes(await theirs.receive_some()))
        assert isinstance(next(protocol.events()), Request)
        await theirs.send_all(protocol.send(AcceptConnection()))
        protocol.receive_data(bytes(await theirs.receive_some(1000)))  # the frame has begun
        await cancelled.wait()
        while len(received) < 2:
            protocol.receive_data(bytes(await theirs.receive_some()))
            received.extend(event.data for event in protocol.events() if isinstance(event, TextMessage))

    async with trio.open_nursery() as nursery:
        nursery.start_soon(browser)
        transport = WebSocketTransport(ours)
        await transport.open("browser", "/session", [])
        connection = Connection()
        await nursery.start(connection.serve, transport)
        big = script.Evaluate(expression="x" * 100_000, target=script.RealmTarget(realm="r"), await_promise=False)
        with trio.CancelScope() as scope:
            nursery.start_soon(_cancel_when_blocked, scope)
            await connection.send(big)
        assert scope.cancelled_caught
        assert not received
        cancelled.set()
        with trio.CancelScope() as scope:
            nursery.start_soon(_cancel_when_blocked, scope)
            await connection.send(session.Status())
        assert len(received[0]) > 100_000
        assert "session.status" in received[1]
        nursery.cancel_scope.cancel()


async def _cancel_when_blocked(scope: trio.CancelScope) -> None:
    await wait_all_tasks_blocked()
    scope.cancel()


async def test_a_connection_is_kept_alive(autojump_clock: MockClock) -> None:
    async with open_scripted_connection() as (connection, browser), trio.open_nursery() as nursery:
        nursery.start_soon(connection.keep_alive)
        for number in range(3):
            asked = await browser.next_command()
            assert asked["method"] == "session.status"
            assert trio.current_time() >= (number + 1) * KEEP_ALIVE
            browser.succeed(asked["id"], READY)
        assert not connection.closed.is_set()
        connection.close()


async def test_a_connection_without_answers_ends(autojump_clock: MockClock) -> None:
    """A Grid that has ended a Chromium session leaves our socket open and says nothing."""
    async with open_scripted_connection() as (connection, browser), trio.open_nursery() as nursery:
        nursery.start_soon(connection.keep_alive)
        await browser.next_command()
        with pytest.raises(ConnectionLostError, match="has not answered for 20 s"):
            await connection.send(session.Status())


async def test_a_browser_that_sends_events_may_take_longer_to_answer(autojump_clock: MockClock) -> None:
    async with open_scripted_connection() as (connection, browser), trio.open_nursery() as nursery:
        nursery.start_soon(connection.keep_alive)
        asked = await browser.next_command()
        for _ in range(3):
            await trio.sleep(0.9 * ANSWER)
            browser.emit("log.entryAdded", {})
        browser.succeed(asked["id"], READY)
        await browser.next_command()
        while not connection.closed.is_set():
            assert trio.current_time() < 10 * KEEP_ALIVE
            browser.emit("log.entryAdded", {})
            await trio.sleep(1)
        assert connection.close_reason == "the browser has not answered for 60 s"


async def test_a_browser_that_lets_somebody_wait_is_asked_soon(autojump_clock: MockClock) -> None:
    async with open_scripted_connection() as (connection, browser), trio.open_nursery() as nursery:
        nursery.start_soon(connection.keep_alive)
        await trio.sleep(30)
        nursery.start_soon(connection.send, NEW_TAB)
        started = trio.current_time()
        waited_for = await browser.next_command()
        for _ in range(20):  # it takes its time, and is there
            asked = await browser.next_command()
            assert asked["method"] == "session.status"
            browser.succeed(asked["id"], READY)
            assert not connection.in_doubt
        assert trio.current_time() - started >= 40
        browser.succeed(waited_for["id"], {"context": "c"})
        await wait_all_tasks_blocked()
        connection.close()


async def test_a_browser_that_is_lost_is_doubted_and_then_left(autojump_clock: MockClock) -> None:
    async with open_scripted_connection() as (connection, _), trio.open_nursery() as nursery:
        nursery.start_soon(connection.keep_alive)
        started = trio.current_time()
        with trio.move_on_after(10):
            await connection.send(NEW_TAB)
        assert connection.in_doubt
        with pytest.raises(ConnectionLostError):
            await connection.send(NEW_TAB)
        assert trio.current_time() - started < 25


@pytest.mark.parametrize("known", ["", "it crashed"])
async def test_others_are_asked_about_a_silent_browser(autojump_clock: MockClock, known: str) -> None:
    async def why_lost() -> str:
        return known

    async with open_scripted_connection() as (connection, _), trio.open_nursery() as nursery:
        nursery.start_soon(connection.keep_alive, why_lost)
        started = trio.current_time()
        with pytest.raises(ConnectionLostError, match=known or "has not answered for 20 s"):
            await connection.send(NEW_TAB)
        assert trio.current_time() - started < (6 if known else 25)
