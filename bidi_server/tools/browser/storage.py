"""Cookies and storage: ``--caps storage``."""

from datetime import UTC, datetime
from typing import ClassVar, Literal
from urllib.parse import urlsplit

from bidi_server.browser.contexts.context import Context
from bidi_server.browser.contexts.cookies import StoredCookie, all_cookies, delete_cookies, set_cookies
from bidi_server.browser.contexts.storage_state import collect, read_state, restore, write_state
from bidi_server.browser.contexts.web_storage import Area, StorageChange, entries_of
from bidi_server.browser.files.outputs import timestamp
from bidi_server.browser.origin import origin_of
from bidi_server.browser.sessions.session import Session
from bidi_server.browser.tab.tab import Tab
from bidi_server.browser.words import address, clip
from bidi_server.config import File
from bidi_server.errors import InvalidParametersError
from bidi_server.escapes import indented, one_line, quote
from bidi_server.secret.parameters import WithSecrets
from bidi_server.secret.text import check_cookie, check_origins
from bidi_server.tools.base import SessionTool
from bidi_server.tools.browser.contexts import say_saved
from bidi_server.tools.outcome import Outcome

MAX_VALUE = 200
"""Maximum length of a value in a list, in characters."""


class BrowserCookieList(SessionTool):
    """List the cookies of the context, including those that scripts can't see."""

    capabilities = ("storage",)
    read_only = True
    ignores_dialog = True

    domain: str | None = None
    """Only those of this domain and the domains below it."""
    path: str | None = None
    """Only those that a request for this path carries."""

    async def run(self, session: Session, out: Outcome) -> None:
        """See the class."""
        found = await _cookies(await session.context(), domain=self.domain, path=self.path)
        text = "\n".join(one_line(_line(cookie)) for cookie in found)
        await out.say_or_save(session.outputs, text or "No cookies.", "cookies")


class BrowserCookieGet(SessionTool):
    """Show the cookies of a name, with their whole values."""

    capabilities = ("storage",)
    read_only = True
    ignores_dialog = True

    name: str
    domain: str | None = None

    async def run(self, session: Session, out: Outcome) -> None:
        """See the class."""
        found = await _cookies(await session.context(), self.name, self.domain)
        out.quote("\n".join(one_line(_line(cookie, whole=True)) for cookie in found))
        if not found:
            out.say(f"There is no cookie {quote(clip(self.name))}.")


class BrowserCookieSet(SessionTool):
    """Set a cookie."""

    capabilities = ("storage",)
    ignores_dialog = True

    name: str
    value: WithSecrets
    domain: str | None = None
    """Default: the host of the open page."""
    path: str = "/"
    expires: float = -1
    """Seconds since 1970; -1: with the browser's session."""
    http_only: bool = False
    secure: bool = False
    same_site: Literal["Strict", "Lax", "None"] | None = None

    async def run(self, session: Session, out: Outcome) -> None:
        """See the class."""
        context = await session.context()
        domain = self.domain or (urlsplit(context.active.url).hostname if context.active is not None else None)
        if not domain:
            raise InvalidParametersError("The cookie has no domain, and no web page is open.", "Pass its domain.")
        check_cookie(self.value, domain, secure=self.secure)
        cookie = StoredCookie(
            name=self.name,
            value=self.value,
            domain=domain,
            path=self.path,
            expires=self.expires,
            http_only=self.http_only,
            secure=self.secure,
            same_site=self.same_site,
        )
        await set_cookies(context, [cookie])
        out.say(f"Set the cookie {quote(clip(self.name))} of {clip(domain)}{clip(self.path)}.")


class BrowserCookieDelete(SessionTool):
    """Delete the cookies of a name."""

    capabilities = ("storage",)
    ignores_dialog = True

    name: str
    domain: str | None = None
    path: str | None = None

    async def run(self, session: Session, out: Outcome) -> None:
        """See the class."""
        await _delete(await session.context(), out, self.name, self.domain, self.path)


class BrowserCookieClear(SessionTool):
    """Delete all cookies, or those of a domain."""

    capabilities = ("storage",)
    ignores_dialog = True

    domain: str | None = None

    async def run(self, session: Session, out: Outcome) -> None:
        """See the class."""
        await _delete(await session.context(), out, domain=self.domain)


class BrowserLocalstorageList(SessionTool):
    """List the localStorage of the page's origin."""

    capabilities = ("storage",)
    read_only = True
    area: ClassVar[Area] = "local"

    async def run(self, session: Session, out: Outcome) -> None:
        """See the class."""
        tab, found = await _entries(session, self.area)
        lines = [f"{quote(clip(key, MAX_VALUE))}: {quote(clip(value, MAX_VALUE))}" for key, value in found.items()]
        out.say(f"The {self.area}Storage of {address(tab.url)}{':' if lines else ' is empty.'}")
        await out.say_or_save(session.outputs, "\n".join(lines), f"{self.area}-storage")


class BrowserLocalstorageGet(SessionTool):
    """Show a value of localStorage."""

    capabilities = ("storage",)
    read_only = True
    area: ClassVar[Area] = "local"

    key: str

    async def run(self, session: Session, out: Outcome) -> None:
        """See the class."""
        value = (await _entries(session, self.area))[1].get(self.key)
        if value is None:
            out.say(_missing(self.area, self.key))
        else:
            await out.say_or_save(session.outputs, f"Text:\n{indented(value)}", f"{self.area}-storage")


class BrowserLocalstorageSet(SessionTool):
    """Set a value of localStorage."""

    capabilities = ("storage",)
    area: ClassVar[Area] = "local"

    key: str
    value: WithSecrets

    async def run(self, session: Session, out: Outcome) -> None:
        """See the class."""
        check_origins([self.value], origin_of((await session.tab()).url), f"in {self.area}Storage of this page")
        await _entries(session, self.area, StorageChange(set=[(self.key, self.value)]))
        out.say(f"Set {quote(clip(self.key))} in {self.area}Storage.")


class BrowserLocalstorageDelete(SessionTool):
    """Delete a value of localStorage."""

    capabilities = ("storage",)
    area: ClassVar[Area] = "local"

    key: str

    async def run(self, session: Session, out: Outcome) -> None:
        """See the class."""
        _, before = await _entries(session, self.area)
        if self.key not in before:
            out.say(_missing(self.area, self.key))
            return
        await _entries(session, self.area, StorageChange(remove=[self.key]))
        out.say(f"Deleted {quote(clip(self.key))} from {self.area}Storage.")


class BrowserLocalstorageClear(SessionTool):
    """Clear the localStorage of the page's origin."""

    capabilities = ("storage",)
    area: ClassVar[Area] = "local"

    async def run(self, session: Session, out: Outcome) -> None:
        """See the class."""
        _, before = await _entries(session, self.area)
        await _entries(session, self.area, StorageChange(clear=True))
        out.say(f"Deleted the {len(before)} entries of {self.area}Storage.")


class BrowserSessionstorageList(BrowserLocalstorageList):
    """List the sessionStorage of the page's origin in this tab."""

    area = "session"


class BrowserSessionstorageGet(BrowserLocalstorageGet):
    """Show a value of sessionStorage."""

    area = "session"


class BrowserSessionstorageSet(BrowserLocalstorageSet):
    """Set a value of sessionStorage."""

    area = "session"


class BrowserSessionstorageDelete(BrowserLocalstorageDelete):
    """Delete a value of sessionStorage."""

    area = "session"


class BrowserSessionstorageClear(BrowserLocalstorageClear):
    """Clear the sessionStorage of the page's origin in this tab."""

    area = "session"


class BrowserStorageState(SessionTool):
    """Save the cookies and localStorage of the active context to a file."""

    capabilities = ("storage",)
    read_only = True
    ignores_dialog = True

    filename: File | None = None
    """Default: storage-state-TIME.json in the output folder."""

    async def run(self, session: Session, out: Outcome) -> None:
        """See the class."""
        context = await session.context()
        if self.filename is not None:
            path = await session.files.writable(self.filename)
        else:
            path = await session.outputs.place(f"storage-state-{timestamp()}.json")
        state, silent = await collect(context)
        await write_state(state, path)
        say_saved(out, path, state, silent)


class BrowserSetStorageState(SessionTool):
    """Replace the cookies and localStorage of the active context by those of a saved file."""

    capabilities = ("storage",)
    ignores_dialog = True

    filename: File

    async def run(self, session: Session, out: Outcome) -> None:
        """See the class."""
        state = await read_state(await session.files.readable(self.filename))
        refused = await restore(await session.context(), state, anew=True)
        local = sum(len(origin.local_storage) for origin in state.origins)
        out.say(
            f"The context has {len(state.cookies)} cookies and {local} localStorage entries from {self.filename} now. "
            "Reload pages that are open."
        )
        out.say(*(f"Not taken: {what}" for what in refused))


async def _cookies(
    context: Context, name: str | None = None, domain: str | None = None, path: str | None = None
) -> list[StoredCookie]:
    return [
        cookie
        for cookie in await all_cookies(context)
        if (name is None or cookie.name == name)
        and (domain is None or cookie.belongs_to(domain))
        and (path is None or cookie.covers(path))
    ]


async def _delete(
    context: Context, out: Outcome, name: str | None = None, domain: str | None = None, path: str | None = None
) -> None:
    found = await _cookies(context, name, domain, path)
    await delete_cookies(context, found)
    out.say(*(f"Deleted: {_line(cookie)}" for cookie in found[:1] if len(found) == 1))
    if len(found) != 1:
        out.say(f"Deleted {len(found)} cookies." if found else "There is no such cookie.")


def _line(cookie: StoredCookie, *, whole: bool = False) -> str:
    parts = [
        f"{cookie.domain}{cookie.path}",
        "HttpOnly" if cookie.http_only else "",
        "Secure" if cookie.secure else "",
        f"SameSite={cookie.restricted_to}" if cookie.restricted_to else "",
        f"until {_day(cookie.expires)}" if cookie.expires >= 0 else "",
    ]
    value = cookie.value if whole else clip(cookie.value, MAX_VALUE)
    return f"{quote(cookie.name)}: {quote(value)} ({', '.join(filter(None, parts))})"


def _day(expires: float) -> str:
    return datetime.fromtimestamp(expires, UTC).strftime("%Y-%m-%d %H:%M:%SZ")


async def _entries(session: Session, area: Area, change: StorageChange | None = None) -> tuple[Tab, dict[str, str]]:
    """Return the active tab and the entries of a storage of its page, after a change."""
    tab = await session.tab()
    tab.dialogs.check_none()
    return tab, await tab.ask(lambda: entries_of(tab.main, area, change))


def _missing(area: Area, key: str) -> str:
    return f"{area}Storage has no {quote(clip(key))}."
