"""Session handles for clients without a connection, readable by each replica of the server.

A handle names the session and, if its browser outlives this process, where to find that browser. It is signed with
HMAC (https://www.rfc-editor.org/rfc/rfc2104) for its owner, so that clients can neither forge handles nor use those of
others. Its owner can read it, so it contains no credentials.
"""

from __future__ import annotations

import base64
import hmac
import struct
from dataclasses import dataclass
from uuid import UUID

from bidi_server import __version__
from drivers import WebDriverSession

SEAL = 12
"""Size of the signature in bytes. A handle can only be guessed by requests to a server: 96 bits are enough."""


@dataclass(frozen=True, slots=True)
class Place:
    """Location of a session's state: a browser on another machine, and the session's first user context."""

    session: WebDriverSession
    user_context: str


@dataclass(frozen=True, slots=True)
class Handle:
    """The content of a handle: the session's ``name`` at the server that began it, and its ``place`` for other servers.

    ``move`` counts the browsers that the session has lost: the handle with the highest number is the newest.
    """

    name: str
    place: Place | None = None
    move: int = 0


class Handles:
    """A signer and verifier of handles. Servers of the same version with the same key accept each other's handles.

    ``address`` is the default location of sessions, which handles omit.
    """

    def __init__(self, key: bytes, address: str = "") -> None:
        self._key = key
        self._address = address

    def seal(self, owner: str, handle: Handle) -> str:
        """Return a handle as signed text for its owner."""
        fields = [handle.name, str(handle.move)]
        if handle.place is not None:
            session = handle.place.session
            address = "" if session.address == self._address else session.address
            fields += [session.id, handle.place.user_context, session.browser_name, address, session.web_socket_url]
        body = b"".join(map(_pack, fields))
        return base64.urlsafe_b64encode(body + self._seal(owner, body)).rstrip(b"=").decode()

    def open(self, owner: str, text: str) -> Handle | None:
        """Return the content of a handle, or None if it is not a valid handle of this owner."""
        try:
            sealed = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
        except ValueError:
            return None
        body, seal = sealed[:-SEAL], sealed[-SEAL:]
        if not hmac.compare_digest(seal, self._seal(owner, body)):
            return None
        name, move, *rest = _unpack(body)
        place = None
        if rest:
            id_, user_context, browser_name, address, web_socket_url = rest
            session = WebDriverSession(id_, browser_name, address or self._address, web_socket_url)
            place = Place(session, user_context)
        return Handle(name, place, int(move))

    def _seal(self, owner: str, body: bytes) -> bytes:
        message = b"\0".join([__version__.encode(), owner.encode(), body])
        return hmac.digest(self._key, message, "sha256")[:SEAL]


# Agents repeat a handle with each call, so it is packed. Browsers use 128-bit numbers in three notations as names. The
# first byte gives the notation, the length of a text, or that two more bytes give the length.
_LOWER, _UPPER, _UUID, _LONG = 252, 253, 254, 255


def _pack(text: str) -> bytes:
    if len(text) in {32, 36}:
        try:
            number = UUID(text)
        except ValueError:
            pass
        else:
            for kind, notation in _notations(number).items():
                if notation == text:
                    return bytes([kind]) + number.bytes
    encoded = text.encode()
    size = len(encoded)
    return (bytes([size]) if size < _LOWER else struct.pack(">BH", _LONG, size)) + encoded


def _unpack(body: bytes) -> list[str]:
    found: list[str] = []
    while body:
        kind, body = body[0], body[1:]
        if kind in {_LOWER, _UPPER, _UUID}:
            size = 16
            found.append(_notations(UUID(bytes=body[:size]))[kind])
        else:
            size = kind
            if kind == _LONG:
                size, body = struct.unpack_from(">H", body)[0], body[2:]
            found.append(body[:size].decode())
        body = body[size:]
    return found


def _notations(number: UUID) -> dict[int, str]:
    return {_LOWER: number.hex, _UPPER: number.hex.upper(), _UUID: str(number)}
