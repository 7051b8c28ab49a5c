"""Tests that fail in a browser, one test and its reason a line: ``tests/…::test_name[parameter]  reason``.

The test is expected to fail there, strictly: when it passes, its line must go. A reason that begins with ``[before N]``
is one of major versions below N only.
"""

import math
import re
import subprocess
from functools import cache
from pathlib import Path

from drivers.find import candidates

BROWSERS = ("chromium", "firefox")

_CONDITION = re.compile(r"\[before (\d+)\] ")


def expected(browser: str, version: float = 0) -> dict[str, str]:
    """Return the tests that fail in a version of a browser, with the reasons; without one, all of them."""
    found: dict[str, str] = {}
    for line in (Path(__file__).parent / f"{browser}.txt").read_text("utf-8").splitlines():
        if line and not line.startswith("#"):
            name, _, reason = line.partition("  ")
            reason = reason.strip()
            condition = _CONDITION.match(reason)
            if condition is None or version < int(condition[1]):
                found[name] = reason
    return found


@cache
def major_version(browser: str) -> float:
    """Return the major version of the browser that the tests start; infinity if there is none."""
    assert browser == "chromium" or browser == "firefox"
    for program in candidates(browser, "browser", headless=True):
        said = subprocess.run([program.path, "--version"], capture_output=True, text=True, check=False).stdout
        if number := re.search(r"\d+", said):
            return int(number[0])
    return math.inf
