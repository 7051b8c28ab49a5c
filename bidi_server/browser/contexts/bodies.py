"""Reading the bodies of requests and responses that the browser keeps."""

import json
import math
from contextlib import suppress
from typing import TYPE_CHECKING

import trio

from bidi_server.bidi.errors import BidiError
from bidi_server.bidi.network import DataType, GetData
from drivers.json_values import is_array, is_object

if TYPE_CHECKING:
    from bidi_server.browser.contexts.context import Context
    from bidi_server.browser.network.requests import Request

PENDING_SECONDS = 0.5
"""Timeout for a pending request to finish, in seconds."""


async def body(context: "Context", request: "Request", part: DataType) -> bytes | None:
    """Return the body of a request or of its response; None if the browser does not have it (yet, or any more).

    The browser keeps the newest bodies of at most `context.MAX_BODY` bytes each.
    """
    if context.collector is None:
        return None
    command = GetData(data_type=part, request=request.id, collector=context.collector)
    # Browsers wait for the end of the response, which may never come.
    limit = min(PENDING_SECONDS if request.pending else math.inf, context.shared.limits.action)
    with trio.move_on_after(limit), suppress(BidiError):
        return (await context.browser.connection.send(command)).bytes.to_bytes()
    return None


def as_text(data: bytes, mime_type: str) -> str | None:
    """Return a body as text, or None if it is binary."""
    kind = mime_type.partition(";")[0].strip().lower()
    textual = kind.startswith("text/") or any(sign in kind for sign in ("json", "xml", "javascript", "urlencoded"))
    if not textual and kind:
        return None
    try:
        return data.decode()
    except UnicodeDecodeError:
        return data.decode("latin-1") if textual else None


def readable(text: str, *, by_line: bool = False) -> str:
    """Return the query of a GraphQL request as its own lines, and other text as it is.

    With ``by_line``, JSON has an entry on each line.

    https://graphql.github.io/graphql-over-http/draft/#sec-Request-Parameters
    """
    try:
        value = json.loads(text)
    except ValueError:
        return text
    if not is_object(value) and not is_array(value):
        return text
    indent = 2 if by_line else None
    query = value.get("query") if is_object(value) else None
    if not isinstance(query, str) or not is_object(value):
        return json.dumps(value, indent=indent, ensure_ascii=False) if by_line else text
    rest = {name: part for name, part in value.items() if name != "query"}
    return f"{query}\n{json.dumps(rest, indent=indent, ensure_ascii=False)}" if rest else query
