"""Handles: all that a client without a connection has of its session, and all that any replica of the server needs.

A handle names the session and, where its browser outlives this process, says how to find that. It is sealed with
HMAC (https://www.rfc-editor.org/rfc/rfc2104) for whoever opened it: nobody can make one, or use another's. It is not
secret to its owner, so no login is in it.
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
"""Bytes of a seal: a handle can only be tried at a server, and 96 bits are far more than can be tried there."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a session's state is: a browser on another machine, and the user context that it began with there."""

    session: WebDriverSession
    user_context: str


@dataclass(frozen=True, slots=True)
class Handle:
    """``name`` is the session's at the server that began it, ``place`` where any other finds it.

    ``move`` counts the browsers that the session has lost: the handle with the highest is the newest.
    """

    name: str
    place: Place | None = None
    move: int = 0


class Handles:
    """Seals and opens handles with one key. Servers with the same key, and of the same version, take each other's.

    ``address`` is where sessions are usually, which a handle need not say.
    """

    def __init__(self, key: bytes, address: str = "") -> None:
        self._key = key
        self._address = address

    def seal(self, owner: str, handle: Handle) -> str:
        """Return a handle as its owner gets it."""
        fields = [handle.name, str(handle.move)]
        if handle.place is not None:
            session = handle.place.session
            address = "" if session.address == self._address else session.address
            fields += [session.id, handle.place.user_context, session.browser_name, address, session.web_socket_url]
        body = b"".join(map(_pack, fields))
        return base64.urlsafe_b64encode(body + self._seal(owner, body)).rstrip(b"=").decode()

    def open(self, owner: str, text: str) -> Handle | None:
        """Return what a handle says, None for a text that is none of this owner's."""
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


# Agents repeat a handle with each call, so it is packed: the names that browsers give are numbers of 128 bits in three
# notations. The first byte says which, or how long the text is, or that two bytes more say so.
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
