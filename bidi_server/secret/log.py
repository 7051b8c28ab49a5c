"""The server's log without values of secrets."""

import logging
import traceback

from bidi_server.secret.redaction import redact


def guard_log() -> None:
    """Let log records be made without values of secrets, for every handler."""
    make = logging.getLogRecordFactory()
    if isinstance(make, _Guarded):
        return
    logging.setLogRecordFactory(_Guarded(make))


class _Guarded:
    def __init__(self, make: object) -> None:
        self._make = make

    def __call__(self, *arguments: object, **named: object) -> logging.LogRecord:
        assert callable(self._make)
        record = self._make(*arguments, **named)
        assert isinstance(record, logging.LogRecord)
        record.msg, record.args = redact(record.getMessage()), ()
        if record.exc_info and record.exc_info[0] is not None:
            # A formatter uses this text instead of the exception.
            record.exc_text = redact("".join(traceback.format_exception(*record.exc_info)).rstrip("\n"))
        return record
