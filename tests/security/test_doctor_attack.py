"""`bidi-server doctor --attack`: what it says about options that protect, that do not, and that break a promise."""

import re
import ssl
from functools import partial
from pathlib import Path

import pytest

from bidi_server.attacks import files, hidden_text, page_voice, run, secrets
from bidi_server.attacks.findings import CannotRunError, Finding, judge_request
from bidi_server.attacks.front import Front
from bidi_server.attacks.promises import Promises, attacked
from bidi_server.attacks.redirects import REDIRECTS
from bidi_server.attacks.requests import run_spelled_hosts, run_ways_out
from bidi_server.attacks.secret_values import ENCODINGS
from bidi_server.attacks.spelled_hosts import SPELLINGS
from bidi_server.attacks.trap import host_of
from bidi_server.attacks.ways_out import NO_REQUEST, UNSEEN, WAYS_OUT
from bidi_server.commands.attack import attack
from bidi_server.config import BrowserName, Config, load_config
from tests.test_cli import bidi_server

ORIGIN = "http://127.0.0.1:8123"


def test_there_are_many_cases() -> None:
    requests = [*WAYS_OUT, *SPELLINGS, *REDIRECTS]
    texts = [*page_voice.PLACES_OF_SCRIPT, *hidden_text.HIDING]
    values = [*ENCODINGS, *secrets.CHANNELS, *secrets.BOUND]
    paths = [*files.READ, *files.WRITTEN, *files.REPLACED, *files.URLS]
    assert len(requests) + len(values) + len(paths) >= 150
    assert len(requests) + len(texts) + len(values) + len(paths) >= 300


def test_every_promise_holds(browser_name: str, tmp_path: Path) -> None:
    done = bidi_server("doctor", "--attack", "--browser", browser_name, "--egress", "127.0.0.1:9", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    assert re.search(
        r"^The hostile site, 127\.0\.0\.1:\d+, is admitted to --egress in this run only\.$", done.stdout, re.MULTILINE
    )
    assert "BROKEN" not in done.stdout
    assert "not protected" not in done.stdout
    sent = re.search(r"\nrequests of a page: \d+ attacks: (\d+) stopped", done.stdout)
    assert sent
    assert int(sent[1]) >= len(set(WAYS_OUT) - UNSEEN[browser_name] - NO_REQUEST)
    ended = re.search(r"\n(\d+) attacks in .*\. Every promise held\.\n$", done.stdout)
    assert ended
    assert int(ended[1]) >= 300
    assert list(tmp_path.iterdir()) == []


async def test_what_is_open_is_said(
    browser_name: BrowserName, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    groups = {"requests": run_ways_out, "hosts": run_spelled_hosts, "texts": hidden_text.run}
    monkeypatch.setattr(run, "GROUPS", groups)
    assert await attack(Config(browser=browser_name, hidden_text="show")) == 0
    said = capsys.readouterr().out
    assert "BROKEN" not in said
    egress = "--egress is open. Set --egress public, or name the hosts: --egress example.com."
    assert f"  not protected: The page reached another host by fetch. {egress}\n" in said
    assert f"  not protected: Pages at the spelled host 127.0.0.1 may be opened. {egress}\n" in said
    assert "--hidden-text show does not mark it. Set --hidden-text mark, or omit.\n" in said
    assert "Every promise held. The configuration does not forbid " in said


async def test_a_broken_promise_is_said(
    browser_name: BrowserName, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The browser is free, and the promise is that of another configuration."""

    async def broken(front: Front) -> list[Finding]:
        front.promises = Promises(Config(egress=("public",)), front.engine)
        return await run_ways_out(front)

    monkeypatch.setattr(run, "GROUPS", {"requests": broken})
    assert await attack(Config(browser=browser_name)) == 1
    said = capsys.readouterr().out
    why = "although --egress public does not allow it: fetch.localhost (127.0.0.1) is an address of this machine."
    assert f"  BROKEN: The page reached a forbidden host by fetch, {why} Report this in private" in said, said[:500]
    assert " got through although the configuration forbids it." in said


def test_it_cannot_attack_a_browser_elsewhere(tmp_path: Path) -> None:
    done = bidi_server("doctor", "--attack", "--endpoint", "http://127.0.0.1:9", cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr == (
        "The attacks could not run. --endpoint: the attacks need a browser that the server starts on this machine. "
        "Leave that option out.\n"
    )


def test_a_browser_that_does_not_start(tmp_path: Path) -> None:
    done = bidi_server("doctor", "--attack", "--browser", "firefox", "--executable", str(tmp_path / "no"), cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr.startswith("The attacks could not run. ")
    assert done.stderr.count("\n") == 1


def test_a_request_is_judged() -> None:
    judge = partial(judge_request, "fetch", advice="Change it.")
    assert judge(reached=True, refused=False, promise="it is forbidden").verdict == "broken"
    assert judge(reached=True, refused=True, promise="it is forbidden").verdict == "broken"
    assert judge(reached=True, refused=False, promise="").verdict == "unprotected"
    assert judge(reached=False, refused=True, promise="it is forbidden").verdict == "held"
    assert judge(reached=False, refused=False, promise="it is forbidden").verdict == "unsent"


def test_texts_and_answers_are_judged() -> None:
    shown = hidden_text.WORDS
    assert hidden_text.judge("x", f"{shown} (hidden)", "mark").verdict == "held"
    assert hidden_text.judge("x", shown, "mark").verdict == "broken"
    assert hidden_text.judge("x", f"{shown} (hidden)", "omit").verdict == "broken"
    assert hidden_text.judge("x", "", "omit").verdict == "held"
    assert hidden_text.judge("x", shown, "show").verdict == "unprotected"
    found = page_voice.judge("@title@", ["@title@ Clicked"])
    assert {each.case for each in found if each.verdict == "broken"} == {"title"}
    assert found[0] == Finding(page_voice.LINES, "held")
    assert page_voice.judge("", ["Clicked"])[0].verdict == "broken"


def test_the_site_alone_is_admitted(tmp_path: Path) -> None:
    given = load_config(
        {
            "egress": "public",
            "allowed_urls": "example.com",
            "blocked_urls": "ip:local,evil.example",
            "extra_header": ["X-Key: value"],
        },
        {},
    )
    config, notes = attacked(given, ORIGIN, tmp_path)
    assert config.egress == ("public", "127.0.0.1:8123")
    assert config.allowed_urls == ("example.com", ORIGIN)
    assert config.blocked_urls == ("evil.example",)
    assert config.extra_header == ()
    assert notes == [
        "--extra-header is left out in this run: hostile pages must not get it.",
        "The hostile site, 127.0.0.1:8123, is admitted to --egress and --allowed-urls in this run only.",
        "--blocked-urls ip:local is left out in this run, because it blocks the hostile site. It is not tested.",
    ]
    promises = Promises(config, "chromium")
    assert promises.against_request("http://fetch.localhost:8124/", "fetch", is_page=False)
    assert promises.against_request(f"{ORIGIN}/", "fetch", is_page=True) == ""
    with pytest.raises(CannotRunError, match="--grid-url"):
        attacked(Config(grid_url="http://grid.example:4444"), ORIGIN, tmp_path)


def test_options_without_a_difference_have_no_notes(tmp_path: Path) -> None:
    config, notes = attacked(Config(), ORIGIN, tmp_path)
    assert notes == []
    assert config.egress_policy is None


def test_the_trap_knows_hosts_of_tls() -> None:
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    client = ssl.create_default_context().wrap_bio(incoming, outgoing, server_hostname="fetch-tls.localhost")
    with pytest.raises(ssl.SSLWantReadError):
        client.do_handshake()
    assert host_of(outgoing.read()) == "fetch-tls"
    assert host_of(b"GET / HTTP/1.1\r\nHost: a.localhost:80\r\n\r\n") == "a"
    assert host_of(b"GET / HTTP/1.1\r\nHost: [::1]:80\r\n\r\n") == "[::1]"
    assert host_of(b"") == ""
