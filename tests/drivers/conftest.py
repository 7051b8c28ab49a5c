"""Fixtures for starting real browsers, and for seeing what they leave behind."""

from __future__ import annotations

import os
import sys
import tempfile
import uuid
from pathlib import Path
from typing import TYPE_CHECKING, cast, get_args

import pytest
import trio

from drivers import BrowserName

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


@pytest.fixture
def browser_name() -> BrowserName:
    """The browser to test with, named by BIDI_TEST_BROWSER; tests that ask for it are skipped when that is not set."""
    name = os.environ.get("BIDI_TEST_BROWSER")
    if not name:
        pytest.skip(f"BIDI_TEST_BROWSER names no browser ({' or '.join(get_args(BrowserName))})")
    assert name in get_args(BrowserName)
    return cast("BrowserName", name)


@pytest.fixture(scope="session")
def shared_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One cache for the whole run, so that Firefox starts warm from the second test on."""
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(autouse=True)
def _own_cache(monkeypatch: pytest.MonkeyPatch, shared_cache: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(shared_cache))


@pytest.fixture
def mark(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A mark in the environment that every process started by the test carries, and a temporary folder of its own."""
    if sys.platform != "linux":
        pytest.skip("processes are told apart by /proc")
    value = uuid.uuid4().hex
    monkeypatch.setenv("BIDI_TEST_MARK", value)
    with tempfile.TemporaryDirectory(prefix="test-", dir="/tmp") as temporary:  # a short path, for Chromium's sockets
        monkeypatch.setenv("TMPDIR", temporary)
        monkeypatch.setattr("tempfile.tempdir", temporary)
        yield value


def marked(mark: str) -> dict[int, str]:
    """Return the processes that carry the mark, but for this one and the dead, with their command lines."""
    found: dict[int, str] = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit() and int(folder.name) != os.getpid():
            try:
                if f"BIDI_TEST_MARK={mark}".encode() in (folder / "environ").read_bytes():
                    found[int(folder.name)] = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode()
            except OSError:
                continue  # ended meanwhile, or a zombie: its environment cannot be read
    return found


def left_behind(mark: str) -> list[str]:
    """Return what is still there of the marked processes and their temporary folders."""
    temporary = Path(os.environ["TMPDIR"])
    return [*marked(mark).values(), *(str(path) for path in temporary.iterdir())]


async def until(condition: Callable[[], object], seconds: float = 5) -> None:
    """Wait until the condition holds; too long is an error."""
    with trio.fail_after(seconds):
        while not condition():  # noqa: ASYNC110 - other processes set no events
            await trio.sleep(0.01)
