"""Interception of requests by the rules of the context that sends them."""

from typing import TYPE_CHECKING

import trio

from bidi_server.bidi import browsing_context as bc
from bidi_server.bidi.network import (
    AddIntercept,
    BaseParameters,
    BeforeRequestSent,
    ContinueRequest,
    FailRequest,
    Header,
    ProvideResponse,
    RemoveIntercept,
    StringValue,
)
from bidi_server.bidi.script import CallFunction, ChannelProperties, ChannelValue, ContextTarget, Message, RealmCreated
from bidi_server.bidi.session import Subscribe
from bidi_server.bidi.wire import Command, Event, Result
from bidi_server.browser.network.rules import Rule
from bidi_server.browser.origin import origin_of
from bidi_server.browser.tab.tab import Refused, Tab

if TYPE_CHECKING:
    from collections.abc import Callable

    from bidi_server.bidi.connection import Connection
    from bidi_server.browser.tab.state import Shared

NO_CONTENT = 204
"""Status that ends a navigation without changing the page.

https://www.rfc-editor.org/rfc/rfc9110#name-204-no-content
"""

_NEVER_KEPT = {"Cache-Control": "no-store"}
"""Headers of every provided response. Chromium sends the request if a response has neither headers nor a body."""

_CHANNEL = "bidi-server: where documents are from"


class Interceptor:
    """Interception for all contexts of a browser.

    ``owner`` returns the shared state of the context that sent a request, and the tab if a page sent it. ``tab_of``
    returns the tab of a browsing context. Every blocked request is answered, whichever intercept blocked it: the id of
    an intercept is unknown until the reply to its command. Forbidden pages that load without a request are left.
    """

    def __init__(
        self,
        connection: "Connection",
        owner: "Callable[[BaseParameters], tuple[Shared | None, Tab | None]]",
        tab_of: "Callable[[str], Tab | None]",
    ) -> None:
        self._connection = connection
        self._owner = owner
        self._tab_of = tab_of
        self._intercept = ""
        self._listening = False
        self._switching = trio.Lock()
        self._is_told = False
        self._there: set[str] = set()
        """All browsing contexts that were created, including those of other connections."""
        self._early: dict[str, list[BeforeRequestSent]] = {}
        """Requests of browsing contexts that Firefox has not reported yet: those that Ctrl+click opens."""
        self.exempt: set[str] = set()
        """Browsing contexts whose requests another listener answers."""
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

    async def watch_documents(self) -> None:
        """Subscribe to events of every document, to detect pages that must not be opened. Requires `switch`.

        Chromium reports the first document of a new tab only when it has loaded. There a script asks for its URL.
        """
        async with self._switching:
            if not self._is_told:
                await self._connection.send(Subscribe(events=[RealmCreated.method, Message.method]))
                self._is_told = True

    def listen(self) -> None:
        """Answer blocked requests from now on, including those of intercepts that are not ours."""
        if not self._listening:
            self._listening = True
            self._connection.add_listener(self._on_event)

    def _keep_track(self, event: Event) -> None:
        if isinstance(event, bc.ContextCreated):
            self._there.add(event.context)
            for early in self._early.pop(event.context, ()):
                self._connection.send_nowait(self._answer(early))
        elif isinstance(event, bc.ContextDestroyed):
            self._there.discard(event.context)

    def _on_event(self, event: Event) -> None:
        match event:
            case BeforeRequestSent():
                if event.is_blocked and event.context not in self.exempt:
                    self._on_request(event)
            case bc.ContextCreated() | bc.NavigationCommitted() | bc.Load():
                self._on_document(event.context, event.url)
            case RealmCreated():
                self._on_realm(event)
            case Message():
                if event.channel == _CHANNEL and event.source.context is not None:
                    self._on_document(event.source.context, str(event.data.value))
            case _:
                pass

    def _on_request(self, event: BeforeRequestSent) -> None:
        context = event.context
        if context is None or event.user_context is not None or event.navigation is None or context in self._there:
            self._connection.send_nowait(self._answer(event))
        else:
            self._early.setdefault(context, []).append(event)

    def _on_realm(self, event: RealmCreated) -> None:
        tab = self._tab_of(event.context or "")
        if tab is None or tab.shared.interception.allowed is None:
            return
        if event.context == tab.context and not event.sandbox and tab.url == "about:blank":
            target = ContextTarget(context=tab.context, sandbox=_CHANNEL)
            tell = ChannelValue(value=ChannelProperties(channel=_CHANNEL)).to_wire()
            ask = CallFunction(
                function_declaration="tell => tell(document.URL)", await_promise=False, target=target, arguments=[tell]
            )
            self._connection.send_nowait(ask)

    def _on_document(self, context: str, url: str) -> None:
        """Leave a page that must not be opened.

        Chromium does not block the requests of a new tab until it has reported the tab.
        """
        tab = self._tab_of(context)
        frame = tab.frames.get(context) if tab is not None else None
        if tab is None or frame is None or context in self.exempt:
            return
        was, frame.forbidden = frame.forbidden, url if tab.shared.interception.forbids(url) else ""
        if frame.forbidden and frame.forbidden != was:
            tab.journal.add(Refused(url))
            self._connection.send_nowait(bc.Navigate(context=context, url="about:blank", wait="none"))
        elif was != frame.forbidden:
            tab.activity.unpark_all()

    def _answer(self, event: BeforeRequestSent) -> Command[Result]:
        request = event.request.request
        shared, tab = self._owner(event)
        if shared is None:
            return ContinueRequest(request=request)
        if shared.interception.refuses(event):
            if tab is not None:
                tab.on_refusal(event)
            return ProvideResponse(request=request, status_code=NO_CONTENT, headers=_headers(_NEVER_KEPT))
        rule = shared.interception.rule(event.request.url)
        if rule is None:
            return ContinueRequest(request=request)
        if rule.action == "block":
            return FailRequest(request=request)
        frame = tab.frames.get(event.context or "") if tab is not None else None
        return _answer(event, rule, origin_of(frame.url) if frame is not None else "")


def _answer(event: BeforeRequestSent, rule: Rule, asking: str) -> ProvideResponse:
    sent = {header.name.lower(): str(header.value) for header in event.request.headers}
    # Pages of other origins may read the provided response, and the agent need not write a rule for their preflight.
    # https://fetch.spec.whatwg.org/#http-cors-protocol
    said = _NEVER_KEPT | rule.headers
    # Chromium does not report the Origin header.
    if origin := sent.get("origin") or asking:
        said |= {"Access-Control-Allow-Origin": origin, "Access-Control-Allow-Credentials": "true"}
    status, body = rule.status, rule.body
    if event.request.method == "OPTIONS" and "access-control-request-method" in sent:
        said["Access-Control-Allow-Methods"] = sent["access-control-request-method"]
        said["Access-Control-Allow-Headers"] = sent.get("access-control-request-headers", "")
        status, body = NO_CONTENT, ""
    return ProvideResponse(
        request=event.request.request, status_code=status, headers=_headers(said), body=StringValue(value=body)
    )


def _headers(values: dict[str, str]) -> list[Header]:
    return [Header(name=name, value=StringValue(value=value)) for name, value in values.items()]
