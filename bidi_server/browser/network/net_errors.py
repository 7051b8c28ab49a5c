"""Explanations of the browsers' network errors, and advice for each."""

ABORTED = (
    "ERR_ABORTED", "NS_BINDING_ABORTED", "NS_ERROR_ABORT", "navigation canceled", "aborted",
    "interrupted an unfinished navigation",
)  # fmt: skip

_REASONS: dict[tuple[str, ...], tuple[str, str]] = {
    ("ERR_NAME_NOT_RESOLVED", "NS_ERROR_UNKNOWN_HOST"): (
        "the host name can't be resolved (DNS)", "Check the spelling."
    ),
    ("ERR_CONNECTION_REFUSED", "NS_ERROR_CONNECTION_REFUSED"): (
        "nothing listens there (connection refused)", "Start the server, or check the port."
    ),
    ("ERR_CONNECTION_RESET", "ERR_EMPTY_RESPONSE", "ERR_CONNECTION_CLOSED", "NS_ERROR_NET_RESET",
     "NS_ERROR_NET_INTERRUPT", "NS_ERROR_NET_EMPTY_RESPONSE"): (
        "the server closed the connection", "Look at the server's log."
    ),
    ("ERR_CERT", "ERR_SSL", "SEC_ERROR", "SSL_ERROR", "NSS_ERROR", "MOZILLA_PKIX"): (
        "its TLS certificate or handshake fails", "Use a valid certificate, or http."
    ),
    ("ERR_INTERNET_DISCONNECTED", "NS_ERROR_OFFLINE"): ("the browser is offline", "Go online first."),
    ("ERR_TOO_MANY_REDIRECTS", "NS_ERROR_REDIRECT_LOOP"): (
        "it redirects in a loop", "Fix the redirects of the server."
    ),
    ("ERR_UNSAFE_PORT", "deniedPortAccess", "NS_ERROR_PORT_ACCESS_NOT_ALLOWED"): (
        "browsers block this port", "Use another port."
    ),
    ("ERR_TIMED_OUT", "ERR_CONNECTION_TIMED_OUT", "NS_ERROR_NET_TIMEOUT"): (
        "the server does not answer", "Try again later."
    ),
    ("ERR_PROXY", "ERR_TUNNEL", "ERR_SOCKS", "NS_ERROR_PROXY", "NS_ERROR_UNKNOWN_PROXY_HOST"): (
        "the proxy can't be reached, or does not let it through", "Check the proxy's address and login."
    ),
    ("ERR_BLOCKED_BY_CLIENT", "ERR_BLOCKED_BY_ADMINISTRATOR", "NS_ERROR_BLOCKED_BY_POLICY"): (
        "the browser blocks it", "Check the policies and extensions of its profile."
    ),
    ("ERR_BLOCKED_BY_RESPONSE", "ERR_BLOCKED_BY_CSP", "NS_ERROR_DOM_CORP_FAILED", "NS_ERROR_CONTENT_BLOCKED",
     "NS_ERROR_CSP"): (
        "a policy of the page or of the answer blocks it", "Look at CSP, CORP and COEP headers."
    ),
    ("ERR_FILE_NOT_FOUND", "NS_ERROR_FILE_NOT_FOUND"): ("the file does not exist", "Check the path."),
    ("ERR_INVALID_URL", "NS_ERROR_MALFORMED_URI"): ("it is not a URL", "Check the spelling."),
    ("ERR_UNKNOWN_URL_SCHEME", "NS_ERROR_UNKNOWN_PROTOCOL", "is not allowed in this context"): (
        "the browser does not open such addresses", "Use http or https."
    ),
    ABORTED: (
        "the browser gave up: the response has no page (HTTP 204), or the scheme is unknown", "Check the URL."
    ),
}  # fmt: skip
"""By substrings of the browsers' error messages: the meaning of the error, and advice."""


def reason_of(error: str) -> tuple[str, str] | None:
    """Return the meaning of an error, worded for the middle of a sentence, and advice; None for an unknown error."""
    return next((found for signs, found in _REASONS.items() if any(sign in error for sign in signs)), None)
