"""Types that all methods of installation use."""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[str, float | None], None]
"""Receives each step, and the fraction of it that is done (0 to 1) if it is known."""

Consent = Callable[[str], bool]
"""Receives the exact commands and returns whether the system may be changed."""


class Unavailable(Exception):  # noqa: N818 - not an error: the next method is tried
    """A method of installation does not work here; the message says why."""
