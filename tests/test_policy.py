"""``bidi-server policy check`` tells which requests ``--allowed-urls`` and ``--blocked-urls`` allow."""

from dataclasses import replace
from ipaddress import ip_address

import pytest

from bidi_server.addresses import own_addresses
from bidi_server.cli import run
from bidi_server.egress import EgressPolicy, Request


def decisions(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, list[str]]:
    code = run(["policy", "check", *arguments])
    return code, [line.strip() for line in capsys.readouterr().out.splitlines()]


@pytest.mark.parametrize(
    ("pattern", "url", "matches"),
    [
        ("example.com", "http://user:word@example.com:8080/a?b", True),
        ("example.com", "http://example.com@other.org/", False),
        ("example.com", "http://example.com.other.org/", False),
        ("example.com", "http://EXAMPLE.com./", True),
        ("*.example.com", "http://a.b.example.com/", True),
        ("*.example.com", "http://example.com/", False),
        ("example.com/docs/*", "http://example.com/docs/../secret", False),
        ("example.com/docs/*", r"http://example.com\docs\x", True),
        ("127.0.0.1", "http://0x7f.1/", True),
        ("127.0.0.1", "http://0177.0.0.1/", True),
        ("bücher.example", "http://xn--bcher-kva.example/", True),
        ("ip:loopback", "http://127.8.9.10/", True),
        ("ip:loopback", "http://2130706433/", True),
        ("ip:loopback", "http://[::1]/", True),
        ("ip:loopback", "http://[::ffff:127.0.0.1]/", True),
        ("ip:loopback", "http://localhost:3000/", True),
        ("ip:loopback", "http://a.LOCALHOST./", True),
        ("ip:loopback", "http://localhost.example.com/", False),
        ("ip:loopback", "http://10.0.0.1/", False),
        ("ip:private", "http://172.31.255.255/", True),
        ("ip:private", "http://172.32.0.0/", False),
        ("ip:private", "http://[fd00::1]/", True),
        ("ip:link-local", "http://169.254.169.254/latest/meta-data", True),
        ("ip:link-local", "http://[64:ff9b::a9fe:a9fe]/", True),
        ("ip:link-local", "http://[fe80::1]/", True),
        ("ip:10.1.0.0/16", "http://10.1.2.3/", True),
        ("ip:10.1.0.0/16", "http://10.2.2.3/", False),
        ("ip:10.1.0.0/16", "http://[2002:a01:203::]/", True),
        ("ip:2001:db8::/32", "http://[2001:db8::1]/", True),
        ("ip:local", "http://0.0.0.0/", True),
        ("ip:local", "http://[::]/", True),
        ("ip:local", "http://[::a00:1]/", True),
        ("ip:local", "http://100.64.0.1/", True),
        ("ip:local", "http://224.0.0.1/", True),
        ("ip:local", "http://240.0.0.1/", True),
        ("ip:local", "http://8.8.8.8/", False),
        ("ip:local", "http://[2606:4700::1111]/", False),
        ("ip:local", "http://example.com/", False),
    ],
)
def test_patterns_match_what_a_browser_would_request(
    capsys: pytest.CaptureFixture[str], pattern: str, url: str, matches: bool
) -> None:
    code, (_, page, other) = decisions(capsys, url, "--blocked-urls", pattern)
    told = f"refused: --blocked-urls blocks it (by '{pattern}')" if matches else "allowed: nothing forbids it"
    assert (code, page, other) == (int(matches), f"as a page: {told}", f"as another resource: {told}")


def test_methods_before_a_pattern(capsys: pytest.CaptureFixture[str]) -> None:
    options = ("--allowed-urls", "GET|head example.com", "--blocked-urls", "DELETE *")
    code, (url, page, other) = decisions(capsys, "http://example.com", *options)
    assert (code, url, page) == (
        0,
        "GET http://example.com/",
        "as a page: allowed: --allowed-urls allows it (by 'GET|head example.com')",
    )
    assert other == "as another resource: allowed: nothing forbids it"
    code, (_, page, other) = decisions(capsys, "http://example.com", "--method", "post", *options)
    assert (code, page) == (1, "as a page: refused: --allowed-urls does not allow it")
    assert other == "as another resource: allowed: nothing forbids it"
    code, (_, _, other) = decisions(capsys, "http://example.com", "--method", "DELETE", *options)
    assert other == "as another resource: refused: --blocked-urls blocks it (by 'DELETE *')"


def test_several_urls_and_what_is_none(capsys: pytest.CaptureFixture[str]) -> None:
    code, lines = decisions(capsys, "http://a.org/[b]", "about:blank", "--allowed-urls", "b.org")
    assert code == 1
    assert [lines[0], lines[3]] == ["GET http://a.org/[b]", "GET about:blank"]
    assert lines[4] == "as a page: allowed: nothing forbids it"
    assert run(["policy", "check", "a.org"]) == 2
    assert "'a.org' is not a URL such as https://example.com/" in capsys.readouterr().err


def test_public_is_not_this_machine() -> None:
    """A machine in a cloud has a public address, and services that listen on it."""
    policy = EgressPolicy.parse(["public", "ip:9.9.9.9"])
    assert policy is not None
    ours = replace(policy, own=frozenset(map(ip_address, ("8.8.8.8", "9.9.9.9", "2606:4700::1111"))))
    for address in ("8.8.8.8", "2606:4700::1111"):
        assert policy.why_not(Request("shop.test", 443), [ip_address(address)]) == ""
        why = ours.why_not(Request("shop.test", 443), [ip_address(address)])
        assert why.endswith(f"shop.test ({address}) is an address of this machine")
    assert ours.why_not(Request("shop.test", 443), [ip_address("9.9.9.9")]) == ""
    assert ip_address("127.0.0.1") in own_addresses()


@pytest.mark.parametrize(
    ("url", "code", "said"),
    [
        (
            "http://10.0.0.1/",
            1,
            "to connect: refused: --egress public, localhost:3000 does not allow it: 10.0.0.1 is not",
        ),
        ("http://localhost:3000/", 0, "to connect: allowed: --egress public, localhost:3000 allows it"),
        ("ws://127.0.0.1:3000/", 1, "to connect: refused: "),
        ("about:blank", 0, "to connect: allowed: it needs no connection"),
    ],
)
def test_connections(url: str, code: int, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["policy", "check", url, "--egress", "public, localhost:3000"]) == code
    assert said in capsys.readouterr().out
