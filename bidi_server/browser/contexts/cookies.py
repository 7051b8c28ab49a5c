"""Reading the cookies of the open page, and setting those of a context."""

from urllib.parse import urlsplit

from bidi_server.bidi.errors import BidiError
from bidi_server.bidi.storage import (
    BrowsingContextPartitionDescriptor,
    GetCookies,
    SetCookie,
    StorageKeyPartitionDescriptor,
)
from bidi_server.browser.contexts.context import Context
from bidi_server.browser.contexts.storage_state import StoredCookie
from bidi_server.browser.tab.tab import Tab
from bidi_server.errors import InvalidParametersError


async def cookies_of(tab: Tab) -> list[StoredCookie]:
    """Return the cookies that a request for the page would carry, including those that scripts can't read."""
    partition = BrowsingContextPartitionDescriptor(context=tab.context)
    found = (await tab.connection.send(GetCookies(partition=partition))).cookies
    return [cookie for cookie in map(StoredCookie.of, found) if goes_to(cookie, tab.url)]


def goes_to(cookie: StoredCookie, url: str) -> bool:
    """Whether a cookie is sent to a URL: https://www.rfc-editor.org/rfc/rfc6265#section-5.4."""
    parts = urlsplit(url)
    host, path = (parts.hostname or "").lower(), parts.path or "/"
    domain = cookie.domain.lower()
    fits_host = host == domain.lstrip(".") or (domain.startswith(".") and host.endswith(domain))
    prefix = cookie.path.rstrip("/")
    fits_path = path == prefix or path.startswith(f"{prefix}/")
    trusted = parts.scheme == "https" or host == "localhost" or host.startswith("127.")
    return fits_host and fits_path and (trusted or not cookie.secure)


async def set_cookies(context: Context, cookies: list[StoredCookie]) -> None:
    """Set cookies in a context. Raises `InvalidParametersError` for the first cookie that the browser rejects."""
    partition = StorageKeyPartitionDescriptor(user_context=context.user_context)
    for number, cookie in enumerate(cookies, 1):
        try:
            await context.browser.connection.send(SetCookie(cookie=cookie.to_partial(), partition=partition))
        except BidiError as error:
            said = error.first_line.replace("[object Object]", "its name, value or domain is none")
            raise InvalidParametersError(
                f"Cookie {number}, {cookie.name!r}, was refused: {said}.",
                f"The {number - 1} before it are set." if number > 1 else "None is set.",
                {"cookie": cookie.name},
            ) from error
