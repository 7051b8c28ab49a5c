"""The mapper without a driver: replies, dialogs, documents that become events, input."""

import json
from collections.abc import Sequence

import pytest

from bidi_server.bidi.errors import BidiError, JavascriptError, NoSuchFrameError
from bidi_server.bidi.wire import EVENTS
from bidi_server.classic.commands import HANDLERS
from bidi_server.classic.contexts import BrowsingContext
from bidi_server.classic.http import UnexpectedAlertOpenError, parse_reply
from bidi_server.classic.input_state import InputState
from bidi_server.classic.scripts import MARK, dialog_of, parse
from bidi_server.classic.tracker import Tracker
from bidi_server.commands.doctor import known_commands
from drivers.json_values import Json


def answer(stamp: str, url: str, *, frames: Sequence[int] = (), events: Sequence[Json] = (), **more: object) -> str:
    state: Json = {"stamp": stamp, "url": url, "parsed": True, "loaded": True, "leaving": "", "dirty": [], **more}
    return json.dumps({**state, "frames": list(frames), "events": list(events)})


class Told:
    """The events of a tab whose document answers."""

    def __init__(self) -> None:
        self.events: list[tuple[str, Json]] = []
        self.tracker = Tracker(lambda method, parameters: self.events.append((method, parameters)))
        self.tab = BrowsingContext("window", "user")
        self.tracker.add(self.tab)
        self._number = 0

    def take(self, text: str, number: int | None = None) -> list[str]:
        """Return the methods of the events that follow from an answer; each fits its type."""
        before = len(self.events)
        self._number += 1
        state = parse(text)
        assert state is not None
        self.tracker.take(self.tab, state, number or self._number)
        for method, parameters in self.events[before:]:
            EVENTS[method].model_validate(parameters)
        return [method.partition(".")[2] for method, _ in self.events[before:]]


def test_replies() -> None:
    assert parse_reply(200, b'{"value": [1]}') == [1]
    with pytest.raises(NoSuchFrameError, match="gone"):
        parse_reply(404, b'{"value": {"error": "no such frame", "message": "gone"}}')
    with pytest.raises(JavascriptError, match="the driver gives no reason"):
        parse_reply(500, b'{"value": {"error": "javascript error", "message": ""}}')
    with pytest.raises(UnexpectedAlertOpenError):
        parse_reply(500, b'{"value": {"error": "unexpected alert open", "message": ""}}')
    with pytest.raises(BidiError, match="without JSON"):
        parse_reply(500, b"<html>")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (f"{MARK}1{MARK}Hello", ("alert", "Hello", "")),
        (f"{MARK}2{MARK}Sure?", ("confirm", "Sure?", "")),
        (f"{MARK}3Ada{MARK}Name?", ("prompt", "Name?", "Ada")),
        ("early", ("confirm", "early", "")),
    ],
)
def test_dialogs(text: str, found: tuple[str, str, str]) -> None:
    assert dialog_of(text) == found


def test_a_document_becomes_a_navigation() -> None:
    told = Told()
    assert told.take(answer("a", "about:blank")) == []
    assert told.take(answer("b", "http://x/", loaded=False)) == [
        "navigationStarted",
        "beforeRequestSent",
        "responseStarted",
        "responseCompleted",
        "navigationCommitted",
        "domContentLoaded",
    ]
    assert told.take(answer("b", "http://x/")) == ["load"]
    assert told.take(answer("b", "http://x/#part")) == ["fragmentNavigated"]
    assert told.take(answer("b", "http://x/other")) == ["historyUpdated"]
    assert told.take(answer("b", "http://x/other", leaving="http://x/next")) == ["navigationStarted"]


def test_a_late_answer_of_the_document_before_is_dropped() -> None:
    told = Told()
    told.take(answer("a", "http://x/"), 1)
    told.take(answer("b", "http://y/"), 3)
    assert told.take(answer("a", "http://x/"), 2) == []
    assert told.tab.url == "http://y/"


def test_an_answer_that_another_has_overtaken_tells_nothing_but_which_frames_have_loaded() -> None:
    told, url = Told(), "http://x/"
    told.take(answer("a", url, frames=[1], number=1))
    told.tab.children[1].dirty = False
    assert told.take(answer("a", f"{url}#stays", frames=[1], number=3)) == ["fragmentNavigated"]
    assert told.take(answer("a", url, frames=[], dirty=[1], leaving="http://x/next", number=2)) == []
    assert (told.tab.url, told.tab.children[1].dirty) == (f"{url}#stays", True)
    assert told.take(answer("a", f"{url}#stays", frames=[1], leaving="http://x/next", number=4)) == [
        "navigationStarted"
    ]


def test_frames_come_and_go_with_their_document() -> None:
    told = Told()
    told.take(answer("a", "http://x/", frames=[1, 2]))
    assert [child.id for child in told.tab.children.values()] == ["a-f1", "a-f2"]
    assert told.take(answer("a", "http://x/", frames=[2])) == ["contextDestroyed"]
    assert "contextDestroyed" in told.take(answer("b", "http://x/"))
    assert list(told.tracker.contexts.values()) == [told.tab]


def test_what_the_recorder_notes_becomes_events() -> None:
    told = Told()
    noted: list[Json] = [
        {"kind": "console", "method": "warn", "level": "warn", "text": "w", "arguments": [], "time": 1},
        {"kind": "error", "text": "Error: e", "stackTrace": {"callFrames": []}, "time": 1},
        {"kind": "request", "id": "r", "url": "http://x/api", "method": "POST", "type": "fetch", "time": 1},
        {"kind": "response", "id": "r", "url": "http://x/api", "status": 404, "headers": [["a", "b"]], "time": 2},
    ]
    told.take(answer("a", "about:blank"))
    methods = told.take(answer("a", "about:blank", events=noted))
    assert methods == ["entryAdded", "entryAdded", "beforeRequestSent", "responseStarted", "responseCompleted"]


def test_events_are_told_once_and_in_turn_where_answers_overtake_each_other() -> None:
    told = Told()
    request: Json = {"kind": "request", "id": "r", "url": "http://x/api", "method": "GET", "type": "fetch", "time": 1}
    response: Json = {"kind": "response", "id": "r", "url": "http://x/api", "status": 200, "headers": [], "time": 2}
    told.take(answer("a", "about:blank"))
    both = ["beforeRequestSent", "responseStarted", "responseCompleted"]
    assert told.take(answer("a", "about:blank", first=0, events=[request, response])) == both
    assert told.take(answer("a", "about:blank", first=0, events=[request])) == []
    assert told.take(answer("a", "about:blank", first=1, events=[response, {**request, "id": "s"}])) == both[:1]
    assert (told.tab.stamp, told.tab.heard) == ("a", 3)


def test_wheels_turn_on_from_where_they_are_and_releases_undo() -> None:
    state = InputState()
    wheel: Json = {"type": "wheel", "id": "w"}
    mouse: Json = {"type": "pointer", "id": "m"}
    turns: list[Json] = [{"type": "scroll", "deltaX": 0, "deltaY": distance} for distance in (150, 50)]
    assert [state.next(wheel, turn)["deltaY"] for turn in turns] == [150, 200]
    state.next(mouse, {"type": "pointerDown", "button": 0})
    assert state.releases() == [{**mouse, "actions": [{"type": "pointerUp", "button": 0}]}]
    assert state.releases() == []


def test_each_command_of_the_mapper_is_one_of_the_protocol() -> None:
    ending = {"session.end", "browser.close"}
    known = [command.method for command in known_commands()]
    assert len(known) == len(set(known))
    assert set(HANDLERS) - ending <= set(known)
    assert all(handler.__doc__ for handler in HANDLERS.values())
