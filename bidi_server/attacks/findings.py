"""Results of attacks."""

from dataclasses import dataclass
from typing import Literal

Verdict = Literal["held", "broken", "unprotected", "unsent"]
"""The promise held; it did not hold; the configuration promises nothing; the attack was not seen.

An attack is not seen when the browser does not send such a request, or when no answer shows the text.
"""


class CannotRunError(Exception):
    """The attacks cannot run. The message says why, and what to do."""


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of one attack."""

    case: str
    verdict: Verdict
    text: str = ""
    """A sentence about what the page reached or showed; "" if the promise held."""
    advice: str = ""
    """Sentences that say what to change; "" if there is nothing to change."""


def judge_request(case: str, *, reached: bool, refused: bool, promise: str, advice: str) -> Finding:
    """Return the result of a request that a page tried to send to the trap.

    ``reached`` says whether it arrived, and ``refused`` whether the server refused it. ``promise`` is the reason why
    the configuration forbids it; "" if it does not, and then ``advice`` says what would.
    """
    if reached and promise:
        return Finding(
            case, "broken", f"The page reached a forbidden host by {case}, although {promise.rstrip('.')}.", REPORT
        )
    if reached:
        return Finding(case, "unprotected", f"The page reached another host by {case}.", advice)
    return Finding(case, "held" if refused else "unsent")


REPORT = "Report this in private to the maintainers: docs/SECURITY.md."
"""Advice for a promise that did not hold."""
