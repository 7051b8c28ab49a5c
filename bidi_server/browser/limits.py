"""Timeouts of a session."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """Timeouts in seconds: ``action`` for an action or a query of the page, ``navigation`` for a page to load."""

    action: float = 10
    navigation: float = 30
