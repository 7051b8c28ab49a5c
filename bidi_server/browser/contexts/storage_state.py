"""Files with the cookies and localStorage of a context, in Playwright's format, so that files can be exchanged.

https://playwright.dev/docs/api/class-browsercontext#browser-context-storage-state
"""

from __future__ import annotations

import json
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING

import trio
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic.alias_generators import to_camel

from bidi_server.advice import Advice, Operation
from bidi_server.bidi import browsing_context as bc
from bidi_server.bidi.errors import BidiError
from bidi_server.browser.contexts.cookies import StoredCookie, all_cookies, delete_cookies, set_cookie
from bidi_server.browser.contexts.hidden_tab import hidden_tab
from bidi_server.browser.contexts.web_storage import StorageChange, entries_of
from bidi_server.browser.disk import read, write
from bidi_server.browser.origin import origin_of
from bidi_server.browser.snapshot.frame import Frame, FrameGoneError
from bidi_server.browser.words import MAX_PATH, clip
from bidi_server.errors import InvalidParametersError, ToolError

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
    from pathlib import Path

    from bidi_server.browser.contexts.context import Context

MAX_FILE = 50_000_000
"""Maximum size of a file to read, in bytes."""

PAGE_SECONDS = 5.0
"""Timeout for a single page to read or write its storage, in seconds."""

_MODEL = ConfigDict(alias_generator=to_camel, validate_by_name=True, extra="ignore")


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


async def restore(context: Context, state: StorageState, *, anew: bool = False) -> list[str]:
    """Set the cookies and the localStorage of a state in a context. Return descriptions of what could not be set.

    With ``anew``, first remove all cookies of the context and the localStorage of every origin that it has visited.
    """
    if anew:
        await delete_cookies(context, await all_cookies(context))
    refused: list[str] = []
    for cookie in state.cookies:
        try:
            await set_cookie(context, cookie)
        except BidiError as error:
            refused.append(f"cookie {cookie.name} of {cookie.domain}: {error.first_line}")
    stored: dict[str, Sequence[tuple[str, str]]] = dict.fromkeys(sorted(context.shared.origins) if anew else (), ())
    for origin in state.origins:
        if origin.local_storage:
            stored[origin.origin] = [(item.name, item.value) for item in origin.local_storage]
    left = {f"localStorage of {origin}" for origin in stored}
    if stored:
        with trio.move_on_after(context.shared.limits.navigation):
            async with _open_visitor(context) as visit:
                for origin, entries in stored.items():
                    if await visit(origin, StorageChange(clear=anew, set=entries)) is not None:
                        left.discard(f"localStorage of {origin}")
    context.shared.origins.update(stored)
    return [*refused, *sorted(left)]


async def collect(context: Context) -> tuple[StorageState, list[str]]:
    """Return the cookies and localStorage of a context, and the pages whose localStorage could not be read."""
    cookies = await all_cookies(context)
    stored: dict[str, list[StoredItem]] = {}
    shown = {origin: origin for origin in context.shared.origins}
    with trio.move_on_after(context.shared.limits.navigation):
        await _ask_pages(context, stored, shown)
        if left := sorted(set(shown) - set(stored)):
            async with _open_visitor(context) as visit:
                for origin in left:
                    entries = await visit(origin, StorageChange())
                    if entries is not None:
                        stored[origin] = _items(entries)
    origins = [StoredOrigin(origin=name, local_storage=items) for name, items in sorted(stored.items()) if items]
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
        return _items(await entries_of(frame, "local"))
    return None


def _items(entries: dict[str, str]) -> list[StoredItem]:
    return [StoredItem(name=name, value=value) for name, value in entries.items()]


async def _nowhere(_origin: str, _change: StorageChange) -> None:
    return None


@asynccontextmanager
async def _open_visitor(
    context: Context,
) -> AsyncGenerator[Callable[[str, StorageChange], Awaitable[dict[str, str] | None]]]:
    """Open a tab that visits origins without network access. Yield a function that changes the localStorage of one.

    That function returns the entries after the change, or None if it failed.
    """
    async with hidden_tab(context) as tab:
        if tab is None:
            yield _nowhere
            return

        async def visit(origin: str, change: StorageChange) -> dict[str, str] | None:
            if not origin_of(origin):
                return None  # the file may name origins that are not web pages
            with trio.move_on_after(PAGE_SECONDS), suppress(FrameGoneError, BidiError, ToolError):
                await tab.connection.send(bc.Navigate(context=tab.context, url=f"{origin}/", wait="interactive"))
                return await entries_of(tab.main, "local", change)
            return None

        yield visit
