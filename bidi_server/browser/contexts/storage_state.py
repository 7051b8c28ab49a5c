"""Files with the cookies and localStorage of a context, in Playwright's format, so that files can be exchanged.

https://playwright.dev/docs/api/class-browsercontext#browser-context-storage-state
"""

from __future__ import annotations

import json
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Literal, cast

import trio
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic.alias_generators import to_camel

from bidi_server.advice import Advice, Operation
from bidi_server.bidi import browsing_context as bc
from bidi_server.bidi.errors import BidiError, ConnectionLostError
from bidi_server.bidi.network import (
    AddIntercept,
    BeforeRequestSent,
    Cookie,
    Header,
    ProvideResponse,
    RemoveIntercept,
    StringValue,
)
from bidi_server.bidi.storage import GetCookies, PartialCookie, SetCookie, StorageKeyPartitionDescriptor
from bidi_server.bidi.values import to_local
from bidi_server.browser.contexts.lease import HOST
from bidi_server.browser.disk import read, write
from bidi_server.browser.origin import origin_of
from bidi_server.browser.snapshot.frame import Frame, FrameGoneError
from bidi_server.browser.words import MAX_PATH, clip
from bidi_server.errors import InvalidParametersError, ToolError
from drivers.json_values import items

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Awaitable, Callable
    from pathlib import Path

    from bidi_server.bidi.wire import Event
    from bidi_server.browser.contexts.context import Context
    from bidi_server.browser.tab.tab import Tab

MAX_FILE = 50_000_000
"""Maximum size of a file to read, in bytes."""

PAGE_SECONDS = 5.0
"""Timeout for a single page to read or write its storage, in seconds."""

_MODEL = ConfigDict(alias_generator=to_camel, validate_by_name=True, extra="ignore")


class StoredCookie(BaseModel):
    """One cookie. ``expires`` is in seconds since the epoch, -1 for the end of the session."""

    model_config = _MODEL

    name: str
    value: str
    domain: str
    path: str = "/"
    expires: float = -1
    http_only: bool = False
    secure: bool = False
    same_site: Literal["Strict", "Lax", "None"] | None = None

    @classmethod
    def of(cls, cookie: Cookie) -> StoredCookie:
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

    def to_partial(self) -> PartialCookie:
        """Convert the cookie to the form that the browser accepts."""
        lasting: dict[str, object] = {}
        # For a cookie without Secure, "None" means that the attribute was not set. Browsers reject that combination.
        if self.same_site and (self.secure or self.same_site != "None"):
            lasting["same_site"] = self.same_site.lower()
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


class StoredItem(BaseModel):
    """An entry of localStorage."""

    name: str
    value: str


class StoredOrigin(BaseModel):
    """The localStorage of an origin."""

    model_config = _MODEL

    origin: str
    local_storage: list[StoredItem] = Field(default_factory=list[StoredItem])


class StorageState(BaseModel):
    """The content of the file."""

    model_config = _MODEL

    cookies: list[StoredCookie] = Field(default_factory=list[StoredCookie])
    origins: list[StoredOrigin] = Field(default_factory=list[StoredOrigin])


async def read_state(path: Path) -> StorageState:
    """Read a file. Raises `InvalidParametersError` if it can't be read or has another format."""
    try:
        return StorageState.model_validate_json(await trio.to_thread.run_sync(read, path, MAX_FILE))
    except OSError as error:
        what = clip(str(path), MAX_PATH)
        raise InvalidParametersError(
            f"The storage state {what} can't be read: {error.strerror}.", "Check storageState."
        ) from error
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise InvalidParametersError(
            f"{path} is not a storage state: {f'{where}: ' if where else ''}{first['msg']}.",
            Advice.of("It needs the form that ", Operation.SAVE_STORAGE, " writes."),
        ) from error


# Object.entries omits entries whose name is also a member of Storage, such as "key" and "length".
_ENTRIES = """() => JSON.stringify(Array.from({length: localStorage.length}, (_, index) => {
    const name = localStorage.key(index);
    return [name, localStorage.getItem(name)];
}))"""


async def restore(context: Context, state: StorageState) -> list[str]:
    """Set the cookies and the localStorage of a state in a context. Return descriptions of what could not be set."""
    send = context.browser.connection.send
    partition = StorageKeyPartitionDescriptor(user_context=context.user_context)
    refused: list[str] = []
    for cookie in state.cookies:
        try:
            await send(SetCookie(cookie=cookie.to_partial(), partition=partition))
        except BidiError as error:
            refused.append(f"cookie {cookie.name} of {cookie.domain}: {error.first_line}")
    origins = [origin for origin in state.origins if origin.local_storage]
    left = {f"localStorage of {origin.origin}" for origin in origins}
    if origins:
        with trio.move_on_after(context.shared.limits.navigation):
            async with _open_visitor(context) as visit:
                for origin in origins:
                    items = [[item.name, item.value] for item in origin.local_storage]
                    script = "(items) => { for (const [name, value] of items) localStorage.setItem(name, value); }"
                    if await visit(origin.origin, script, items) is not None:
                        left.discard(f"localStorage of {origin.origin}")
    context.shared.origins.update(origin.origin for origin in origins)
    return [*refused, *sorted(left)]


async def collect(context: Context) -> tuple[StorageState, list[str]]:
    """Return the cookies and localStorage of a context, and the pages whose localStorage could not be read."""
    partition = StorageKeyPartitionDescriptor(user_context=context.user_context)
    found = await context.browser.connection.send(GetCookies(partition=partition))
    stored: dict[str, list[StoredItem]] = {}
    shown = {origin: origin for origin in context.shared.origins}
    with trio.move_on_after(context.shared.limits.navigation):
        await _ask_pages(context, stored, shown)
        if left := sorted(set(shown) - set(stored)):
            async with _open_visitor(context) as visit:
                for origin in left:
                    text = await visit(origin, _ENTRIES)
                    if text is not None:
                        stored[origin] = _items(str(text))
    origins = [StoredOrigin(origin=name, local_storage=items) for name, items in sorted(stored.items()) if items]
    cookies = [StoredCookie.of(cookie) for cookie in found.cookies if cookie.domain != HOST]
    return StorageState(cookies=cookies, origins=origins), [shown[name] for name in sorted(set(shown) - set(stored))]


async def _ask_pages(context: Context, stored: dict[str, list[StoredItem]], shown: dict[str, str]) -> None:
    """Add the localStorage of the open pages to ``stored``, and a URL for each origin to ``shown``."""
    for tab in list(context.tabs):
        for frame in list(tab.frames.values()):
            origin = origin_of(frame.url)
            if not origin or origin in stored:
                continue
            shown[origin] = frame.url
            items = await _items_of(frame) if tab.dialogs.open is None and not tab.hangs else None
            if items is not None:
                stored[origin] = items


async def write_state(state: StorageState, path: Path) -> None:
    """Write a file that only its owner can read, since it contains logins. Raises `ToolError`."""
    text = json.dumps(state.model_dump(by_alias=True, exclude_none=True), indent=2, ensure_ascii=False)

    try:
        await trio.Path(path.parent).mkdir(parents=True, exist_ok=True)
        await trio.to_thread.run_sync(write, path, text.encode(), 0o600)
    except OSError as error:
        what = clip(str(path), MAX_PATH)
        raise ToolError(
            f"The storage state can't be written to {what}: {error.strerror}.", "Pass another path."
        ) from error


async def _items_of(frame: Frame) -> list[StoredItem] | None:
    with trio.move_on_after(PAGE_SECONDS), suppress(FrameGoneError, BidiError, ToolError):
        return _items(str((await frame.call("storage")).value))
    return None


def _items(text: str) -> list[StoredItem]:
    return [StoredItem(name=str(name), value=str(value)) for name, value in map(items, items(json.loads(text)))]


async def _hidden_tab(context: Context) -> Tab | None:
    """Open a tab without making it the active one. Return None if a hanging page keeps the browser from opening it."""
    active = context.active
    tab = None
    # Shielded: a cancellation before the reply would leave behind a tab that nobody closes.
    with trio.move_on_after(PAGE_SECONDS, shield=True):
        tab = await context.new_tab()
    context.active = active
    return tab


async def _nowhere(_origin: str, _script: str, *_: object) -> None:
    return None


@asynccontextmanager
async def _open_visitor(context: Context) -> AsyncGenerator[Callable[..., Awaitable[object | None]]]:
    """Open a tab that visits origins without network access. Yield a function that runs a script at an origin.

    That function returns None if it failed.
    """
    connection = context.browser.connection
    tab = await _hidden_tab(context)
    if tab is None:
        yield _nowhere
        return

    def answer(event: Event) -> None:
        if isinstance(event, BeforeRequestSent) and event.is_blocked and event.context == tab.context:
            page = [Header(name="Content-Type", value=StringValue(value="text/html"))]
            empty = StringValue(value="<!doctype html>")
            connection.send_nowait(
                ProvideResponse(request=event.request.request, status_code=200, headers=page, body=empty)
            )

    async def visit(origin: str, script: str, *arguments: object) -> object | None:
        if not origin_of(origin):
            return None  # the file may name origins that are not web pages
        with trio.move_on_after(PAGE_SECONDS), suppress(FrameGoneError, BidiError):
            await connection.send(bc.Navigate(context=tab.context, url=f"{origin}/", wait="interactive"))
            result = await tab.main.evaluate_function(script, [to_local(argument) for argument in arguments])
            if result.result is not None:
                return result.result.value or True
        return None

    context.browser.exempt(tab.context)
    connection.add_listener(answer)
    intercept = None
    try:
        intercept = await connection.send(AddIntercept(phases=["beforeRequestSent"], contexts=[tab.context]))
        yield visit
    finally:
        with trio.move_on_after(PAGE_SECONDS, shield=True), suppress(BidiError, ConnectionLostError):
            await context.close_tab(tab)
            if intercept is not None:
                await connection.send(RemoveIntercept(intercept=intercept.intercept))
        connection.remove_listener(answer)
        context.browser.exempt(tab.context, on=False)
