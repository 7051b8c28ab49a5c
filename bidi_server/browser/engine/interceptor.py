"""Interception of requests by the rules of the context that sends them."""

from typing import TYPE_CHECKING

import trio

from bidi_server.bidi import browsing_context as bc
from bidi_server.bidi.network import (
    AddIntercept,
    BaseParameters,
    BeforeRequestSent,
    ContinueRequest,
    RemoveIntercept,
)
from bidi_server.bidi.wire import Command, Event, Result
from bidi_server.browser.network.rules import applied, failed, without_content
from bidi_server.browser.origin import origin_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from bidi_server.bidi.connection import Connection
    from bidi_server.browser.tab.state import Shared
    from bidi_server.browser.tab.tab import Tab


class Interceptor:
    """Interception for all contexts of a browser.

    ``owner`` returns the shared state of the context that sent a request, and the tab if a page sent it; ``nursery``
    that of the connection's tasks. Every blocked request is answered, whichever intercept blocked it: the id of an
    intercept is unknown until the reply to its command.
    """

    def __init__(
        self,
        connection: "Connection",
        owner: "Callable[[BaseParameters], tuple[Shared | None, Tab | None]]",
        nursery: "Callable[[], trio.Nursery]",
    ) -> None:
        self._connection = connection
        self._owner = owner
        self._nursery = nursery
        self._intercept = ""
        self._listening = False
        self._switching = trio.Lock()
        self._there: set[str] = set()
        """All browsing contexts that were created, including those of other connections."""
        self._early: dict[str, list[BeforeRequestSent]] = {}
        """Requests of browsing contexts that Firefox has not reported yet: those that Ctrl+click opens."""
        self.exempt: set[str] = set()
        """Browsing contexts for whose documents another listener answers."""
        connection.add_listener(self._keep_track)

    async def switch(self, *, on: bool) -> None:
        """Start or stop intercepting every request."""
        async with self._switching:
            if on and not self._intercept:
                self.listen()
                self._intercept = (await self._connection.send(AddIntercept(phases=["beforeRequestSent"]))).intercept
            elif not on and self._intercept:
                # Forget the intercept before the reply, which may not come: it can't be relied on from now on.
                intercept, self._intercept = self._intercept, ""
                await self._connection.send(RemoveIntercept(intercept=intercept))

    def listen(self) -> None:
        """Answer blocked requests from now on, including those of intercepts that are not ours."""
        if not self._listening:
            self._listening = True
            self._connection.add_listener(self._on_event)

    def _keep_track(self, event: Event) -> None:
        if isinstance(event, bc.ContextCreated):
            self._there.add(event.context)
            for early in self._early.pop(event.context, ()):
                self._answer(early)
        elif isinstance(event, bc.ContextDestroyed):
            self._there.discard(event.context)

    def _on_event(self, event: Event) -> None:
        if not isinstance(event, BeforeRequestSent) or not event.is_blocked:
            return
        if event.navigation is None or event.context not in self.exempt:
            self._on_request(event)

    def _on_request(self, event: BeforeRequestSent) -> None:
        context = event.context
        if context is None or event.user_context is not None or event.navigation is None or context in self._there:
            self._answer(event)
        else:
            self._early.setdefault(context, []).append(event)

    def _answer(self, event: BeforeRequestSent) -> None:
        shared, tab = self._owner(event)
        rule = shared.interception.rule(event) if shared is not None else None
        reason = shared.interception.why_not(event) if shared is not None else ""
        if reason and event.navigation:
            if tab is not None:
                tab.on_refusal(event, reason)
            self._connection.send_nowait(without_content(event))
        elif reason:
            self._connection.send_nowait(failed(event))
        elif rule is None:
            self._connection.send_nowait(ContinueRequest(request=event.request.request))
        else:
            rule.count += 1
            frame = tab.frames.get(event.context or "") if tab is not None else None
            command = applied(rule, event, origin_of(frame.url) if frame is not None else "")
            if rule.delay:
                self._nursery().start_soon(self._send_later, command, rule.delay)
            else:
                self._connection.send_nowait(command)

    async def _send_later(self, command: Command[Result], delay: float) -> None:
        await trio.sleep(delay)
        self._connection.send_nowait(command)
