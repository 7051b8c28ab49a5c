"""What the ways of installing have in common."""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[str, float | None], None]
"""Told what happens, and which fraction of it is done (0 to 1) where that is known."""

Consent = Callable[[str], bool]
"""Asked, with the exact commands, whether the system may be changed."""


class Unavailable(Exception):  # noqa: N818 - not an error: the next way is tried
    """A way of installing does not work here; the message says why."""
