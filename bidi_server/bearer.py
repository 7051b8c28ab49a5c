"""Bearer tokens over HTTP: who a request is from, and the answers to requests that are refused.

https://www.rfc-editor.org/rfc/rfc6750, https://www.rfc-editor.org/rfc/rfc9728#section-5.1
"""

from __future__ import annotations

import json
import logging
from dataclasses import dataclass, field
from hmac import compare_digest
from http import HTTPStatus
from typing import TYPE_CHECKING, Protocol

from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from bidi_server.access import IssuerUnavailableError, RejectedError
from bidi_server.declared import MAX_MESSAGE
from bidi_server.grants import Grant, GrantError, anonymous, digest_of
from drivers.json_values import fields

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from bidi_server.access import Subject
    from bidi_server.audit import AuditLog
    from bidi_server.grants import Holder, TokenFile

logger = logging.getLogger(__name__)

PRINCIPAL = "bidi_server.principal"
"""Key of a request's principal in its ASGI scope."""

RETRY_SECONDS = 30
"""Time after which clients try again if no token can be checked, in seconds."""


@dataclass(frozen=True, slots=True)
class Principal:
    """The sender of a request, as its token says."""

    identity: str
    """Owner of sessions, and name of the folder for files."""
    title: str
    """Subject of the sentences of errors."""
    who: Mapping[str, str]
    """The same for the audit log."""
    grant: Grant
    scopes: frozenset[str] | None = None
    """The scopes of an OAuth access token; None for a static token."""
    access: AccessToken = field(default_factory=lambda: AccessToken(token="", client_id="", scopes=[]))
    """The same for the SDK, which lets a connection be used by the principal only that began it."""


class Issuer(Protocol):
    """A check of OAuth access tokens: see `bidi_server.oauth`."""

    async def verify(self, token: str) -> Subject:
        """Return the subject of a token. Raises `RejectedError`, `IssuerUnavailableError`."""
        ...


class Bearers:
    """All accepted tokens: static ones of a file or a generated one, and those of an OAuth issuer."""

    def __init__(self, file: TokenFile | None, issuer: Issuer | None = None, generated: str = "") -> None:
        self._file = file
        self._issuer = issuer
        self._generated = anonymous(generated) if generated else None
        self._generated_token = generated

    async def principal(self, token: str) -> Principal:
        """Return who a token is for. Raises `RejectedError`, `IssuerUnavailableError`."""
        if not token:
            raise RejectedError(_NO_TOKEN)
        self._read_again()
        holder = self._file.find(token) if self._file is not None else self._is_generated(token)
        if holder is not None:
            return _of_holder(holder)
        if self._issuer is None:
            raise RejectedError("The token is unknown.")
        subject = await self._issuer.verify(token)
        return _of_subject(subject, self._file.of_subject(subject.name) if self._file is not None else Grant())

    def _is_generated(self, token: str) -> Holder | None:
        same = self._generated is not None and compare_digest(digest_of(token), digest_of(self._generated_token))
        return self._generated if same else None

    def _read_again(self) -> None:
        if self._file is None or not self._file.has_changed:
            return
        try:
            self._file.read()
        except GrantError as error:
            logger.error("--token-file: it was changed, but the earlier tokens stay: %s", error)  # noqa: TRY400
        else:
            logger.warning("--token-file: it was changed, and read again")


def _of_holder(holder: Holder) -> Principal:
    title = f"The token {holder.name!r}" if holder.name else "The token"
    who = {"token": holder.name or holder.identity}
    access = AccessToken(token=holder.identity, client_id=holder.identity, scopes=[])
    return Principal(holder.identity, title, who, holder.grant, None, access)


def _of_subject(subject: Subject, grant: Grant) -> Principal:
    who = {"issuer": subject.issuer, "subject": subject.name}
    if subject.client:
        who["client"] = subject.client
    access = AccessToken(
        token=subject.identity,
        client_id=subject.client,
        scopes=sorted(subject.scopes),
        expires_at=subject.expires_at,
        subject=subject.name,
        claims={"iss": subject.issuer},
    )
    return Principal(subject.identity, "The user of this access token", who, grant, subject.scopes, access)


@dataclass(frozen=True, slots=True)
class Challenge:
    """The part of an answer to a refused request that leads the client to a token."""

    metadata: str = ""
    """URL of the metadata of this server; "" without OAuth."""
    scopes: tuple[str, ...] = ()
    """Scopes that a client needs to begin with."""

    def header(self, error: str = "", description: str = "", scopes: tuple[str, ...] = ()) -> str:
        """Return the value of ``WWW-Authenticate``."""
        values = {
            "error": error,
            "error_description": description,
            "scope": " ".join(scopes or self.scopes) if self.metadata else "",
            "resource_metadata": self.metadata,
        }
        parts = [f'{name}="{_quotable(value)}"' for name, value in values.items() if value]
        return "Bearer " + (", ".join(parts) or 'realm="bidi-server"')


def _quotable(text: str) -> str:
    return "".join(char if " " <= char <= "~" and char not in '"\\' else "'" for char in text)


class BearerGuard:
    """Middleware that lets requests with an accepted token through, and calls whose scope the token has.

    ``scopes_of`` returns scopes for a message, which needs one of them; an empty tuple if it needs none.
    """

    def __init__(
        self,
        app: ASGIApp,
        bearers: Bearers,
        challenge: Challenge,
        scopes_of: Callable[[Mapping[str, object]], tuple[str, ...]] | None = None,
        audit: AuditLog | None = None,
    ) -> None:
        self._app = app
        self._bearers = bearers
        self._challenge = challenge
        self._scopes_of = scopes_of
        self._audit = audit

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        request = Request(scope)
        token = _token(request)
        try:
            principal = await self._bearers.principal(token)
        except RejectedError as error:
            code = "invalid_token" if token else ""
            header = self._challenge.header(code, str(error) if token else "")
            self._log(request, {}, str(error), HTTPStatus.UNAUTHORIZED)
            await _refused(HTTPStatus.UNAUTHORIZED, code or "unauthorized", str(error), header)(scope, receive, send)
            return
        except IssuerUnavailableError as error:
            self._log(request, {}, str(error), HTTPStatus.SERVICE_UNAVAILABLE)
            what = "Tokens can't be checked now, because their issuer does not answer. Try again later."
            answer = _refused(HTTPStatus.SERVICE_UNAVAILABLE, "temporarily_unavailable", what)
            answer.headers["Retry-After"] = str(RETRY_SECONDS)
            await answer(scope, receive, send)
            return
        scope["user"] = AuthenticatedUser(principal.access)
        scope[PRINCIPAL] = principal
        if self._scopes_of is not None and principal.scopes is not None and scope["method"] == "POST":
            body, receive = await _read_ahead(receive)
            missing = _missing(self._scopes_of, body, principal.scopes)
            if missing:
                await self._ask_for(missing, request, principal)(scope, receive, send)
                return
        await self._app(scope, receive, send)

    def _ask_for(self, scopes: tuple[str, ...], request: Request, principal: Principal) -> Response:
        what = f"The scope {' or '.join(scopes)} is needed. Log in again with it."
        self._log(request, principal.who, what, HTTPStatus.FORBIDDEN)
        # One scope: a client would ask for all that are named.
        header = self._challenge.header("insufficient_scope", what, scopes[:1])
        return _refused(HTTPStatus.FORBIDDEN, "insufficient_scope", what, header)

    def _log(self, request: Request, who: Mapping[str, str], reason: str, status: HTTPStatus) -> None:
        if self._audit is not None:
            self._audit.refusal({**who, "address": address_of(request)}, reason, status=int(status))


_NO_TOKEN = "A token is needed: send the header Authorization: Bearer TOKEN."  # noqa: S105 - not a password


def address_of(request: Request) -> str:
    """Return the address that a request comes from, a proxy's if there is one."""
    return request.client.host if request.client is not None else ""


def _token(request: Request) -> str:
    """Return the token of a request; "" if it has none, or several: a proxy may have checked another one."""
    values = request.headers.getlist("authorization")
    scheme, _, token = values[0].partition(" ") if len(values) == 1 else ("", "", "")
    return token.strip() if scheme.lower() == "bearer" else ""


def _refused(status: HTTPStatus, error: str, description: str, header: str = "") -> Response:
    headers = {"WWW-Authenticate": header} if header else None
    return JSONResponse({"error": error, "error_description": description}, status, headers)


async def _read_ahead(receive: Receive) -> tuple[bytes, Receive]:
    """Return the body of a request, and a function that receives it once more. A large one is left unread."""
    read: list[Message] = []
    size, more = 0, True
    while more and size <= MAX_MESSAGE:
        message = await receive()
        read.append(message)
        size += len(message.get("body", b""))
        more = message["type"] == "http.request" and message.get("more_body", False)
    waiting = iter(read)

    async def again() -> Message:
        message = next(waiting, None)
        return message if message is not None else await receive()

    return b"".join(message.get("body", b"") for message in read) if not more else b"", again


def _missing(
    scopes_of: Callable[[Mapping[str, object]], tuple[str, ...]], body: bytes, scopes: frozenset[str]
) -> tuple[str, ...]:
    """Return the scopes for a message if the token has none of them; an empty tuple if the message may pass.

    The tool checks this again: this parser is here for the answer that makes clients ask for more scopes.
    """
    try:
        message = fields(json.loads(body))
    except (ValueError, RecursionError):
        return ()
    wanted = scopes_of(message)
    return wanted if scopes.isdisjoint(wanted) else ()
