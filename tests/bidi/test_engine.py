import json
import logging

import pytest

from bidi_server.bidi import browsing_context, errors, log, session
from bidi_server.bidi.engine import Engine, Reply
from bidi_server.bidi.wire import EmptyResult

CODES = """
detached shadow root
element not interactable
invalid argument
invalid selector
invalid session id
invalid web extension
javascript error
move target out of bounds
no such alert
no such client window
no such element
no such frame
no such handle
no such history entry
no such intercept
no such network collector
no such network data
no such node
no such request
no such screencast
no such script
no such storage partition
no such user context
no such web extension
no such window
session not created
stale element reference
timeout
unable to capture screen
unable to close browser
unable to set cookie
unable to set file input
unavailable network data
underspecified storage partition
unknown command
unknown error
unsupported operation
""".strip().splitlines()
"""https://w3c.github.io/webdriver-bidi/#errors and what it takes over from https://w3c.github.io/webdriver/#errors"""


def _ask(engine: Engine) -> int:
    return engine.encode(session.Status())[0]


def _receive(engine: Engine, message: object) -> object:
    return engine.receive(json.dumps(message))


def test_commands_are_numbered_and_say_their_parameters() -> None:
    engine = Engine()
    first, text = engine.encode(browsing_context.Activate(context="c"))
    second, _ = engine.encode(session.Status())
    assert second == first + 1
    assert json.loads(text) == {"id": first, "method": "browsingContext.activate", "params": {"context": "c"}}


def test_a_reply_becomes_its_commands_result() -> None:
    engine = Engine()
    id_ = _ask(engine)
    result = {"ready": True, "message": "hello", "vendor:extra": 1}
    reply = _receive(engine, {"type": "success", "id": id_, "result": result})
    assert reply == Reply(id_, session.StatusResult(ready=True, message="hello"))


def test_replies_may_come_in_any_order() -> None:
    engine = Engine()
    status, _ = engine.encode(session.Status())
    activate, _ = engine.encode(browsing_context.Activate(context="c"))
    assert _receive(engine, {"type": "success", "id": activate, "result": {}}) == Reply(activate, EmptyResult())
    answer = {"ready": False, "message": ""}
    assert isinstance(_receive(engine, {"type": "success", "id": status, "result": answer}), Reply)


def test_a_reply_without_a_type_is_still_a_reply() -> None:
    engine = Engine()
    id_ = _ask(engine)
    assert isinstance(_receive(engine, {"id": id_, "result": {"ready": True, "message": ""}}), Reply)


def test_a_reply_that_nobody_waits_for_is_dropped() -> None:
    engine = Engine()
    id_ = _ask(engine)
    engine.forget(id_)
    assert _receive(engine, {"type": "success", "id": id_, "result": {}}) is None
    assert _receive(engine, {"type": "error", "id": 99, "error": "unknown error", "message": ""}) is None


def test_a_reply_counts_once() -> None:
    engine = Engine()
    reply = {"type": "success", "id": _ask(engine), "result": {"ready": True, "message": ""}}
    assert _receive(engine, reply) is not None
    assert _receive(engine, reply) is None


def test_a_result_that_does_not_fit_is_an_error_that_names_it() -> None:
    engine = Engine()
    id_ = _ask(engine)
    reply = _receive(engine, {"type": "success", "id": id_, "result": {"ready": "perhaps"}})
    assert isinstance(reply, Reply)
    assert isinstance(reply.outcome, errors.UnknownError)
    assert "StatusResult" in str(reply.outcome)
    assert "message" in str(reply.outcome)


@pytest.mark.parametrize("code", CODES)
def test_each_error_code_has_its_own_exception(code: str) -> None:
    engine = Engine()
    id_ = _ask(engine)
    message = {"type": "error", "id": id_, "error": code, "message": "why", "stacktrace": "where"}
    reply = _receive(engine, message)
    assert isinstance(reply, Reply)
    error = reply.outcome
    assert isinstance(error, errors.BidiError)
    assert type(error) is not errors.BidiError
    assert (type(error).code, error.wire_code, error.message, error.stacktrace) == (code, code, "why", "where")
    assert str(error) == f"{code}: why"
    assert type(error).__name__ == code.title().replace(" ", "") + ("" if code.endswith("error") else "Error")


def test_an_unknown_code_is_kept() -> None:
    error = errors.from_code("no such thing", "why")
    assert (type(error), error.wire_code, str(error)) == (errors.BidiError, "no such thing", "no such thing: why")


def test_an_error_without_a_command_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    message = {"type": "error", "id": None, "error": "invalid argument", "message": "what was that?"}
    assert _receive(Engine(), message) is None
    assert "what was that?" in caplog.text


def test_an_event_becomes_its_class() -> None:
    event = _receive(
        Engine(),
        {
            "type": "event",
            "method": "browsingContext.load",
            "params": {"context": "c", "navigation": None, "timestamp": 5, "url": "u", "newer": [1]},
        },
    )
    assert event == browsing_context.Load(context="c", navigation=None, timestamp=5, url="u")


def test_a_console_line_keeps_the_name_of_its_method() -> None:
    params = {
        "type": "console",
        "level": "warn",
        "source": {"realm": "r", "context": "c"},
        "text": "hi",
        "timestamp": 1,
        "method": "warn",
        "args": [{"type": "string", "value": "hi"}],
    }
    event = _receive(Engine(), {"type": "event", "method": "log.entryAdded", "params": params})
    assert isinstance(event, log.EntryAdded)
    assert (event.method, event.console_method, event.args[0].value) == ("log.entryAdded", "warn", "hi")


def test_an_unknown_event_is_ignored() -> None:
    assert _receive(Engine(), {"type": "event", "method": "vendor:new.thing", "params": {}}) is None


def test_an_event_that_does_not_fit_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    assert _receive(Engine(), {"type": "event", "method": "browsingContext.load", "params": {"context": 1}}) is None
    assert "browsingContext.load does not fit" in caplog.text


@pytest.mark.parametrize("text", ["", "garbage", '{"id":', "[]", "1", "null", "{}", '{"type":"riddle"}'])
def test_garbage_is_survived(text: str, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.CRITICAL)
    engine = Engine()
    id_ = _ask(engine)
    assert engine.receive(text) is None
    assert isinstance(_receive(engine, {"id": id_, "result": {"ready": True, "message": ""}}), Reply)
