"""Going to a page, and saying what went wrong when it can't be reached."""

import re
from collections.abc import Callable

import trio

from bidi_server.bidi import browsing_context as bc
from bidi_server.bidi.errors import BidiError, NoSuchHistoryEntryError
from bidi_server.browser.requests import Request
from bidi_server.browser.settle import Receipt
from bidi_server.browser.tab import Tab
from bidi_server.errors import InvalidParametersError, NavigationError

_SCHEME = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*:")
_LOCAL = re.compile(
    r"(localhost|127\.\d+\.\d+\.\d+|\[::1\]|0\.0\.0\.0|[\w-]+\.localhost)(:\d+)?(?=[/?#]|$)", re.IGNORECASE
)
_HOST_AND_PORT = re.compile(r"[\w.-]+:\d{1,5}(?=[/?#]|$)")

_ABORTED = ("ERR_ABORTED", "NS_BINDING_ABORTED", "NS_ERROR_ABORT", "navigation canceled", "aborted")

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
        "it redirects in a circle", "Mend the server's redirects."
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
    ("ERR_FILE_NOT_FOUND", "NS_ERROR_FILE_NOT_FOUND"): ("the file does not exist", "Check the path."),
    ("ERR_INVALID_URL", "NS_ERROR_MALFORMED_URI"): ("it is not a URL", "Check the spelling."),
    ("ERR_UNKNOWN_URL_SCHEME", "NS_ERROR_UNKNOWN_PROTOCOL", "is not allowed in this context"): (
        "the browser does not open such addresses", "Use http or https."
    ),
    _ABORTED: (
        "the browser gave it up; there is no page (HTTP 204), or no such scheme", "Check the URL."
    ),
}  # fmt: skip
"""What the browsers' words mean, and what to do about it."""

_HTTP_ERROR = 400
_PROXY_LOGIN_NEEDED = 407

_SILENCE = 0.1
"""Seconds without any event after which we ask where a tab is."""


def complete_url(text: str) -> str:
    """Return a URL with a scheme: ``https`` where none is given, ``http`` for the own machine."""
    text = text.strip()
    if not text or any(character.isspace() for character in text.split("?")[0].split("#")[0]):
        raise InvalidParametersError(f"{text!r} is not a URL.", "Pass one such as https://example.com.")
    if _LOCAL.match(text):
        return f"http://{text}"
    if _SCHEME.match(text) and not _HOST_AND_PORT.match(text):
        return text
    return f"https://{text}"


async def navigate(tab: Tab, receipt: Receipt, url: str, say: Callable[[str], None]) -> None:
    """Load a page; ``say`` is told what the answer was. Raises `NavigationError`."""
    address = complete_url(url)
    requests = tab.requests.all.mark()
    downloads = tab.downloads.all.mark()
    with trio.move_on_after(tab.limits.navigation) as deadline:
        try:
            await tab.connection.send(bc.Navigate(context=tab.context, url=address, wait="complete"))
        except BidiError as error:
            if tab.downloads.all.mark() > downloads:
                return
            if not await _became_download(tab, error, downloads):
                raise (_login_refused(address) if tab.shared.login_refused else _explain(address, error)) from error
    document = _document(tab, requests)
    if deadline.cancelled_caught:
        if document is None or not document.status:
            raise NavigationError(
                f"{address} did not answer within {tab.limits.navigation:g} s.",
                "Try again, or start the server with a longer --navigation-timeout.",
            )
        receipt.cut.append("the page was still loading")
        tab.loading.pop(tab.context, None)
    if document is not None and document.status == _PROXY_LOGIN_NEEDED:
        raise _login_refused(address)
    if document is not None and document.status >= _HTTP_ERROR:
        say(f"The server answered HTTP {document.status} {document.status_text}.".replace(" .", "."))


async def _became_download(tab: Tab, error: BidiError, mark: int) -> bool:
    if not any(sign in error.message for sign in _ABORTED):
        return False
    with trio.move_on_after(0.5):
        while tab.downloads.all.mark() == mark:
            await tab.activity.park()
    return tab.downloads.all.mark() > mark


def _document(tab: Tab, mark: int) -> Request | None:
    """Return the request of the main document, the last one of its redirects."""
    return next(
        (
            request
            for request in reversed(tab.requests.all.since(mark))
            if request.navigation is not None and request.frame == tab.context
        ),
        None,
    )


def _login_refused(url: str) -> NavigationError:
    return NavigationError(
        f"Can't open {url}: the proxy does not accept the login.",
        "Create the context again with another username and password.",
    )


def _explain(url: str, error: BidiError) -> NavigationError:
    for signs, (reason, advice) in _REASONS.items():
        if any(sign in error.message for sign in signs):
            return NavigationError(f"Can't open {url}: {reason}.", advice, {"error": error.message})
    return NavigationError(f"Can't open {url}: {error.message.splitlines()[0]}.", "Check the URL.")


async def back(tab: Tab, say: Callable[[str], None]) -> None:
    """Go back one entry in the history."""
    before = tab.navigations.mark()
    try:
        await tab.connection.send(bc.TraverseHistory(context=tab.context, delta=-1))
    except NoSuchHistoryEntryError as error:
        raise NavigationError("There is no earlier page in this tab's history.", "Use browser_navigate.") from error
    # The browser answers before it moves; a page from its cache sends no load event.
    with trio.move_on_after(tab.limits.navigation):
        while tab.navigations.mark() == before and tab.context not in tab.loading:
            with trio.move_on_after(_SILENCE):
                await tab.activity.park()
                continue
            await tab.locate()
    say("Went back.")
