"""The audit log: a JSON line for each call and for each refusal.

It contains no secrets: neither values of arguments, nor texts of pages and answers, nor paths and queries of URLs.
"""

from __future__ import annotations

import json
import logging
import os
import stat
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import trio
from mcp.shared.exceptions import MCPError

from bidi_server.browser.network.refusals import place_of
from bidi_server.browser.sessions.allowance import Window
from bidi_server.errors import LimitError, NotAllowedError, RateLimitError

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping, Sequence
    from pathlib import Path

    from bidi_server.browser.network.refusals import Refusal
    from bidi_server.errors import ToolError
    from bidi_server.tools.outcome import Outcome

logger = logging.getLogger(__name__)

MAX_TEXT = 200
"""Maximum length of a text that a client chooses, such as its name, in characters."""

MAX_NAMES = 50
"""Maximum number of names of arguments and of steps in a line."""

MAX_UNKNOWN = 60
"""Maximum number of lines a minute for requests of nobody in particular, which anybody can send."""

_ALLOWED, _REFUSED = "allowed", "refused"


@dataclass(slots=True)
class Record:
    """The line of a call, as far as it is known."""

    tool: str
    arguments: Mapping[str, object]
    client: str
    """The name that the client's program gives itself."""
    who: Mapping[str, str]
    outcome: str = "cancelled"
    size: int = 0
    """Bytes of the answer."""
    decision: str = _ALLOWED
    reason: str = ""
    error: str = ""
    session: str = ""
    page: str = ""
    steps: Sequence[str] = ()
    refused: list[Refusal] = field(default_factory=list["Refusal"])
    count_refused: int = 0

    def note(self, out: Outcome, failure: ToolError | None, *, is_refusal: bool) -> None:
        """Note what a call has come to. ``is_refusal`` says that it did not begin."""
        if failure is not None:
            self.error = failure.code
            if is_refusal or isinstance(failure, NotAllowedError | RateLimitError | LimitError):
                self.decision = _REFUSED
                # Other messages quote URLs and texts.
                self.reason = failure.message if is_refusal else failure.code
        session = out.session
        if session is None:
            return
        self.session, self.steps = session.id, session.performed
        if session.active_tab is not None:
            self.page = place_of(session.active_tab.url)
        for context in session.contexts.values():
            shared = context.shared
            entrance = [shared.entrance.failures.refusals] if shared.entrance is not None else []
            for refusals in (shared.interception.refusals, *entrance):
                taken, count = refusals.take()
                self.refused += taken
                self.count_refused += count

    def refuse(self, reason: str) -> None:
        """Note that the call did not begin."""
        self.decision, self.reason, self.outcome = _REFUSED, reason, "failed"

    def ended(self, outcome: str, size: int) -> None:
        """Note the answer."""
        self.outcome, self.size = outcome, size

    def fields(self) -> dict[str, object]:
        """Return the fields of the line, without those that are empty."""
        urls = (value for name, value in self.arguments.items() if name.lower() == "url" and isinstance(value, str))
        found: dict[str, object] = {
            "who": dict(self.who),
            "client": self.client,
            "session": self.session,
            "tool": self.tool[:MAX_TEXT],
            "arguments": [name[:MAX_TEXT] for name in sorted(self.arguments)[:MAX_NAMES]],
            "url": next(map(place_of, urls), ""),
            "steps": list(self.steps[:MAX_NAMES]) if len(self.steps) > 1 else [],
            "page": self.page,
            "blocked": [{"to": each.place, "reason": each.reason} for each in self.refused],
            "blocked_requests": self.count_refused,
            "decision": self.decision,
            "reason": self.reason,
            "outcome": self.outcome,
            "error": self.error,
            "bytes": self.size,
        }
        return {name: value for name, value in found.items() if value not in ("", [], {}, 0)}


class AuditLog:
    """A file that lines are appended to.

    It is opened again when it has been moved away, so that logrotate needs no signal. Errors are logged once, until
    writing succeeds again; they never fail a call.
    """

    def __init__(self, path: Path) -> None:
        self._path = path.absolute()
        self._file = -1
        self._identity = (0, 0)
        self._failed = False
        self._torn = False
        """Whether the last line was written in part."""
        self._unknown = Window()
        self._omitted = 0

    @contextmanager
    def call(
        self, who: Mapping[str, str], client: str, tool: str, arguments: Mapping[str, object]
    ) -> Generator[Record]:
        """Log the call that runs in the block."""
        record = Record(tool, arguments, client[:MAX_TEXT], who)
        began = trio.current_time()
        try:
            yield record
        except MCPError as error:
            if record.outcome == "cancelled":
                record.outcome, record.error = "failed", record.error or str(error.error.code)
            raise
        finally:
            self.write({"event": "call", **record.fields(), "seconds": round(trio.current_time() - began, 3)})

    def refusal(self, who: Mapping[str, str], reason: str, **more: object) -> None:
        """Log a request that was refused before it was a call. ``who`` has a token or subject if it is known."""
        if "token" not in who and "subject" not in who:
            if self._unknown.total() >= MAX_UNKNOWN:
                self._omitted += 1
                return
            self._unknown.add(1)
        if self._omitted:
            more["omitted"], self._omitted = self._omitted, 0
        self.write({"event": "refusal", "who": dict(who), **more, "decision": _REFUSED, "reason": reason})

    def write(self, entry: Mapping[str, object]) -> None:
        """Append a line."""
        now = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        # In ASCII: line separators, escape sequences and lone surrogates of clients are no more than text.
        line = json.dumps({"time": now, **entry}, ensure_ascii=True, separators=(",", ":")) + "\n"
        try:
            self._open()
            data = (b"\n" if self._torn else b"") + line.encode("ascii")
            written = os.write(self._file, data)
            self._torn = written < len(data)
            trouble = "the disk is full" if self._torn else ""
        except OSError as error:
            trouble = error.strerror or str(error)
        if trouble and not self._failed:
            logger.error("--audit-log %s: calls are not logged: %s", self._path, trouble)
        elif self._failed and not trouble:
            logger.warning("--audit-log %s: calls are logged again", self._path)
        self._failed = bool(trouble)

    def check(self) -> None:
        """Open the file. Raises OSError, so that a server that must log does not start without."""
        self._open()

    def _open(self) -> None:
        if self._file >= 0:
            with suppress(OSError):
                now = self._path.stat()
                if (now.st_dev, now.st_ino) == self._identity:
                    return
            os.close(self._file)
            self._file = -1
        # O_NONBLOCK: a pipe that nobody reads must not keep calls waiting.
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
        file = os.open(self._path, flags, stat.S_IRUSR | stat.S_IWUSR)
        opened = os.fstat(file)
        self._file, self._identity = file, (opened.st_dev, opened.st_ino)
