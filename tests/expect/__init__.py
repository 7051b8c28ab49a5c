"""Tests that fail in a browser, one test and its reason a line: ``tests/…::test_name[parameter]  reason``.

A line without a parameter is about the test with each of its parameters, one without a name about each of the file.
The test is expected to fail there, strictly: when it passes, its line must go. A reason that begins with
``[without COMMAND]``, a command of the protocol, is one of versions only that do not know the command. One that begins
with ``[sometimes]`` is of a race in the browser that we cannot decide: the test may pass.
"""

import re
from dataclasses import dataclass
from pathlib import Path

BROWSERS = ("chromium", "firefox", "webkit")
"""The browsers with lists. WebKit's is proven for `tests/seeds` and `tests/page` only."""

_CONDITION = re.compile(r"(?:\[(?:without (\S+)|(sometimes))\] )?(.*)")


@dataclass(frozen=True)
class Gap:
    """The reason of an expected failure, and the command without which a version has it ("": every version has it)."""

    reason: str
    without: str = ""
    may_pass: bool = False
    """Whether the test may pass."""


def expected(browser: str) -> dict[str, Gap]:
    """Return the tests that fail in a browser, or in some versions of it."""
    found: dict[str, Gap] = {}
    for line in (Path(__file__).parent / f"{browser}.txt").read_text("utf-8").splitlines():
        if line and not line.startswith("#"):
            name, _, reason = line.partition("  ")
            condition = _CONDITION.match(reason.strip())
            assert condition is not None
            found[name] = Gap(condition[3], condition[1] or "", condition[2] is not None)
    return found


def gap_of(node: str, gaps: dict[str, Gap]) -> Gap | None:
    """Return the gap of a test, by its own line, that of all its parameters or that of its file."""
    return gaps.get(node) or gaps.get(node.partition("[")[0]) or gaps.get(node.partition("::")[0])
