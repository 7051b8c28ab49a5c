"""An authorization server on loopback: its metadata, its keys, and the tokens that a test wants."""

import json
import threading
import time
from base64 import urlsafe_b64encode
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs

import jwt
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from jwt.algorithms import ECAlgorithm, OKPAlgorithm, RSAAlgorithm

Private = rsa.RSAPrivateKey | ec.EllipticCurvePrivateKey | ed25519.Ed25519PrivateKey


def private_key(algorithm: str, bits: int = 2048) -> Private:
    """Return a new key for an algorithm."""
    match algorithm:
        case "RS256":
            return rsa.generate_private_key(65537, bits)
        case "ES256":
            return ec.generate_private_key(ec.SECP256R1())
        case _:
            return ed25519.Ed25519PrivateKey.generate()


@dataclass
class Key:
    """A key, by its id."""

    kid: str
    algorithm: str
    private: Private

    @property
    def public(self) -> dict[str, object]:
        """The public part as a JWK."""
        match self.private:
            case rsa.RSAPrivateKey():
                text = RSAAlgorithm.to_jwk(self.private.public_key())
            case ec.EllipticCurvePrivateKey():
                text = ECAlgorithm.to_jwk(self.private.public_key())
            case _:
                text = OKPAlgorithm.to_jwk(self.private.public_key())
        return {**json.loads(text), "kid": self.kid, "use": "sig", "alg": self.algorithm}

    @property
    def pem(self) -> bytes:
        """The public part as PEM."""
        return self.private.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)


def new_key(kid: str, algorithm: str = "ES256", bits: int = 2048) -> Key:
    """Return a new key."""
    return Key(kid, algorithm, private_key(algorithm, bits))


@dataclass
class Issuer:
    """A running authorization server."""

    url: str
    audience: str = ""
    keys: list[Key] = field(default_factory=list[Key])
    """The keys that it publishes."""
    metadata: dict[str, object] = field(default_factory=dict[str, object])
    """What its metadata says in another way."""
    is_down: bool = False
    requests: list[str] = field(default_factory=list[str])
    """Paths that were requested."""
    granted: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    """The resource and the scopes of each token that a client has asked for."""

    def claims(self, **changes: object) -> dict[str, object]:
        """Return the claims of a good token, with changes; None leaves a claim out."""
        now = int(time.time())
        good: dict[str, object] = {
            "iss": self.url,
            "sub": "alice",
            "aud": self.audience,
            "iat": now,
            "nbf": now,
            "exp": now + 600,
            "client_id": "agent",
            "scope": "browser",
        }
        return {name: value for name, value in {**good, **changes}.items() if value is not None}

    def token(self, key: Key | None = None, headers: dict[str, object] | None = None, **changes: object) -> str:
        """Return a token, by default a good one."""
        key = key or self.keys[0]
        return jwt.encode(
            self.claims(**changes), key.private, key.algorithm, {"kid": key.kid, "typ": "at+jwt", **(headers or {})}
        )


def part(value: object) -> str:
    """Return a part of a token that is made by hand."""
    return urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=").decode()


@contextmanager
def open_issuer(path: str = "") -> Generator[Issuer]:
    """Run an authorization server whose URL has a path."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            issuer.requests.append(self.path)
            documents: dict[str, object] = {
                f"/.well-known/oauth-authorization-server{path}": {
                    "issuer": issuer.url,
                    "jwks_uri": f"{issuer.url}/keys",
                    "authorization_endpoint": f"{issuer.url}/authorize",
                    "token_endpoint": f"{issuer.url}/token",
                    "response_types_supported": ["code"],
                    **issuer.metadata,
                },
                f"{path}/keys": {"keys": [key.public for key in issuer.keys]},
            }
            document = documents.get(self.path)
            self.answer(503 if issuer.is_down else 404 if document is None else 200, document)

        def do_POST(self) -> None:
            """Give a client what it asks for."""
            asked = parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode())
            issuer.granted.append((asked["resource"][0], asked["scope"][0]))
            token = issuer.token(aud=asked["resource"][0], scope=asked["scope"][0])
            self.answer(200, {"access_token": token, "token_type": "Bearer", "scope": asked["scope"][0]})

        def answer(self, status: int, document: object) -> None:
            self.send_response(status)
            body = json.dumps(document).encode()
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - its name in the library
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        issuer = Issuer(f"http://127.0.0.1:{server.server_port}{path}")
        issuer.keys = [new_key("first")]
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield issuer
        finally:
            server.shutdown()
            thread.join()
