"""How long things may take."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """Seconds: ``action`` for an action or a question to the page, ``navigation`` for a page to load."""

    action: float = 10
    navigation: float = 30
