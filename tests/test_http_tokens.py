"""A file of tokens in TOML: names, secrets that are elsewhere, limits of their own."""

import re
from hashlib import sha256
from pathlib import Path

import httpx2
import pytest
import trio
from trio.testing import MockClock

from bidi_server.browser.sessions.allowance import MINUTE, Allowance, Usage, Window
from bidi_server.browser.sessions.client import Client
from bidi_server.browser.sessions.registry import open_sessions
from bidi_server.calls import call
from bidi_server.config import Config, ConfigError, load_config
from bidi_server.errors import LimitError, NotAllowedError, RateLimitError
from bidi_server.grants import Grant, GrantError, TokenFile, digest_of, parse
from bidi_server.tools.base import offered
from bidi_server.tools.browser.capabilities import BrowserEnable
from bidi_server.tools.browser.sessions import BrowserSessionList
from bidi_server.tools.browser.tabs import BrowserTabs
from bidi_server.tools.outcome import Outcome, nobody_listens
from docs.generate import README
from tests.support.fronts import HANDSHAKE, MODERN, ONE, TWO, Front, connected, open_front, text_of
from tests.test_http import refused

HASH = sha256(ONE.encode()).hexdigest()
CI = f'[tokens.ci]\nsha256 = "{HASH}"\n'
NAMES = ("browser_click", "browser_navigate", "browser_snapshot")


def read(folder: Path, text: str, config: Config | None = None) -> TokenFile:
    (folder / "tokens.toml").write_text(text)
    file = TokenFile(folder / "tokens.toml", config or Config(transport="http"), NAMES)
    file.read()
    return file


def test_where_a_token_can_be(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OF_TWO", TWO)
    (tmp_path / "three").write_text("third-token-of-a-file\n")
    file = read(
        tmp_path,
        f'[tokens.one]\nsha256 = "{HASH}"\n[tokens.two]\nenv = "OF_TWO"\n[tokens.three]\nfile = "{tmp_path}/three"\n',
    )
    found = {name: file.find(name) for name in (ONE, TWO, "third-token-of-a-file", "", HASH, "OF_TWO")}
    assert {token: holder and holder.name for token, holder in found.items()} == {
        ONE: "one",
        TWO: "two",
        "third-token-of-a-file": "three",
        "": None,
        HASH: None,
        "OF_TWO": None,
    }


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("[tokens", "it is not TOML: "),
        ("", "there is no token in it. Add one: [tokens.NAME], and below it sha256"),
        ("[token.ci]\n", "token: there is no such table. Tables: tokens, oauth, subjects."),
        ("tokens = 1\n", "tokens: it must be a table, such as [tokens.ci]."),
        ("[tokens]\nci = 1\n", "tokens.ci: it must be a "),
        ("[tokens.ci]\n", "tokens.ci: it must be a table with one of sha256, env and file"),
        ('[tokens.ci]\nenv = "A"\nfile = "b"\n', "tokens.ci: it must be a table with one of sha256, env and file"),
        (f'[tokens."Ci/.."]\nsha256 = "{HASH}"\n', "tokens.Ci/..: a name has lower-case letters"),
        (f'[tokens."../x"]\nsha256 = "{HASH}"\n', "tokens.../x: a name has lower-case letters"),
        ('[tokens.ci]\nsha256 = "secret"\n', "tokens.ci.sha256: it must be 64 hexadecimal digits"),
        ('[tokens.ci]\nenv = "NOT_SET_AT_ALL"\n', "tokens.ci: the environment variable NOT_SET_AT_ALL is not set"),
        ('[tokens.ci]\nenv = "SHORT"\n', "the environment variable SHORT has fewer than 16 characters"),
        ('[tokens.ci]\nfile = "none"\n', "tokens.ci: the file none can't be read: No such file"),
        ('[tokens.ci]\ntoken = "s"\n', "tokens.ci.token: there is no such option."),
        (
            f'[tokens.ci]\nsha256 = "{HASH}"\nsesions = 1\n',
            "tokens.ci.sesions: there is no such option. Did you mean ses",
        ),
        (CI + "sessions = 0\n", "tokens.ci.sessions: it must be greater than 0, not 0."),
        (CI + 'sessions = "many"\n', "tokens.ci.sessions: it must be a whole number"),
        (CI + 'bytes_per_minute = "much"\n', "it must be a number of bytes, such as"),
        (CI + 'caps = "visoin"\n', "tokens.ci.caps.0: it must be one of 'vision'"),
        (CI + 'egress = "a/b"\n', "tokens.ci.egress: it must be hosts without methods"),
        (
            f'[tokens.ci]\nsha256 = "{HASH}"\nblocked_urls = ["ftp://a"]\n',
            "tokens.ci.blocked_urls.0: it must be a pattern",
        ),
        (
            f'[tokens.ci]\nsha256 = "{HASH}"\ntools = ["browser_clik"]\n',
            "there is no tool 'browser_clik'. Did you mean",
        ),
        ("[oauth]\nsessions = -1\n", "oauth.sessions: it must be greater than 0, not -1."),
        ("[subjects.a]\ncalls_per_minute = 0\n", "subjects.a.calls_per_minute: it must be greater than 0"),
        (
            f'[tokens.a]\nsha256 = "{HASH}"\n[tokens.b]\nsha256 = "{HASH}"\n',
            "tokens.b and tokens.a are the same token.",
        ),
    ],
)
def test_mistakes(text: str, reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHORT", "guess me")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(GrantError) as error:
        read(tmp_path, text)
    assert reason in str(error.value)
    assert "\n" not in str(error.value)
    assert "guess me" not in str(error.value)


def test_the_example_of_the_readme() -> None:
    [text] = re.findall(r"```toml\n(\[tokens.*?)```", README.read_text("utf-8"), re.DOTALL)
    config = Config(transport="http")
    tools = tuple(offered(["browser"], (), far=True))
    grants = parse(re.sub(r'sha256 = "[^"]*"', f'sha256 = "{HASH}"', text), config, tools)
    assert grants.tokens["ci"].bytes_per_minute == 20_000_000
    assert set(grants.tokens["ci"].model_fields_set) == {*Grant.model_fields, "sha256"}
    assert list(grants.subjects) == ["auth0|7f3c"]


def test_grants_of_oauth_subjects(tmp_path: Path) -> None:
    """A file need not have tokens then."""
    config = Config(transport="http", oauth_issuer="https://login.example.com")
    file = read(tmp_path, '[oauth]\ncalls_per_minute = 1\n[subjects."auth0|7 f"]\nsessions = 3\n', config)
    assert file.of_subject("auth0|7 f") == Grant(sessions=3)
    assert file.of_subject("somebody") == Grant(calls_per_minute=1)
    assert file.find("") is None


def test_a_policy_that_would_not_hold(tmp_path: Path) -> None:
    config = Config(transport="http", egress=("open",), endpoint="http://127.0.0.1:9222")
    with pytest.raises(GrantError, match=r"tokens.ci.egress: it does not hold with --endpoint."):
        read(tmp_path, f'[tokens.ci]\nsha256 = "{HASH}"\negress = "public"\n', config)


def test_sessions_that_are_shared_have_no_policy_of_their_own(tmp_path: Path) -> None:
    config = Config(transport="http", allow_shared_sessions=True)
    with pytest.raises(GrantError, match=r"tokens.ci: a policy of its own does not hold with --allow-shared-sessions"):
        read(tmp_path, CI + 'allowed_urls = "a.example"\n', config)
    read(tmp_path, CI + "sessions = 2\n", config)


def test_a_mistake_ends_the_start(tmp_path: Path) -> None:
    (tmp_path / "tokens.toml").write_text('[tokens.ci]\nsha256 = "short"\n')
    said = refused("--token-file", "tokens.toml", folder=tmp_path)
    assert said.startswith("bidi-server: --token-file tokens.toml: tokens.ci.sha256: it must be 64 hexadecimal digits")
    assert len(said.splitlines()) == 1


def test_options_of_oauth(tmp_path: Path) -> None:
    said = refused("--oauth-issuer", "https://a.example", "--host", "0.0.0.0", folder=tmp_path)
    assert "--oauth-issuer needs --oauth-audience" in said
    said = refused("--oauth-audience", "https://a.example/mcp", folder=tmp_path)
    assert "does nothing without --oauth-issuer" in said
    with pytest.raises(ConfigError, match="--oauth-issuer: it must be an https URL"):
        load_config({"transport": "http", "oauth_issuer": "http://login.example.com"}, {})
    for wrong in ("bidi.example.com", "https://a.example/mcp#x", "https://u@a.example", "https://a.example/?q"):
        with pytest.raises(ConfigError, match="--oauth-audience: it must be a URL without"):
            load_config({"transport": "http", "oauth_audience": wrong}, {})
    with pytest.raises(ConfigError, match="--oauth-issuer: it does nothing without --transport http"):
        load_config({"oauth_issuer": "https://a.example"}, {})


def test_a_configuration_of_its_own() -> None:
    config = Config(transport="http", blocked_urls=("ip:local",), caps=("network",), allowed_urls=("a.example",))
    assert config.egress_policy is not None
    own = Grant(egress=("b.example",), blocked_urls=("c.example",), caps=("vision",)).configured(config)
    assert own.egress_policy is not None
    assert own.egress_policy.text == "b.example"
    assert [pattern.text for pattern in own.egress_policy.blocked] == ["ip:local", "c.example"]
    assert (own.caps, own.allowed_urls) == (("vision",), ("a.example",))
    assert Grant().configured(config) == config
    assert Grant(egress=("open",)).configured(config).egress_policy is None


def names(file: TokenFile, *tokens: str) -> list[str]:
    return [holder.name if (holder := file.find(token)) else "" for token in tokens]


def test_a_file_that_has_changed(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text(TWO)
    file = read(tmp_path, f'[tokens.one]\nsha256 = "{HASH}"\n[tokens.two]\nfile = "{tmp_path}/secret"\n')
    assert names(file, ONE, TWO) == ["one", "two"]
    assert not file.has_changed
    (tmp_path / "secret").write_text("another-secret-of-two")
    assert file.has_changed
    file.read()
    assert names(file, TWO, "another-secret-of-two") == ["", "two"]
    (tmp_path / "tokens.toml").unlink()
    assert not file.has_changed  # an editor may be about to write it


async def test_windows(autojump_clock: MockClock) -> None:
    start = trio.current_time()
    amounts = Window()
    for _ in range(3):
        amounts.add(10)
        await trio.sleep(10)
    assert amounts.total() == 30
    assert amounts.seconds_until_below(31) == 0
    assert amounts.seconds_until_below(30) == pytest.approx(MINUTE - 30)
    assert amounts.seconds_until_below(10) == pytest.approx(MINUTE - 10)
    await trio.sleep(MINUTE - 30)
    assert amounts.total() == 20
    assert trio.current_time() - start == pytest.approx(MINUTE)


async def test_calls_and_bytes(autojump_clock: MockClock) -> None:
    allowance = Allowance(holder="The token 'ci'", way_out="Ask.", calls_per_minute=2, bytes_per_minute=100)
    allowance.take_call()
    allowance.take_call()
    with pytest.raises(RateLimitError) as error:
        allowance.take_call()
    assert str(error.value) == ("The token 'ci' has made 2 calls within a minute, which is the limit. Wait 60 s. Ask.")
    assert error.value.details == {"retry_after_seconds": 60}
    await trio.sleep(60)
    allowance.take_call()
    allowance.count_sent(lambda: 150)
    await trio.sleep(5)
    with pytest.raises(RateLimitError) as error:
        allowance.take_call()
    assert str(error.value) == (
        "The token 'ci' has received 150 bytes within a minute; the limit is 100. Wait 55 s. Ask."
    )
    await trio.sleep(55)
    allowance.take_call()


async def test_sessions_are_counted_in_all_connections() -> None:
    config = Config()
    async with open_sessions(config) as sessions:
        usage = Usage()
        clients = [Client(sessions, object(), config) for _ in range(3)]
        for client in clients:
            client.allowance = Allowance(holder="The token 'ci'", usage=usage, sessions=2)
        for client in clients[:2]:
            client.session()
            client.session()  # the same
        with pytest.raises(LimitError, match="The token 'ci' has 2 open sessions"):
            clients[2].session()
        Client(sessions, object(), config).session()  # of somebody else
        await clients[0].close("default")
        clients[2].session()


async def test_steps_in_sessions_that_a_tool_opens_need_what_calls_need() -> None:
    """As those of a plan that is shown in several browsers."""
    config = Config()
    async with open_sessions(config) as sessions:
        client = Client(sessions, object(), config)
        client.allowance = Allowance(holder="The token 'ci'", tools=("browser_compare",))
        session = client.session(await client.create(None, {}, nobody_listens))
        with pytest.raises(NotAllowedError, match="The token 'ci' may not call browser_tabs"):
            await BrowserTabs.parse({"action": "list"}).perform(session, Outcome())


async def test_tools_that_a_client_may_not_call() -> None:
    config = Config(caps=("sessions",))
    async with open_sessions(config) as sessions:
        client = Client(sessions, object(), config)
        client.allowance = Allowance(holder="The token 'ci'", tools=("browser_c*",))
        answer = await call(BrowserSessionList, {}, client)
        assert answer.is_error
        assert text_of(answer) == "The token 'ci' may not call browser_session_list."
        client.allowance = Allowance(holder="The token 'ci'", caps=frozenset({"pdf"}))
        assert (await call(BrowserSessionList, {}, client)).is_error
        answer = await call(BrowserEnable, {"caps": ["sessions"]}, client)
        assert text_of(answer) == "The token 'ci' may not call browser_enable."
        with pytest.raises(NotAllowedError):
            await client.enable(["network"])
        client.allowance = Allowance(caps=frozenset({"sessions"}))
        assert not (await call(BrowserSessionList, {}, client)).is_error


LIMITS = f"""
[tokens.one]
sha256 = "{HASH}"
tools = ["browser_tabs", "browser_session_*"]
calls_per_minute = 3
sessions = 1

[tokens.two]
env = "OF_TWO"
caps = ["pdf"]
"""


@pytest.mark.parametrize("era", [HANDSHAKE, MODERN])
async def test_limits_through_the_front_door(era: str, tmp_path: Path) -> None:
    (tmp_path / "tokens.toml").write_text(LIMITS.replace('env = "OF_TWO"', 'file = "two"'))
    (tmp_path / "two").write_text(TWO)
    with open_front(tmp_path, "--token-file", "tokens.toml", "--caps", "sessions") as front:
        async with connected(front.url, token=ONE, era=era) as client:
            listed = [tool.name for tool in (await client.list_tools()).tools]
            assert listed == ["browser_session_close", "browser_session_create", "browser_session_list", "browser_tabs"]
            assert not (await client.call_tool("browser_session_create", {"name": "first"})).is_error
            second = await client.call_tool("browser_session_create", {"name": "second"})
            assert text_of(second) == (
                "The token 'one' has 1 open session, which is the limit. Go on in one of them, or close one. "
                "The operator of the server can change that in --token-file."
            )
            await client.call_tool("browser_session_list", {})
        # It is the token that is counted, not the connection.
        async with connected(front.url, token=ONE, era=era) as client:
            answer = await client.call_tool("browser_session_list", {})
            assert answer.is_error
            assert text_of(answer).startswith(
                "The token 'one' has made 3 calls within a minute, which is the limit. Wait"
            )
        async with connected(front.url, token=TWO, era=era) as client:
            listed = [tool.name for tool in (await client.list_tools()).tools]
            assert "browser_pdf_save" in listed
            assert not {"browser_session_list", "browser_enable"} & set(listed)


def status(front: Front, token: str) -> int:
    return httpx2.get(front.path("/metrics"), headers={"Authorization": f"Bearer {token}"}).status_code


def test_a_file_that_is_changed_while_the_server_runs(tmp_path: Path) -> None:
    file = tmp_path / "tokens.toml"
    file.write_text(f'[tokens.one]\nsha256 = "{HASH}"\n')
    with open_front(tmp_path, "--token-file", "tokens.toml") as front:
        assert (status(front, ONE), status(front, TWO)) == (200, 401)
        file.write_text(f'[tokens.two]\nsha256 = "{digest_of(TWO).hex()}"\n')
        assert (status(front, ONE), status(front, TWO)) == (401, 200)
        file.write_text("[tokens.two]\n")
        assert (status(front, ONE), status(front, TWO)) == (401, 200)
        assert status(front, TWO) == 200
        said = front.log.read_text()
        assert (
            said.count("it was changed, but the earlier tokens stay: tokens.two: it must be a table with one of") == 1
        )
        file.unlink()
        assert status(front, TWO) == 200


def test_lines_that_are_changed_while_the_server_runs(tmp_path: Path) -> None:
    (tmp_path / "tokens").write_text(f"{ONE}\n")
    with open_front(tmp_path, "--token-file", "tokens") as front:
        assert (status(front, ONE), status(front, TWO)) == (200, 401)
        (tmp_path / "tokens").write_text(f"{ONE}\n{TWO}\n")
        assert (status(front, ONE), status(front, TWO)) == (200, 200)
        (tmp_path / "tokens").write_text("")  # as an editor leaves it for a moment
        assert (status(front, ONE), status(front, TWO)) == (200, 200)
