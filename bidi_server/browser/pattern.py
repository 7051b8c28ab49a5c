"""Regular expressions that agents write: a bad one must not hold up the server."""

import logging

from bidi_server.errors import InvalidParametersError

logger = logging.getLogger(__name__)

SECONDS = 0.05
"""How long one search may take."""


class Pattern:
    """A regular expression as Python's, which gives up where it would take too long."""

    def __init__(self, text: str) -> None:
        """Raise `InvalidParametersError` for what is no regular expression."""
        # Few need it.
        import regex

        self.text = text
        try:
            self._compiled = regex.compile(text)
        except regex.error as error:
            raise InvalidParametersError(
                f"{text!r} is no regular expression: {error}.", "Mend it; .* is any text.", {"pattern": text}
            ) from error

    def found_in(self, text: str) -> bool:
        """Whether it is found anywhere in a text."""
        try:
            return self._compiled.search(text, timeout=SECONDS) is not None
        except TimeoutError:
            logger.warning("the pattern %r takes too long", self.text)
            return False
