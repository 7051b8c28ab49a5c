"""Attacks on OAuth access tokens: forged, expired, for others, with keys that the issuer does not have."""

import hmac
import re
import time
from base64 import urlsafe_b64encode
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx2
import jwt
import pytest
import trio
from cryptography.hazmat.primitives.asymmetric import ec
from mcp.client import Client as McpClient
from mcp.client.auth.extensions.client_credentials import ClientCredentialsOAuthProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import OAuthToken

from bidi_server.access import IssuerUnavailableError, RejectedError, Subject
from bidi_server.browser.sessions.allowance import Allowance
from bidi_server.browser.sessions.client import Client
from bidi_server.browser.sessions.registry import open_sessions
from bidi_server.calls import call as run
from bidi_server.config import Config
from bidi_server.oauth import Issuer as Verifier
from bidi_server.oauth import metadata_places
from bidi_server.tools.browser.sessions import BrowserSessionList
from tests.support.fronts import MODERN, ONE, SLOW, Front, connected, open_front, text_of, two_users
from tests.support.issuer import Issuer, new_key, open_issuer, part
from tests.test_http import BOTH, INITIALIZE

AUDIENCE = "https://bidi.example.com/mcp"
METADATA = "https://bidi.example.com/.well-known/oauth-protected-resource/mcp"


@pytest.fixture
def issuer() -> Iterator[Issuer]:
    with open_issuer() as issuer:
        issuer.audience = AUDIENCE
        yield issuer


@pytest.fixture(scope="module")
def public() -> Iterator[Issuer]:
    """The issuer of `front`."""
    with open_issuer("/tenant") as issuer:
        issuer.audience = AUDIENCE
        issuer.keys = [new_key("ec"), new_key("rsa", "RS256"), new_key("ed", "EdDSA")]
        yield issuer


@pytest.fixture(scope="module")
def front(public: Issuer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Front]:
    """A server with static tokens, and with access tokens of an issuer."""
    folder = tmp_path_factory.mktemp("oauth")
    options = ("--oauth-issuer", public.url, "--oauth-audience", AUDIENCE, "--caps", "sessions,network")
    with open_front(folder, *two_users(folder), *options, "--log-level", "debug") as front:
        yield front


def ask(front: Front, token: str, path: str = "/metrics") -> httpx2.Response:
    headers = {b"Authorization": f"Bearer {token}".encode("latin-1")}
    return httpx2.get(front.path(path), headers=headers, timeout=SLOW)


@pytest.mark.parametrize("number", range(3))
def test_every_algorithm_gets_in(front: Front, public: Issuer, number: int) -> None:
    assert ask(front, public.token(public.keys[number])).status_code == 200


def test_static_tokens_get_in_beside(front: Front) -> None:
    assert ask(front, ONE).status_code == 200


def by_hand(issuer: Issuer, header: dict[str, object], signature: str = "", **changes: object) -> str:
    return f"{part(header)}.{part(issuer.claims(**changes))}.{signature}"


def hs256_with_the_public_key(issuer: Issuer) -> str:
    """Return a token that a verifier accepts that takes the public key for a shared secret."""
    key = issuer.keys[1]
    head = f"{part({'alg': 'HS256', 'typ': 'JWT', 'kid': key.kid})}.{part(issuer.claims())}"
    return f"{head}.{urlsafe_b64encode(hmac.digest(key.pem, head.encode(), 'sha256')).rstrip(b'=').decode()}"


def with_its_own_key(issuer: Issuer) -> str:
    own = new_key("own")
    return issuer.token(own, {"kid": "ec", "jwk": own.public})


def changed_payload(issuer: Issuer) -> str:
    head, _, signature = issuer.token().split(".")
    return f"{head}.{part(issuer.claims(sub='admin'))}.{signature}"


def deep(levels: int) -> str:
    return urlsafe_b64encode(b'{"alg":' + b"[" * levels + b"]" * levels + b"}").rstrip(b"=").decode()


def p384(issuer: Issuer) -> str:
    key = ec.generate_private_key(ec.SECP384R1())
    return jwt.encode(issuer.claims(), key, "ES384", {"kid": "ec"})


NOW = int(time.time())

FORGED: dict[str, tuple[Callable[[Issuer], str], str]] = {
    "no signature": (lambda i: by_hand(i, {"alg": "none", "kid": "ec"}), "must be signed by one of"),
    "None": (lambda i: by_hand(i, {"alg": "None", "kid": "ec"}), "must be signed by one of"),
    "no algorithm": (lambda i: by_hand(i, {"kid": "ec"}), "unknown|must be signed"),
    "HS256 with the public key": (hs256_with_the_public_key, "must be signed by one of"),
    "ES384": (p384, "must be signed by one of"),
    "a key of its own in the header": (with_its_own_key, "signature of the token is not valid"),
    "a key at a URL in the header": (
        lambda i: i.token(new_key("x"), {"jku": "http://127.0.0.1:1/keys"}),
        "a key that its issuer does not have",
    ),
    "another key by the same id": (lambda i: i.token(new_key("ec")), "signature of the token is not valid"),
    "a key of another type": (lambda i: i.token(i.keys[0], {"kid": "rsa"}), "a key that its issuer does not have"),
    "an unknown key": (lambda i: i.token(new_key("nobody's")), "a key that its issuer does not have"),
    "no key's id": (lambda i: i.token(new_key("ec"), {"kid": ""}), "a key that its issuer does not have"),
    "a path as a key's id": (lambda i: i.token(new_key("../../etc/passwd")), "a key that its issuer does not have"),
    "other claims": (changed_payload, "signature of the token is not valid"),
    "an empty signature": (lambda i: by_hand(i, {"alg": "ES256", "kid": "ec"}), "signature of the token is not valid"),
    "expired": (lambda i: i.token(exp=NOW - 120), "The token has expired."),
    "not valid yet": (lambda i: i.token(nbf=int(time.time()) + 600), "The token is not valid yet."),
    "issued in the future": (lambda i: i.token(iat=int(time.time()) + 600), "The token is not valid yet."),
    "without an end": (lambda i: i.token(exp=None), "The token has no claim exp."),
    "an end that is no number": (lambda i: i.token(exp="never"), "not valid"),
    "for another server": (lambda i: i.token(aud="https://other.example.com/mcp"), "not issued for"),
    "for a server whose name begins so": (lambda i: i.token(aud=f"{AUDIENCE}.evil.example"), "not issued for"),
    "for the origin": (lambda i: i.token(aud="https://bidi.example.com"), "not issued for"),
    "for nobody": (lambda i: i.token(aud=None), "The token has no claim aud."),
    "for an empty list": (lambda i: i.token(aud=[]), "not issued for|no claim aud"),
    "of another issuer": (lambda i: i.token(iss="https://evil.example"), "not issued by"),
    "of an issuer whose name begins so": (lambda i: i.token(iss=i.url + "/"), "not issued by"),
    "of no issuer": (lambda i: i.token(iss=None), "The token has no claim iss."),
    "of nobody": (lambda i: i.token(sub=None), "The token has no claim sub."),
    "an empty subject": (lambda i: i.token(sub=""), "no subject"),
    "a subject that is no text": (lambda i: i.token(sub=["alice"]), "not valid"),
    "an ID token's relative": (lambda i: i.token(headers={"typ": "logout+jwt"}), "not an access token"),
    "a proof of possession": (lambda i: i.token(headers={"typ": "dpop+jwt"}), "not an access token"),
    "a critical extension": (lambda i: i.token(headers={"crit": ["exp"], "exp": 1}), "unknown|not an access token"),
    "bound to a key": (lambda i: i.token(cnf={"jkt": "x"}), "bound to a key"),
    "no token": (lambda _: "eyJhbGciOiJFUzI1NiJ9", "The token is unknown."),
    "four parts": (lambda i: i.token() + ".x", "unknown|not valid"),
    "an algorithm that is a list": (lambda i: by_hand(i, {"alg": ["ES256"], "kid": "ec"}), "must be signed by one of"),
    "a header of thousands of levels": (lambda _: f"{deep(5000)}.e30.x", "The token is unknown."),
    "letters beyond ASCII": (lambda i: i.token() + "é", "not valid|unknown"),
    "encrypted": (lambda _: "eyJhbGciOiJSU0EtT0FFUCJ9.a.b.c.d", "unknown|must be signed"),
}


@pytest.mark.parametrize("attack", FORGED)
def test_forged_tokens_are_refused(attack: str, front: Front, public: Issuer) -> None:
    make, reason = FORGED[attack]
    answer = ask(front, make(public))
    assert answer.status_code == 401
    header = answer.headers["www-authenticate"]
    assert header.startswith('Bearer error="invalid_token", error_description="')
    assert f'resource_metadata="{METADATA}"' in header
    assert re.search(reason, answer.json()["error_description"]), answer.text


def test_clocks_may_differ_a_little(front: Front, public: Issuer) -> None:
    now = int(time.time())
    assert ask(front, public.token(exp=now - 30, nbf=now - 600)).status_code == 200
    assert ask(front, public.token(nbf=now + 30)).status_code == 200


def test_one_of_several_audiences(front: Front, public: Issuer) -> None:
    assert ask(front, public.token(aud=["https://other.example.com", AUDIENCE + "/"])).status_code == 200


def test_a_token_in_the_query_or_twice_is_none(front: Front, public: Issuer) -> None:
    token = public.token()
    assert httpx2.get(front.path(f"/metrics?access_token={token}")).status_code == 401
    twice = [("Authorization", f"Bearer {token}"), ("Authorization", f"Bearer {token}")]
    assert httpx2.get(front.path("/metrics"), headers=twice).status_code == 401


@pytest.mark.parametrize("path", ["/.well-known/oauth-protected-resource/mcp", "/.well-known/oauth-protected-resource"])
def test_metadata(path: str, front: Front, public: Issuer) -> None:
    answer = httpx2.get(front.path(path))
    assert answer.json() == {
        "resource": AUDIENCE,
        "authorization_servers": [public.url],
        "scopes_supported": ["browser", "network", "sessions"],
        "bearer_methods_supported": ["header"],
        "resource_name": "bidi-server",
    }
    assert httpx2.get(front.path(path), headers={"Host": "evil.example"}).status_code == 421


def test_who_has_no_token_is_told_where_to_get_one(front: Front) -> None:
    answer = httpx2.post(front.url, json=INITIALIZE, headers=BOTH)
    assert answer.status_code == 401
    assert answer.headers["www-authenticate"] == f'Bearer scope="browser", resource_metadata="{METADATA}"'


def call(name: str, **arguments: object) -> dict[str, object]:
    parameters = {"name": name, "arguments": arguments}
    return {"jsonrpc": "2.0", "id": 5, "method": "tools/call", "params": parameters}


def connection(front: Front, client: httpx2.Client, token: str) -> dict[str, str]:
    """Begin a connection, and return the headers of its requests."""
    headers = {"Authorization": f"Bearer {token}"}
    number = client.post(front.url, json=INITIALIZE, headers=headers).headers["mcp-session-id"]
    headers |= {"Mcp-Session-Id": number}
    client.post(front.url, json={"jsonrpc": "2.0", "method": "notifications/initialized"}, headers=headers)
    return headers


def test_scopes(front: Front, public: Issuer) -> None:
    with httpx2.Client(headers=BOTH, timeout=SLOW) as client:
        headers = connection(front, client, public.token())
        refused = client.post(front.url, json=call("browser_session_list"), headers=headers)
        assert refused.status_code == 403
        assert refused.headers["www-authenticate"] == (
            'Bearer error="insufficient_scope", '
            'error_description="The scope sessions is needed. Log in again with it.", '
            f'scope="sessions", resource_metadata="{METADATA}"'
        )
        # Tools that the client may call, and those that there are not, need no other scope.
        for name in ("browser_click", "browser_nothing"):
            assert client.post(front.url, json=call(name, wrong=1), headers=headers).status_code == 200
        # The same connection with a token that has it.
        more = headers | {"Authorization": f"Bearer {public.token(scope='browser sessions')}"}
        assert "No session is open." in client.post(front.url, json=call("browser_session_list"), headers=more).text
        spelled: list[dict[str, object]] = [{"scope": None, "scp": ["sessions"]}, {"scope": ["sessions"]}]
        for scopes in spelled:
            one = headers | {"Authorization": f"Bearer {public.token(None, None, **scopes)}"}
            assert client.post(front.url, json=call("browser_session_list"), headers=one).status_code == 200
        # Names that look like it.
        for scope in ("", "sessions2", "SESSIONS", "browser,sessions", "*"):
            none = headers | {"Authorization": f"Bearer {public.token(scope=scope)}"}
            assert client.post(front.url, json=call("browser_session_list"), headers=none).status_code == 403


def test_resources_need_the_scope_of_their_tool(front: Front, public: Issuer) -> None:
    read = {"jsonrpc": "2.0", "id": 6, "method": "resources/read", "params": {"uri": "bidi-server://page"}}
    with httpx2.Client(headers=BOTH, timeout=SLOW) as client:
        headers = connection(front, client, public.token(scope="network"))
        assert client.post(front.url, json=read, headers=headers).status_code == 403


async def test_a_scope_is_checked_where_the_call_is_run() -> None:
    """In whatever way a message gets there."""
    config = Config()
    async with open_sessions(config) as sessions:
        client = Client(sessions, object(), config)
        client.allowance = Allowance(scopes=frozenset({"browser"}))
        refused = await run(BrowserSessionList, {}, client)
        assert refused.is_error
        assert text_of(refused) == (
            "browser_session_list needs the scope sessions, which the access token does not have. "
            "Log in again with this scope."
        )


async def test_sessions_belong_to_issuer_and_subject(front: Front, public: Issuer) -> None:
    alice, again = public.token(scope="browser sessions"), public.token(scope="browser sessions", client_id="other")
    mallory = public.token(scope="browser sessions", sub="mallory")
    async with connected(front.url, token=alice, era=MODERN) as client:
        assert not (await client.call_tool("browser_session_create", {"name": "hers"})).is_error
    try:
        async with connected(front.url, token=again, era=MODERN) as client:
            assert "-" in text_of(await client.call_tool("browser_session_list", {}))
        async with connected(front.url, token=mallory, era=MODERN) as client:
            assert text_of(await client.call_tool("browser_session_list", {})) == "No session is open."
            assert (await client.call_tool("browser_session_close", {"name": "hers"})).is_error
    finally:
        async with connected(front.url, token=alice, era=MODERN) as client:
            await client.call_tool("browser_session_close", {"name": "hers"})


def test_a_connection_belongs_to_issuer_and_subject(front: Front, public: Issuer) -> None:
    ping = {"jsonrpc": "2.0", "id": 2, "method": "ping"}
    with httpx2.Client(headers=BOTH, timeout=SLOW) as client:
        headers = connection(front, client, public.token())
        for token in (public.token(sub="mallory"), ONE, public.token(client_id="other")):
            stolen = headers | {"Authorization": f"Bearer {token}"}
            assert client.post(front.url, json=ping, headers=stolen).status_code == 404
        assert client.post(front.url, json=ping, headers=headers).status_code == 200


def test_tokens_are_not_in_the_log(front: Front, public: Issuer) -> None:
    token = public.token()
    ask(front, token)
    assert token not in front.log.read_text()
    assert token.split(".")[2] not in front.log.read_text()


async def test_keys_that_are_replaced(issuer: Issuer) -> None:
    verifier = Verifier(issuer.url, AUDIENCE, pause=0)
    assert (await verifier.verify(issuer.token())).name == "alice"
    assert len(issuer.requests) == 2
    await verifier.verify(issuer.token())
    assert len(issuer.requests) == 2
    old, issuer.keys = issuer.keys[0], [new_key("second")]
    assert (await verifier.verify(issuer.token())).name == "alice"
    assert len(issuer.requests) == 4
    with pytest.raises(RejectedError, match="a key that its issuer does not have"):
        await verifier.verify(issuer.token(old))


async def test_unknown_keys_are_not_fetched_for_each_token(issuer: Issuer) -> None:
    verifier = Verifier(issuer.url, AUDIENCE)

    async def attempt(number: int) -> None:
        with pytest.raises(RejectedError):
            await verifier.verify(issuer.token(new_key(f"no {number}")))

    async with trio.open_nursery() as nursery:
        for number in range(30):
            nursery.start_soon(attempt, number)
    assert len(issuer.requests) == 2
    assert (await verifier.verify(issuer.token())).name == "alice"


async def test_an_issuer_that_does_not_answer(issuer: Issuer) -> None:
    verifier = Verifier(issuer.url, AUDIENCE, pause=0)
    issuer.is_down = True
    with pytest.raises(IssuerUnavailableError, match="HTTP 503"):
        await verifier.verify(issuer.token())
    issuer.is_down = False
    await verifier.verify(issuer.token())
    issuer.is_down = True  # its keys are known
    await verifier.verify(issuer.token())
    with pytest.raises(RejectedError):
        await verifier.verify(issuer.token(new_key("other")))


def test_clients_wait_for_an_issuer_that_does_not_answer(tmp_path: Path, issuer: Issuer) -> None:
    issuer.is_down = True
    options = ("--oauth-issuer", issuer.url, "--oauth-audience", AUDIENCE)
    with open_front(tmp_path, *two_users(tmp_path), *options) as front:
        answer = ask(front, issuer.token())
        assert (answer.status_code, answer.headers["retry-after"]) == (503, "30")
        assert ask(front, ONE).status_code == 200


@pytest.mark.parametrize(
    ("metadata", "reason"),
    [
        ({"issuer": "https://evil.example"}, "is the metadata of 'https://evil.example'"),
        ({"jwks_uri": "http://evil.example/keys"}, "no jwks_uri with https"),
        ({"jwks_uri": "file:///etc/keys"}, "no jwks_uri with https"),
        ({"jwks_uri": None}, "no jwks_uri with https"),
    ],
)
async def test_metadata_that_is_not_trusted(metadata: dict[str, object], reason: str, issuer: Issuer) -> None:
    issuer.metadata = metadata
    with pytest.raises(IssuerUnavailableError, match=re.escape(reason)):
        await Verifier(issuer.url, AUDIENCE).verify(issuer.token())


async def test_keys_that_are_not_taken(issuer: Issuer) -> None:
    """A short RSA key, a key for encryption, and a shared secret among the public keys."""
    short = new_key("short", "RS256", 1024)
    issuer.keys = [new_key("first"), short]
    verifier = Verifier(issuer.url, AUDIENCE, pause=0)
    with pytest.warns(Warning, match="below the minimum"):
        token = issuer.token(short)
    with pytest.raises(RejectedError, match="a key that its issuer does not have"):
        await verifier.verify(token)


async def test_a_token_without_the_id_of_its_key(issuer: Issuer) -> None:
    verifier = Verifier(issuer.url, AUDIENCE, pause=0)
    key = issuer.keys[0]
    token = jwt.encode(issuer.claims(), key.private, key.algorithm)
    assert (await verifier.verify(token)).name == "alice"
    issuer.keys = [key, new_key("second")]
    with pytest.raises(RejectedError):  # it could be either
        await Verifier(issuer.url, AUDIENCE, pause=0).verify(token)


def test_identities_are_apart() -> None:
    subjects = [Subject("https://a", "b", "", frozenset(), 0), Subject("https://a\0b", "", "", frozenset(), 0)]
    assert len({subject.identity for subject in subjects} | {"@"}) == 3


def test_places_of_metadata() -> None:
    assert list(metadata_places("https://a.example/t/")) == [
        "https://a.example/.well-known/oauth-authorization-server/t",
        "https://a.example/.well-known/openid-configuration/t",
        "https://a.example/t/.well-known/openid-configuration",
    ]


class Tokens:
    """What a client keeps."""

    def __init__(self) -> None:
        self.token: OAuthToken | None = None

    async def get_tokens(self) -> OAuthToken | None:
        return self.token

    async def set_tokens(self, tokens: OAuthToken) -> None:
        self.token = tokens

    async def get_client_info(self) -> None:
        pass

    async def set_client_info(self, client_info: object) -> None:
        pass


async def test_the_sdk_s_client_logs_in_and_asks_for_more(tmp_path: Path, issuer: Issuer) -> None:
    """It needs no more than the address of the server: the 401 leads it to the issuer, the 403 to another scope."""
    with open_front(tmp_path, "--oauth-issuer", issuer.url, "--caps", "sessions") as front:
        login = ClientCredentialsOAuthProvider(front.url, Tokens(), "agent", "secret", issuer=issuer.url)
        async with (
            httpx2.AsyncClient(auth=login, timeout=SLOW) as http,
            McpClient(streamable_http_client(front.url, http_client=http), mode=MODERN) as client,
        ):
            await client.list_tools()
            assert issuer.granted == [(front.url, "browser")]
            assert text_of(await client.call_tool("browser_session_list", {})) == "No session is open."
        assert [set(scopes.split()) for _, scopes in issuer.granted] == [{"browser"}, {"browser", "sessions"}]
