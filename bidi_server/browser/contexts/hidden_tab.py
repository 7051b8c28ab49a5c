"""Tabs in the background whose documents are empty, to visit origins without their pages."""

from __future__ import annotations

from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING

import trio

from bidi_server.bidi.errors import BidiError, ConnectionLostError, UnsupportedOperationError
from bidi_server.bidi.network import (
    AddIntercept,
    BeforeRequestSent,
    Header,
    ProvideResponse,
    RemoveIntercept,
    StringValue,
)

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from bidi_server.bidi.wire import Event
    from bidi_server.browser.contexts.context import Context
    from bidi_server.browser.tab.tab import Tab

TIMEOUT = 5.0
"""Timeout for the browser to open or close the tab, in seconds."""

_EMPTY = '<!doctype html><link rel="icon" href="data:,">'
"""A document that requests nothing; Firefox would request an icon."""


@asynccontextmanager
async def hidden_tab(context: Context) -> AsyncGenerator[Tab | None]:
    """Open a tab in the background, and close it in the end. Each document that it navigates to is empty.

    Other requests are sent as those of any page. Yields None if a hanging page keeps the browser from opening it, or if
    the browser can't intercept requests. In Firefox, a service worker provides the documents of its pages itself.
    """
    connection = context.browser.connection
    tab = await _opened(context)
    if tab is None:
        yield None
        return

    def provide(event: Event) -> None:
        if isinstance(event, BeforeRequestSent) and event.is_blocked and event.context == tab.context:
            if event.navigation is None:
                return
            page = [Header(name="Content-Type", value=StringValue(value="text/html"))]
            empty = StringValue(value=_EMPTY)
            connection.send_nowait(
                ProvideResponse(request=event.request.request, status_code=200, headers=page, body=empty)
            )

    context.browser.exempt(tab.context)
    connection.add_listener(provide)
    intercept = None
    try:
        try:
            intercept = await connection.send(AddIntercept(phases=["beforeRequestSent"], contexts=[tab.context]))
        except UnsupportedOperationError:  # WebKitGTK 2.50
            yield None
            return
        await tab.shared.quirks.bypass_service_workers(tab.main)
        yield tab
    finally:
        with trio.move_on_after(TIMEOUT, shield=True), suppress(BidiError, ConnectionLostError):
            await context.close_tab(tab)
            if intercept is not None:
                await connection.send(RemoveIntercept(intercept=intercept.intercept))
        connection.remove_listener(provide)
        context.browser.exempt(tab.context, on=False)


async def _opened(context: Context) -> Tab | None:
    # Shielded: a cancellation before the reply would leave behind a tab that nobody closes.
    with trio.move_on_after(TIMEOUT, shield=True):
        return await context.new_tab(background=True)
    return None
