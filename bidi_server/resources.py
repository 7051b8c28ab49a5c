"""A session's files as MCP resources: for clients that do not see the server's disk.

https://modelcontextprotocol.io/specification/2025-11-25/server/resources
"""

import base64
import mimetypes
from urllib.parse import quote, unquote

import mcp_types as types

PREFIX = "bidi-server://files/"

MAX_FILE = 50_000_000
"""Bytes of a file that is read: it travels as one message, and takes several times its size in memory meanwhile."""


def uri_of(name: str) -> str:
    """Return the address of a file."""
    return PREFIX + quote(name)


def name_of(uri: str) -> str:
    """Return the name of the file with this address."""
    return unquote(uri.removeprefix(PREFIX))


def mime_type(name: str) -> str:
    """Return the type of a file by its name."""
    if name.endswith(".har"):
        return "application/json"
    return mimetypes.guess_type(name)[0] or "application/octet-stream"


def contents(uri: str, data: bytes) -> types.TextResourceContents | types.BlobResourceContents:
    """Return a file's content as text if it is some."""
    kind = mime_type(name_of(uri))
    if kind.startswith("text/") or kind == "application/json":
        return types.TextResourceContents(uri=uri, mime_type=kind, text=data.decode("utf-8", "replace"))
    return types.BlobResourceContents(uri=uri, mime_type=kind, blob=base64.b64encode(data).decode())
