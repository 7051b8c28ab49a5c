"""Cookies and storage (seed 004, section 10)."""

from typing import Annotated, Literal
from urllib.parse import urlsplit

from pydantic import Field

from bidi_server.browser.contexts.cookies import StoredCookie, cookies_of, set_cookies
from bidi_server.browser.contexts.web_storage import entries_of
from bidi_server.browser.sessions.session import Session
from bidi_server.browser.tab.tab import Tab
from bidi_server.errors import InvalidParametersError
from bidi_server.secret.parameters import WithSecrets
from bidi_server.secret.text import check_cookie
from bidi_server.tools.extract.base import Part, Result, SessionQuery, TabQuery
from bidi_server.tools.outcome import Outcome


class Cookie(Part):
    """A cookie. ``expires`` is in seconds since the epoch, -1 for the end of the session."""

    name: str
    value: WithSecrets
    domain: str | None = None
    """Default: the host of the open page."""
    path: str = "/"
    expires: float = -1
    httpOnly: bool = False  # noqa: N815 - as browsers' cookies are written in JSON everywhere
    secure: bool = False
    sameSite: Literal["Strict", "Lax", "None"] | None = None  # noqa: N815 - see above


class NewCookie(Cookie):
    """A cookie to set. Browsers keep cookies without a name, as pages set them."""

    name: Annotated[str, Field(min_length=1)]


class Cookies(Result):
    """Cookies."""

    cookies: list[Cookie]


class CookiesSet(Result):
    """How many cookies are set."""

    status: Literal["set"] = "set"
    count: int


class Storage(Result):
    """Keys and values."""

    data: dict[str, str]


class GetCookies(TabQuery):
    """Get the cookies of the current page, including those that scripts can't see."""

    read_only = True

    async def answer(self, tab: Tab, out: Outcome) -> Cookies:
        """See the class."""
        return Cookies(cookies=[Cookie(**cookie.model_dump(by_alias=True)) for cookie in await cookies_of(tab)])


class SetCookies(SessionQuery):
    """Set cookies before navigation."""

    cookies: list[NewCookie]

    async def answer(self, session: Session, out: Outcome) -> CookiesSet:
        """See the class."""
        context = await session.context()
        tab = await context.tab()
        host = urlsplit(tab.url).hostname
        for cookie in self.cookies:
            if cookie.domain is None and not host:
                raise InvalidParametersError(
                    f"The cookie {cookie.name!r} has no domain, and no page is open.", "Pass its domain."
                )
            check_cookie(cookie.value, cookie.domain or host or "", secure=cookie.secure)
        wanted = [
            StoredCookie.model_validate({**cookie.model_dump(), "domain": cookie.domain or host})
            for cookie in self.cookies
        ]
        await set_cookies(context, wanted)
        return CookiesSet(count=len(wanted))


class GetLocalStorage(TabQuery):
    """Get the localStorage of the current page's origin."""

    read_only = True

    async def answer(self, tab: Tab, out: Outcome) -> Storage:
        """See the class."""
        return Storage(data=await tab.ask(lambda: entries_of(tab.main, "local")))
