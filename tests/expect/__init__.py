"""What is known not to work in a browser, one test and its reason a line: ``tests/…::test_name[parameter]  reason``.

The test is expected to fail there, strictly: when it passes, its line must go.
"""

from functools import cache
from pathlib import Path

BROWSERS = ("chromium", "firefox")


@cache
def expected(browser: str) -> dict[str, str]:
    """Return the tests that fail in a browser, with the reasons."""
    found: dict[str, str] = {}
    for line in (Path(__file__).parent / f"{browser}.txt").read_text("utf-8").splitlines():
        if line and not line.startswith("#"):
            name, _, reason = line.partition("  ")
            found[name] = reason.strip()
    return found
