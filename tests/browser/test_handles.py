"""Handles: what their owner gets back, and what nobody can make."""

import pytest

from bidi_server.browser.sessions.handles import Handle, Handles, Place
from drivers import WebDriverSession

KEY = b"a key that nobody guesses"
GRID = "http://grid.example:4444"

CHROMIUM = Place(
    WebDriverSession("cea239f1cba9bfa87d8fc5e2cf7f8f3e", "chrome", GRID, ""), "28F299C6972EAA8A7550AE6D64276388"
)
FIREFOX = Place(
    WebDriverSession(
        "e669320d-302e-4e4c-b3cb-7bf13bf84900",
        "firefox",
        "https://other.example:4444/hub",
        "wss://grid.example:4444/session/e669320d-302e-4e4c-b3cb-7bf13bf84900",
    ),
    "66f65053-c977-4fcb-8799-2ffa8cfc3654",
)


@pytest.mark.parametrize(
    "handle", [Handle("name"), Handle("ünïque", move=3), Handle("a" * 300, CHROMIUM), Handle("b", FIREFOX, 12)]
)
def test_open(handle: Handle) -> None:
    assert Handles(KEY, GRID).open("me", Handles(KEY, GRID).seal("me", handle)) == handle


def test_a_handle_is_short() -> None:
    """Agents repeat it with each call."""
    assert len(Handles(KEY, GRID).seal("me", Handle("Bz6Yq0aN", CHROMIUM))) < 100
    assert len(Handles(KEY, GRID).seal("me", Handle("Bz6Yq0aN"))) < 40


def test_only_its_owner_opens_it() -> None:
    sealed = Handles(KEY, GRID).seal("me", Handle("name", CHROMIUM))
    assert Handles(KEY, GRID).open("you", sealed) is None
    assert Handles(b"another key", GRID).open("me", sealed) is None


def test_every_character_counts() -> None:
    sealed = Handles(KEY, GRID).seal("me", Handle("name", CHROMIUM))
    for index, character in enumerate(sealed[:-1]):
        other = "A" if character != "A" else "B"
        assert Handles(KEY, GRID).open("me", sealed[:index] + other + sealed[index + 1 :]) is None


@pytest.mark.parametrize(
    "text", ["", "default", "x", "a" * 5000, "ünïque", "=", "e669320d-302e-4e4c-b3cb-7bf13bf84900"]
)
def test_what_is_no_handle(text: str) -> None:
    assert Handles(KEY, GRID).open("me", text) is None
