"""A resource server of OAuth 2.1: access tokens that are JWTs of one issuer, for this server.

https://modelcontextprotocol.io/specification/2025-11-25/basic/authorization, https://www.rfc-editor.org/rfc/rfc9068
"""

from __future__ import annotations

import json
import logging
from http import HTTPStatus
from typing import TYPE_CHECKING, cast
from urllib.parse import urlsplit

import httpx2
import jwt
import trio
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
from jwt.algorithms import RSAAlgorithm

from bidi_server.access import IssuerUnavailableError, RejectedError, Subject
from drivers.json_values import fields, is_array, is_object, items

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

logger = logging.getLogger(__name__)

_KEYS: dict[str, tuple[str, str, set[str]]] = {
    "RS256": ("RSA", "", {"RS256"}),
    "ES256": ("EC", "P-256", {"ES256"}),
    "EdDSA": ("OKP", "Ed25519", {"EdDSA", "Ed25519"}),
}
"""The accepted algorithms, all asymmetric (https://www.rfc-editor.org/rfc/rfc8725), and their keys: type, curve, names
of the algorithm."""

TYPES = {"", "jwt", "at+jwt", "application/at+jwt"}
"""Accepted types of a token: https://www.rfc-editor.org/rfc/rfc9068#section-2.1. Many issuers do not say at+jwt."""

SKEW = 60
"""Maximum difference between the clocks of the issuer and this machine, in seconds."""

FRESH = 3600.0
"""Time after which the keys of the issuer are fetched again, in seconds."""

STALE = 24 * 3600.0
"""Maximum time to go on with old keys while the issuer does not answer, in seconds."""

PAUSE = 30.0
"""Minimum time between two requests for keys, in seconds: anybody can send tokens with unknown keys."""

FETCH_SECONDS = 5.0
"""Timeout for the issuer to answer, in seconds."""

MAX_DOCUMENT = 1_000_000
"""Maximum size of the documents of the issuer, in bytes."""

MIN_RSA = 2048
"""Minimum size of an RSA key, in bits: https://www.rfc-editor.org/rfc/rfc7518#section-3.3."""


class Issuer:
    """An authorization server. Its keys are found by its metadata, and fetched when they are first needed."""

    def __init__(self, url: str, audience: str, *, pause: float = PAUSE) -> None:
        self.url = url
        self.audience = audience
        self._pause = pause
        self._keys: list[Mapping[str, object]] = []
        self._fetched = -STALE
        self._tried = -pause
        self._trouble = ""
        self._lock = trio.Lock()

    async def verify(self, token: str) -> Subject:
        """Return the subject of an access token. Raises `RejectedError`, `IssuerUnavailableError`."""
        try:
            header = jwt.get_unverified_header(token)
        except (jwt.PyJWTError, ValueError, TypeError, RecursionError):
            raise RejectedError("The token is unknown.") from None
        algorithm = header.get("alg")
        if not isinstance(algorithm, str) or algorithm not in _KEYS:
            raise RejectedError(f"The token must be signed by one of {', '.join(_KEYS)}.")
        if "crit" in header or str(header.get("typ", "")).lower() not in TYPES:
            raise RejectedError("The token is not an access token.")
        kid = header.get("kid")
        key = await self._key(kid if isinstance(kid, str) else None, algorithm)
        return self._subject(self._claims(token, key, algorithm))

    def _claims(self, token: str, key: jwt.PyJWK, algorithm: str) -> Mapping[str, object]:
        audiences = [self.audience.removesuffix("/"), self.audience.removesuffix("/") + "/"]
        required = ["exp", "iss", "aud", "sub"]
        try:
            claims: object = jwt.decode(
                token, key, [algorithm], {"require": required}, audience=audiences, issuer=self.url, leeway=SKEW
            )
        except jwt.ExpiredSignatureError:
            raise RejectedError("The token has expired.") from None
        except jwt.ImmatureSignatureError:
            raise RejectedError("The token is not valid yet.") from None
        except jwt.InvalidAudienceError:
            raise RejectedError(f"The token was not issued for {self.audience}.") from None
        except jwt.InvalidIssuerError:
            raise RejectedError(f"The token was not issued by {self.url}.") from None
        except jwt.MissingRequiredClaimError as error:
            raise RejectedError(f"The token has no claim {error.claim}.") from None
        except (jwt.PyJWTError, ValueError, TypeError, OverflowError, RecursionError):
            raise RejectedError("The signature of the token is not valid.") from None
        return fields(claims)

    def _subject(self, claims: Mapping[str, object]) -> Subject:
        if claims.get("cnf") is not None:
            # Whoever shows such a token must prove that they have its key: https://www.rfc-editor.org/rfc/rfc9449.
            raise RejectedError("The token is bound to a key. Use a bearer token.")
        name = claims["sub"]
        if not isinstance(name, str) or not name:
            raise RejectedError("The token has no subject.")
        client = next((each for key in ("client_id", "azp") if isinstance(each := claims.get(key), str)), "")
        expires = cast("int | float", claims["exp"])  # PyJWT has compared it
        return Subject(self.url, name, client, frozenset(_scopes(claims)), int(expires) + SKEW)

    async def _key(self, kid: str | None, algorithm: str) -> jwt.PyJWK:
        await self._refresh(needed=lambda: trio.current_time() - self._fetched >= FRESH)
        found = self._find(kid, algorithm)
        if found is None:
            await self._refresh(needed=lambda: self._find(kid, algorithm) is None)
            found = self._find(kid, algorithm)
        if found is None:
            raise RejectedError("The token is signed by a key that its issuer does not have.")
        return found

    def _find(self, kid: str | None, algorithm: str) -> jwt.PyJWK | None:
        """Return the key of a token. A token without a key's id fits if only one key can have signed it."""
        if trio.current_time() - self._fetched >= STALE:
            raise IssuerUnavailableError(self._trouble or "its keys are not known")
        named = [key for key in self._keys if kid is None or key.get("kid") == kid]
        fitting = [key for each in named if (key := _usable(each, algorithm)) is not None]
        return fitting[0] if len(fitting) == 1 else None

    async def _refresh(self, *, needed: Callable[[], bool]) -> None:
        """Fetch the keys if they are needed and were not requested just now."""

        def is_due() -> bool:
            return needed() and trio.current_time() - self._tried >= self._pause

        if not is_due():
            return
        async with self._lock:  # requests that come meanwhile wait for the same keys
            if not is_due():
                return
            try:
                with trio.fail_after(FETCH_SECONDS):
                    self._keys = await self._fetch()
            except (httpx2.HTTPError, httpx2.InvalidURL, trio.TooSlowError, ValueError) as error:
                self._trouble = str(error) or type(error).__name__
                logger.warning("--oauth-issuer %s: its keys can't be fetched: %s", self.url, self._trouble)
            else:
                self._fetched = trio.current_time()
            finally:
                self._tried = trio.current_time()

    async def _fetch(self) -> list[Mapping[str, object]]:
        """Return the keys. Raises HTTPError of httpx2 and ValueError."""
        # Redirects are not followed: the keys must come from where the operator and the issuer say.
        async with httpx2.AsyncClient(timeout=FETCH_SECONDS, follow_redirects=False) as client:
            metadata = await self._metadata(client)
            place = metadata.get("jwks_uri")
            if not isinstance(place, str) or not _is_secure(place, self.url):
                raise ValueError("its metadata has no jwks_uri with https")
            document = await _document(client, place)
        keys = document.get("keys")
        if not is_array(keys):
            raise ValueError(f"there are no keys at {place}")
        return [key for key in keys if is_object(key)]

    async def _metadata(self, client: httpx2.AsyncClient) -> Mapping[str, object]:
        tried: list[str] = []
        for place in metadata_places(self.url):
            try:
                found = await _document(client, place)
            except (httpx2.HTTPError, ValueError) as error:
                tried.append(f"{place}: {error or type(error).__name__}")
                continue
            if found.get("issuer") != self.url:
                raise ValueError(f"{place} is the metadata of {found.get('issuer')!r}, which must be the same text")
            return found
        raise ValueError(f"no metadata ({'; '.join(tried)})")


def metadata_places(issuer: str) -> Iterator[str]:
    """Yield the URLs of an issuer's metadata: https://www.rfc-editor.org/rfc/rfc8414#section-3.1, OpenID Connect."""
    parts = urlsplit(issuer)
    origin, path = f"{parts.scheme}://{parts.netloc}", parts.path.rstrip("/")
    yield f"{origin}/.well-known/oauth-authorization-server{path}"
    yield f"{origin}/.well-known/openid-configuration{path}"
    if path:
        yield f"{origin}{path}/.well-known/openid-configuration"


async def _document(client: httpx2.AsyncClient, url: str) -> Mapping[str, object]:
    """Return a JSON object. Raises HTTPError of httpx2 and ValueError."""
    async with client.stream("GET", url, headers={"Accept": "application/json"}) as response:
        if response.status_code != HTTPStatus.OK:
            raise ValueError(f"HTTP {response.status_code}")
        body = b""
        async for chunk in response.aiter_bytes():
            body += chunk
            if len(body) > MAX_DOCUMENT:
                raise ValueError("its document is too large")
    try:
        content: object = json.loads(body)
    except RecursionError:
        raise ValueError("its document is nested too deeply") from None
    if not is_object(content):
        raise ValueError("its document is not a JSON object")
    return content


def _is_secure(url: str, issuer: str) -> bool:
    """Whether keys may be fetched from a URL: by https, or as the issuer itself on this machine."""
    parts, own = urlsplit(url), urlsplit(issuer)
    return parts.scheme == "https" or (parts.scheme == own.scheme and parts.hostname == own.hostname)


def _usable(key: Mapping[str, object], algorithm: str) -> jwt.PyJWK | None:
    """Return a public key that signatures by an algorithm can be checked with, or None."""
    kind, curve, names = _KEYS[algorithm]
    if key.get("kty") != kind or key.get("use", "sig") != "sig":
        return None
    if key.get("alg", algorithm) not in names or (curve and key.get("crv") != curve):
        return None
    try:
        found = jwt.PyJWK(dict(key), algorithm)
    except (jwt.PyJWTError, ValueError, TypeError):
        return None
    if isinstance(found.Algorithm, RSAAlgorithm) and (
        not isinstance(found.key, RSAPublicKey) or found.key.key_size < MIN_RSA
    ):
        return None
    return found


def _scopes(claims: Mapping[str, object]) -> Iterator[str]:
    """Yield the scopes: a text as in RFC 9068, or a list; some issuers call it ``scp``."""
    for name in ("scope", "scp"):
        value = claims.get(name)
        yield from value.split() if isinstance(value, str) else (each for each in items(value) if isinstance(each, str))
