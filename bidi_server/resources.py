"""Files of a session as MCP resources, for clients without access to the server's disk.

https://modelcontextprotocol.io/specification/2025-11-25/server/resources
"""

from __future__ import annotations

import base64
import mimetypes
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote

import mcp_types as types

if TYPE_CHECKING:
    from collections.abc import Iterable

    from bidi_server.browser.sessions.client import Client
    from bidi_server.browser.tab.downloads import Download

PREFIX = "bidi-server://files/"

DOWNLOADS = "downloads/"
"""Prefix of the names of downloads among the resources."""

MAX_FILE = 50_000_000
"""Maximum size of a file to read, in bytes: it is sent as one message and needs several times its size in memory."""


def files_of(client: Client) -> dict[str, Path]:
    """Return the files that can be read as resources, by name."""
    found: dict[str, Path] = {}
    for session in client.sessions.values():
        found |= session.outputs.files
        tabs = [tab for context in session.contexts.values() for tab in context.tabs]
        found |= {f"{DOWNLOADS}{name}": path for tab in tabs for name, path in downloaded(tab.downloads.all).items()}
    return found


def downloaded(downloads: Iterable[Download]) -> dict[str, Path]:
    """Return the files of complete downloads, by name."""
    paths = [Path(download.path) for download in downloads if download.status == "complete" and download.path]
    return {path.name: path for path in paths}


def uri_of(name: str) -> str:
    """Return the URI of a file."""
    return PREFIX + quote(name)


def name_of(uri: str) -> str:
    """Return the file name of a URI."""
    return unquote(uri.removeprefix(PREFIX))


def mime_type(name: str) -> str:
    """Return the MIME type of a file by its name."""
    if name.endswith(".har"):
        return "application/json"
    return mimetypes.guess_type(name)[0] or "application/octet-stream"


def contents(uri: str, data: bytes) -> types.TextResourceContents | types.BlobResourceContents:
    """Return the content of a file, as text if its type is textual."""
    kind = mime_type(name_of(uri))
    if kind.startswith("text/") or kind == "application/json":
        return types.TextResourceContents(uri=uri, mime_type=kind, text=data.decode("utf-8", "replace"))
    return types.BlobResourceContents(uri=uri, mime_type=kind, blob=base64.b64encode(data).decode())
