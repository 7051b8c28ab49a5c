"""Subscriptions: a client learns when the console, the requests or its list of tools have changed.

Up to protocol 2025-11-25 a client subscribes to one resource and unsubscribes from it, and the connection carries the
notifications: https://modelcontextprotocol.io/specification/2025-11-25/server/resources#subscriptions. Since 2026-07-28
a client sends ``subscriptions/listen``, whose response is a stream of notifications.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

import mcp_types as types
import trio
from mcp.shared.exceptions import MCPError
from mcp.shared.subscriptions import SUBSCRIPTION_ID_META_KEY

from bidi_server.browser.words import clip
from bidi_server.tools.resources import CONSOLE, NETWORK, parts_of

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from mcp.server.session import ServerSession

    from bidi_server.browser.contexts.context import Context
    from bidi_server.browser.sessions.client import Client
    from bidi_server.browser.tab.tab import Tab

    Notify = Callable[[types.ServerNotification], Awaitable[None]]

INTERVAL = 0.5
"""Minimum interval between two notifications about the same resource, in seconds.

It is also the maximum delay of a notification about a change that no event reports, such as another active tab.
"""


def subscribe(client: Client, uri: str, session: ServerSession, nursery: trio.Nursery) -> None:
    """Notify a client of the changes of a resource, until it unsubscribes or its connection ends.

    Raises MCPError if the resource reports none.
    """
    check(client, uri)
    scopes = _scopes(session)
    if uri in scopes:
        return
    scope = scopes[uri] = trio.CancelScope()
    nursery.start_soon(_Watch(client, uri, session.send_notification).run_within, scope)


def unsubscribe(uri: str, session: ServerSession) -> None:
    """End a subscription, if there is one."""
    if scope := _scopes(session).pop(uri, None):
        scope.cancel()


def _scopes(session: ServerSession) -> dict[str, trio.CancelScope]:
    """Return the scopes of the subscriptions of a connection, by the URI of the resource. Its end cancels them."""
    # Handlers have no public access to it (mcp 2.3), and nothing else tells that a client over HTTP has gone.
    connection = session._connection  # noqa: SLF001
    scopes: dict[str, trio.CancelScope] | None = connection.state.get(__name__)
    if scopes is None:
        scopes = connection.state[__name__] = {}
        connection.exit_stack.callback(_cancel_all, scopes)
    return scopes


def _cancel_all(scopes: dict[str, trio.CancelScope]) -> None:
    for scope in scopes.values():
        scope.cancel()


def check(client: Client, uri: str) -> None:
    """Raise MCPError if a client cannot subscribe to a resource."""
    resource, name = parts_of(uri)
    if resource not in WATCHED:
        what = f"{clip(uri)} reports no changes. These do: {', '.join(WATCHED)}."
        raise MCPError(types.INVALID_PARAMS, what)
    if (name is not None or client.is_visitor) and client.opened(name) is None:
        raise MCPError(types.INVALID_PARAMS, f"{clip(uri)} names no open session. See resources/list.")


def honored(client: Client, wanted: types.SubscriptionFilter) -> types.SubscriptionFilter:
    """Return the part of a filter that the server honors. The lists of prompts and of resources are not watched."""
    uris: list[str] = []
    for uri in dict.fromkeys(wanted.resource_subscriptions or ()):
        with suppress(MCPError):
            check(client, uri)
            uris.append(uri)
    # The tools of a client without a connection never change.
    tools = True if wanted.tools_list_changed and not client.is_visitor else None
    return types.SubscriptionFilter(tools_list_changed=tools, resource_subscriptions=uris or None)


async def listen(client: Client, wanted: types.SubscriptionFilter, request: types.RequestId, notify: Notify) -> None:
    """Answer ``subscriptions/listen``: acknowledge what is honored of a filter, then notify until cancelled.

    ``request`` is the id of the request.
    """
    found = honored(client, wanted)
    meta: dict[str, object] = {SUBSCRIPTION_ID_META_KEY: request}
    watches = [_Watch(client, uri, notify, meta) for uri in found.resource_subscriptions or ()]
    if found.tools_list_changed:
        watches.append(_ToolsWatch(client, "", notify, meta))
    acknowledged = types.SubscriptionsAcknowledgedNotificationParams(notifications=found, _meta=meta)
    await notify(types.SubscriptionsAcknowledgedNotification(params=acknowledged))
    async with trio.open_nursery() as nursery:
        for watch in watches:
            nursery.start_soon(watch.run)
        await trio.sleep_forever()


class _Watch:
    """Notifies a client when a resource is no longer as it was at the beginning, and of each change after that."""

    def __init__(self, client: Client, uri: str, notify: Notify, meta: dict[str, object] | None = None) -> None:
        self._client = client
        self._uri = uri
        self._notify = notify
        self._meta = meta
        self._known = self.mark()

    async def run_within(self, scope: trio.CancelScope) -> None:
        """Run until a scope is cancelled."""
        with scope:
            await self.run()

    async def run(self) -> None:
        """Run until cancelled."""
        while True:
            mark = self.mark()
            if mark != self._known:
                self._known = mark
                await self._notify(self.notification())
                await trio.sleep(INTERVAL)
                continue
            context = self._context()
            with trio.move_on_after(INTERVAL):
                if context is not None:
                    await context.shared.activity.park()
                else:
                    await trio.sleep_forever()
            if context is not None and context.active is not None:
                with trio.move_on_after(INTERVAL):
                    await context.active.catch_up()

    def mark(self) -> object:
        """Return a value that is another one when the resource has changed; () while the resource is empty."""
        context = self._context()
        tab = context.active if context is not None else None
        if tab is None or tab.closed:
            return ()
        marks = WATCHED[parts_of(self._uri)[0]](tab)
        return (tab.context, *marks) if any(marks) else ()

    def notification(self) -> types.ServerNotification:
        """Return the notification about a change."""
        return types.ResourceUpdatedNotification(
            params=types.ResourceUpdatedNotificationParams(uri=self._uri, _meta=self._meta)
        )

    def _context(self) -> Context | None:
        session = self._client.opened(parts_of(self._uri)[1])
        return session.active_context if session is not None else None


class _ToolsWatch(_Watch):
    """Notifies a client of changes of its list of tools."""

    def mark(self) -> object:
        """Return the client's capabilities, which decide about its tools."""
        return self._client.config.caps

    def notification(self) -> types.ServerNotification:
        """Return the notification about a change."""
        return types.ToolListChangedNotification(params=types.NotificationParams(_meta=self._meta))


def _console(tab: Tab) -> tuple[int, int]:
    messages, issues = tab.console.messages.end, tab.console.issues.end
    return _on_page(tab, messages), _on_page(tab, issues)


def _network(tab: Tab) -> tuple[int, int]:
    # A request also changes when it ends.
    return _on_page(tab, tab.requests.all.end), len(tab.requests.in_flight)


def _on_page(tab: Tab, position: int) -> int:
    """Return a position in the tab's journal; 0 if it is before the current page."""
    return position if position > tab.page_start else 0


WATCHED: dict[str, Callable[[Tab], tuple[int, ...]]] = {CONSOLE: _console, NETWORK: _network}
"""The resources that can be subscribed to: functions whose result is another one when the resource has changed.

All its numbers are 0 while the resource is empty.
"""
