"""Lines from a client as messages of the MCP SDK, and the SDK's messages as lines."""

import json
import re

import anyio
import anyio.abc
import mcp_types as types
import trio
from mcp.shared.message import SessionMessage
from pydantic import ValidationError

from bidi_server.browser.sessions.registry import Sessions
from bidi_server.browser.words import without_halves
from bidi_server.config import Config
from bidi_server.declared import MAX_MESSAGE
from bidi_server.stdio.handshake import Beginning
from bidi_server.stdio.light import run
from bidi_server.stdio.lines import Inbox, Line, Writer
from drivers.json_values import is_object

_FLAT = rb'"(?:jsonrpc|method)"\s*:\s*"[^"\\]*"'
_ID = rb'"id"\s*:\s*(-?\d+|"[^"\\]*")'
_ID_AT_START = re.compile(rb"\s*\{\s*(?:%b\s*,\s*)*%b\s*," % (_FLAT, _ID))
_ID_AT_END = re.compile(rb",\s*%b\s*(?:,\s*%b\s*)*\}\s*\Z" % (_ID, _FLAT))
"""Patterns of the id at both ends of a message: clients write it before or after the parameters.

The members between the id and the end have no nested members."""

_FORM = (
    "This is not a JSON-RPC 2.0 request, notification or response of MCP: "
    "an id is a string or a whole number, method a string, params an object."
)


class Answers(anyio.abc.ObjectSendStream[SessionMessage]):
    """Messages to the client, without the answer to the request that was answered in the beginning."""

    def __init__(self, writer: Writer, beginning: Beginning) -> None:
        self._writer = writer
        self._beginning = beginning

    async def send(self, item: SessionMessage) -> None:
        """Write a message."""
        message = item.message
        if isinstance(message, types.JSONRPCResponse | types.JSONRPCError):
            if message.id is not None and message.id == self._beginning.answered:
                self._beginning.answered = None
                return
            self._beginning.leave_browser()
        self._writer.write(message.model_dump_json(by_alias=True, exclude_unset=True).encode())

    async def aclose(self) -> None:
        """Let the writer end."""
        self._writer.close()


async def serve(
    config: Config,
    sessions: Sessions,
    inbox: Inbox,
    writer: Writer,
    beginning: Beginning,
) -> None:
    """Serve a client until there are no more lines, or the task is cancelled."""
    requests_in, requests = anyio.create_memory_object_stream[SessionMessage]()
    answers = Answers(writer, beginning)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(_take_all, inbox, requests_in, answers)
        await run(config, sessions, requests, answers)


async def _take_all(inbox: Inbox, requests: anyio.abc.ObjectSendStream[SessionMessage], answers: Answers) -> None:
    """Pass messages on. Invalid lines are answered with an error."""
    async with requests:
        await inbox.hand_over(lambda line: _take(line, requests, answers))


def _refusal(line: Line) -> types.JSONRPCError:
    """Return the answer to a line that is too long."""
    found = _ID_AT_START.match(line.content) or _ID_AT_END.search(line.end)
    what = f"The message has {line.size:,} bytes, and at most {MAX_MESSAGE:,} are read. Send less in one call."
    error = types.ErrorData(code=types.INVALID_REQUEST, message=what)
    return types.JSONRPCError(jsonrpc="2.0", id=json.loads(found[1]) if found else None, error=error)


async def _take(line: Line, requests: anyio.abc.ObjectSendStream[SessionMessage], answers: Answers) -> None:
    if line.is_too_long:
        await answers.send(SessionMessage(_refusal(line)))
        return
    text = line.content.decode(errors="replace")
    if not text.strip():
        return
    content: object = None
    code = types.INVALID_REQUEST
    try:
        try:
            message = _message(text)
        except ValueError:
            content = json.loads(text)
            # JSON allows lone surrogates; the SDK rejects them.
            message = _message(without_halves(content))
    except RecursionError:
        what = "It is nested too deeply."
    except json.JSONDecodeError:
        code, what = types.PARSE_ERROR, "This is not JSON. Send one message a line."
    except ValueError as error:
        what = str(error)
    else:
        await requests.send(SessionMessage(message))
        return
    problem = types.JSONRPCError(jsonrpc="2.0", id=_id_of(content), error=types.ErrorData(code=code, message=what))
    await answers.send(SessionMessage(problem))


def _message(text: str) -> types.JSONRPCMessage:
    """Parse a message. Raises `ValueError` with a text for its sender."""
    try:
        message = types.jsonrpc_message_adapter.validate_json(text, by_name=False)
    except ValidationError as error:
        first = error.errors(include_input=False)[0]
        raise ValueError(f"{first['msg']}." if first["type"] == "json_invalid" else _FORM) from None
    if isinstance(message, types.JSONRPCNotification) and "id" in json.loads(text):
        raise ValueError(_FORM)  # an invalid id; the SDK would take it for a notification, which gets no answer
    return message


def _id_of(content: object) -> types.RequestId | None:
    """Return the id of a request, or None if it cannot be determined.

    https://www.jsonrpc.org/specification#response_object
    """
    if not is_object(content):
        return None
    id_ = content.get("id")
    is_response = "result" in content or "error" in content  # to a request of the server
    return id_ if isinstance(id_, int | str) and not isinstance(id_, bool) and not is_response else None
