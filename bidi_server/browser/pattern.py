"""Regular expressions from agents, with a time limit."""

import logging

from bidi_server.errors import InvalidParametersError

logger = logging.getLogger(__name__)

SECONDS = 0.05
"""Timeout for one search, in seconds."""


class Pattern:
    """A regular expression in Python's syntax, with a search that gives up after `SECONDS`."""

    def __init__(self, text: str) -> None:
        """Compile the expression. Raises `InvalidParametersError` if it is invalid."""
        # Imported late, because few sessions need it.
        import regex

        self.text = text
        try:
            self._compiled = regex.compile(text)
        except regex.error as error:
            raise InvalidParametersError(
                f"{text!r} is not a regular expression: {error}.", "Correct it; .* matches any text.", {"pattern": text}
            ) from error

    def found_in(self, text: str) -> bool:
        """Whether a text contains a match; False if the search times out."""
        try:
            return self._compiled.search(text, timeout=SECONDS) is not None
        except TimeoutError:
            logger.warning("the pattern %r takes too long", self.text)
            return False
