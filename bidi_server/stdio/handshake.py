"""The beginning of a connection, without the MCP SDK.

A client waits for the answer to its first request, and the import of the SDK would take most of that time.
https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle
"""

import json
from contextlib import ExitStack
from dataclasses import dataclass

from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, LATEST_HANDSHAKE_VERSION, MODERN_PROTOCOL_VERSIONS

from bidi_server import __version__
from bidi_server.browser.sessions.registry import Sessions
from bidi_server.config import Config
from bidi_server.declared import NAME, capabilities, opens_page
from bidi_server.stdio.lines import Line, Writer
from bidi_server.tools import instructions
from drivers.json_values import Json, fields, is_object

_META = "io.modelcontextprotocol/"
"""Prefix of the members of ``_meta`` that every request of protocol 2026-07-28 has."""

_OF_CLIENT = {"name", "title", "version", "description", "websiteUrl"}


@dataclass(frozen=True, slots=True)
class Early:
    """The answer to a first request: the id of the request, and the message."""

    id: str | int
    text: bytes


class Beginning:
    """The time until the SDK is there: the first request is answered, and the browser starts if a call needs it."""

    def __init__(self, config: Config, sessions: Sessions, writer: Writer) -> None:
        self._config, self._sessions, self._writer = config, sessions, writer
        self._browser = ExitStack()
        self._lines = 0
        self.answered: str | int | None = None
        """Id of the request that was answered; None if none was."""
        self.is_over = False

    def see(self, line: Line) -> None:
        """Look at a line before it is handled."""
        self._lines += 1
        if self.is_over:
            return
        if self._lines == 1 and (early := early_answer(line.content, self._config, self._sessions.fence)) is not None:
            self.answered = early.id
            self._writer.write(early.text)
        elif _needs_browser(line.content):
            self.is_over = True
            self._browser.enter_context(self._sessions.ahead())

    def leave_browser(self) -> None:
        """Leave the browser to the calls that use it."""
        self._browser.close()


def early_answer(line: bytes | bytearray, config: Config, fence: str) -> Early | None:
    """Return the answer to a first message, the same as the SDK gives; None if only the SDK can tell."""
    request = _request(line)
    if request is None or config.structured:
        return None
    params = fields(request["params"])
    match request["method"]:
        case "initialize" if _is_handshake(params):
            wanted = params["protocolVersion"]
            version = wanted if wanted in HANDSHAKE_PROTOCOL_VERSIONS else LATEST_HANDSHAKE_VERSION
            result = {"protocolVersion": version, "serverInfo": _server()}
        case "server/discover" if _is_modern(params):
            result = {
                "cacheScope": "private",
                "resultType": "complete",
                "supportedVersions": [*MODERN_PROTOCOL_VERSIONS],
                "ttlMs": 0,
                "_meta": {f"{_META}serverInfo": _server()},
            }
        case _:
            return None
    result |= {"capabilities": capabilities(config), "instructions": instructions(config, fence)}
    id_ = request["id"]
    assert isinstance(id_, str | int)
    return Early(id_, json.dumps({"jsonrpc": "2.0", "id": id_, "result": result}).encode())


def _needs_browser(line: bytes | bytearray) -> bool:
    request = _request(line)
    if request is None or request["method"] != "tools/call":
        return False
    return opens_page(str(fields(request["params"]).get("name")))


def _server() -> dict[str, str]:
    return {"name": NAME, "version": __version__}


def _request(line: bytes | bytearray) -> Json | None:
    """Return a message if it is a request with parameters and nothing else."""
    try:
        message: object = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not is_object(message) or message.keys() != {"jsonrpc", "id", "method", "params"}:
        return None
    id_ = message["id"]
    is_request = message["jsonrpc"] == "2.0" and isinstance(id_, str | int) and not isinstance(id_, bool)
    return message if is_request and is_object(message["params"]) else None


def _is_handshake(params: Json) -> bool:
    return (
        params.keys() == {"protocolVersion", "capabilities", "clientInfo"}
        and isinstance(params["protocolVersion"], str)
        and _is_plain(params["capabilities"])
        and _is_client(params["clientInfo"])
    )


def _is_modern(params: Json) -> bool:
    meta = fields(params.get("_meta"))
    return (
        params.keys() == {"_meta"}
        and meta.get(f"{_META}protocolVersion") in MODERN_PROTOCOL_VERSIONS
        and _is_plain(meta.get(f"{_META}clientCapabilities"))
        and _is_client(meta.get(f"{_META}clientInfo"))
    )


def _is_plain(value: object) -> bool:
    """Whether a value is an object of flags and such objects, as capabilities are."""
    return is_object(value) and all(isinstance(each, bool) or _is_plain(each) for each in value.values())


def _is_client(value: object) -> bool:
    return (
        is_object(value)
        and {"name", "version"} <= value.keys() <= _OF_CLIENT
        and all(isinstance(each, str) for each in value.values())
    )
