"""Whose messages of the console those are that name only a DevTools session."""

from bidi_server.bidi.cdp import ConsoleApiCalled
from bidi_server.bidi.connection import Connection
from bidi_server.browser.console.messages import PAGE
from bidi_server.browser.engine.chromium.console_sources import MOST_SESSIONS, Printers


class Record:
    """What was recorded: text, frame and origin."""

    def __init__(self) -> None:
        self.lines: list[tuple[object, str, str]] = []
        self.printers = Printers(self._take)

    def _take(self, event: ConsoleApiCalled, frame: str, origin: str) -> None:
        self.lines.append((event.args[0]["value"], frame, origin))

    def print(self, session: str, text: str) -> bool:
        params = {"args": [{"type": "string", "value": text}], "type": "log", "timestamp": 1.0}
        return self.printers.tell(ConsoleApiCalled.model_validate({"session": session, "params": params}))


async def test_a_frame_that_prints_before_anybody_knows_it_is_known_later() -> None:
    record = Record()
    assert not record.print("s1", "early")
    await record.printers.find(Connection(), [])
    assert record.print("s1", "still nobody's")
    record.printers.page("s1", "frame")
    assert record.print("s1", "late")
    assert record.lines[-1] == ("late", "frame", PAGE)


def test_workers_without_end_leave_nothing_behind() -> None:
    record = Record()
    record.printers.page("s1", "frame")
    record.printers.worker("w", "worker", "s1")
    assert record.print("w", "one")
    record.printers.ended("w")
    assert not record.print("w", "another")
    for number in range(MOST_SESSIONS):
        record.printers.worker(f"w{number}", "worker", "s1")
        record.print("s1", "who prints is not forgotten")
    assert record.print("w999", "the last")
    record.print("w0", "the first")
    assert record.lines[-1] == ("the last", "frame", "dedicated-worker")
