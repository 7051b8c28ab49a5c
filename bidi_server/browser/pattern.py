"""Regular expressions from agents, with a time limit."""

import logging
import re

from bidi_server.errors import InvalidParametersError

logger = logging.getLogger(__name__)

MAX_PATTERN = 10_000
"""Maximum length of an expression, in characters. The server does nothing else while it compiles a million, for 5 s."""

SECONDS = 0.05
"""Timeout for one search, in seconds."""


class Pattern:
    """A regular expression in Python's syntax, with a search that gives up after `SECONDS`."""

    def __init__(self, text: str) -> None:
        """Compile the expression. Raises `InvalidParametersError` if it is invalid or longer than `MAX_PATTERN`."""
        if len(text) > MAX_PATTERN:
            raise InvalidParametersError(f"The pattern has {len(text):,} characters.", f"Pass at most {MAX_PATTERN:,}.")
        # Imported late, because few sessions need it.
        import regex

        self.text = text
        try:
            self._compiled = regex.compile(text)
        except regex.error as error:
            raise InvalidParametersError(
                f"{text!r} is not a regular expression: {error}.", "Correct it; .* matches any text.", {"pattern": text}
            ) from error

    @classmethod
    def of_glob(cls, glob: str) -> "Pattern":
        """Return the pattern of the whole URLs that a glob matches, in Playwright's syntax.

        ``*`` is any text without a slash, ``**`` any text, ``{a,b}`` one of several. A glob that begins with a slash
        matches on every host. A glob without a question mark matches with any query.

        https://playwright.dev/docs/network#glob-url-patterns
        """
        query = "" if "?" in glob else r"(\?.*)?"
        pattern = cls(f"^{_expression(f'*://*{glob}' if glob.startswith('/') else glob)}{query}$")
        pattern.text = glob
        return pattern

    def found_in(self, text: str) -> bool:
        """Whether a text contains a match; False if the search times out."""
        try:
            return self._compiled.search(text, timeout=SECONDS) is not None
        except TimeoutError:
            logger.warning("the pattern %r takes too long", self.text)
            return False


def _expression(glob: str) -> str:
    """Return the regular expression of a glob."""
    parts: list[str] = []
    for part in re.split(r"(\*+|\{[^{}]*\})", glob):
        match part[:1]:
            case "*":
                parts.append("[^/]*" if part == "*" else ".*")
            case "{":
                parts.append(f"({'|'.join(map(_expression, part[1:-1].split(',')))})")
            case _:
                parts.append(re.escape(part))
    return "".join(parts)
