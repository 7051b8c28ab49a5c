"""The requests of a tab in Firefox, whose console says why some of them failed."""

import re

from bidi_server.browser.network.requests import Requests

_CORS = re.compile(r"Cross-Origin Request Blocked: .{,200} at (?P<url>\S+?)\.? \(Reason: (?P<reason>[^)]{,300})\)")
"""A CORS error in Firefox's console; its network events do not report the reason.

The lengths are limited because a page can print such a text itself, of any length.
"""


class FirefoxRequests(Requests):
    """The requests of a tab, with what Firefox prints about them."""

    def printed(self, text: str) -> None:
        """Record the reason for a request blocked by CORS, if this message of the browser reports one."""
        if (found := _CORS.match(text)) is None:
            return
        request = next((each for each in reversed(list(self.all)) if each.url == found["url"]), None)
        if request is not None and not request.reason:
            request.reason = f"CORS: {found['reason']}"
