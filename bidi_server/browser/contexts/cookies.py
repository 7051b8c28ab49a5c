"""The cookies of a context.

https://www.rfc-editor.org/rfc/rfc6265
"""

import re
from collections.abc import Sequence
from typing import Literal, cast
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict
from pydantic.alias_generators import to_camel

from bidi_server.bidi.errors import BidiError
from bidi_server.bidi.network import Cookie, StringValue
from bidi_server.bidi.storage import (
    BrowsingContextPartitionDescriptor,
    CookieFilter,
    DeleteCookies,
    GetCookies,
    PartialCookie,
    SetCookie,
    StorageKeyPartitionDescriptor,
)
from bidi_server.browser.contexts.context import Context
from bidi_server.browser.contexts.lease import HOST
from bidi_server.browser.tab.tab import Tab
from bidi_server.browser.words import clip
from bidi_server.errors import InvalidParametersError

_NO_DOMAIN = re.compile(r"[/\s]|:\d+$")


class StoredCookie(BaseModel):
    """One cookie. ``expires`` is in seconds since the epoch, -1 for the end of the session."""

    model_config = ConfigDict(alias_generator=to_camel, validate_by_name=True, extra="ignore")

    name: str
    value: str
    domain: str
    path: str = "/"
    expires: float = -1
    http_only: bool = False
    secure: bool = False
    same_site: Literal["Strict", "Lax", "None"] | None = None

    @classmethod
    def of(cls, cookie: Cookie) -> "StoredCookie":
        """Convert a cookie from the browser's form."""
        same_site = (cookie.same_site or "").capitalize()
        return cls(
            name=cookie.name,
            value=cookie.value.to_bytes().decode(errors="replace"),
            domain=cookie.domain,
            path=cookie.path,
            expires=-1 if cookie.expiry is None else cookie.expiry,
            http_only=cookie.http_only,
            secure=cookie.secure,
            same_site=cast("Literal['Strict', 'Lax', 'None']", same_site)
            if same_site in {"Strict", "Lax", "None"}
            else None,
        )

    @property
    def restricted_to(self) -> str:
        """Its attribute SameSite; "" if it was set without one.

        For a cookie without Secure, "None" means that the attribute was not set. Browsers reject that combination.
        """
        return self.same_site if self.same_site and (self.secure or self.same_site != "None") else ""

    def to_partial(self) -> PartialCookie:
        """Convert the cookie to the form that the browser accepts."""
        lasting: dict[str, object] = {}
        if self.restricted_to:
            lasting["same_site"] = self.restricted_to.lower()
        if self.expires >= 0:
            lasting["expiry"] = int(self.expires)
        session_cookie = PartialCookie(
            name=self.name,
            value=StringValue(value=self.value),
            domain=self.domain,
            path=self.path,
            http_only=self.http_only,
            secure=self.secure,
        )
        return session_cookie.model_copy(update=lasting)

    def belongs_to(self, domain: str) -> bool:
        """Whether its domain is a domain or one below it."""
        own, wanted = self.domain.lower().lstrip("."), domain.lower().lstrip(".")
        return own == wanted or own.endswith(f".{wanted}")

    def covers(self, path: str) -> bool:
        """Whether its path matches that of a request: https://www.rfc-editor.org/rfc/rfc6265#section-5.1.4."""
        prefix = self.path.rstrip("/")
        return path in (self.path, prefix) or path.startswith(f"{prefix}/")

    def goes_to(self, url: str) -> bool:
        """Whether it is sent to a URL: https://www.rfc-editor.org/rfc/rfc6265#section-5.4."""
        parts = urlsplit(url)
        host, domain = (parts.hostname or "").lower(), self.domain.lower()
        fits_host = host == domain.lstrip(".") or (domain.startswith(".") and host.endswith(domain))
        trusted = parts.scheme == "https" or host == "localhost" or host.startswith("127.")
        return fits_host and self.covers(parts.path or "/") and (trusted or not self.secure)


async def cookies_of(tab: Tab) -> list[StoredCookie]:
    """Return the cookies that a request for the page would carry, including those that scripts can't read."""
    partition = BrowsingContextPartitionDescriptor(context=tab.context)
    found = (await tab.connection.send(GetCookies(partition=partition))).cookies
    return [cookie for cookie in map(StoredCookie.of, found) if cookie.goes_to(tab.url)]


async def all_cookies(context: Context) -> list[StoredCookie]:
    """Return the cookies of a context."""
    found = await context.browser.connection.send(GetCookies(partition=_partition(context)))
    return [StoredCookie.of(cookie) for cookie in found.cookies if cookie.domain != HOST]


async def set_cookie(context: Context, cookie: StoredCookie) -> None:
    """Set a cookie in a context. Raises `BidiError` if the browser rejects it."""
    await context.browser.connection.send(SetCookie(cookie=cookie.to_partial(), partition=_partition(context)))


async def set_cookies(context: Context, cookies: Sequence[StoredCookie]) -> None:
    """Set cookies in a context. Raises `InvalidParametersError` for the first that is invalid or that it rejects."""
    for cookie in cookies:
        # Chromium reports success for such a cookie, but does not keep it.
        if _NO_DOMAIN.search(cookie.domain):
            raise InvalidParametersError(
                f"{clip(cookie.domain)!r} is not a domain.",
                "Pass a host without scheme and port.",
                {"cookie": cookie.name},
            )
    for number, cookie in enumerate(cookies, 1):
        try:
            await set_cookie(context, cookie)
        except BidiError as error:
            said = error.first_line.replace("[object Object]", "its name, value or domain is none")
            which = (
                f"Cookie {number}, {clip(cookie.name)!r}," if len(cookies) > 1 else f"The cookie {clip(cookie.name)!r}"
            )
            raise InvalidParametersError(
                f"{which} was refused: {clip(said)}.",
                f"The {number - 1} before it are set." if number > 1 else "None is set.",
                {"cookie": cookie.name},
            ) from error


async def delete_cookies(context: Context, cookies: Sequence[StoredCookie]) -> None:
    """Delete cookies of a context."""
    for cookie in cookies:
        which = CookieFilter(name=cookie.name, domain=cookie.domain, path=cookie.path)
        await context.browser.connection.send(DeleteCookies(filter=which, partition=_partition(context)))


def _partition(context: Context) -> StorageKeyPartitionDescriptor:
    return StorageKeyPartitionDescriptor(user_context=context.user_context)
