"""Watch over the documents of tabs: those that must not be opened are left, also if they load without a request."""

from typing import TYPE_CHECKING

import trio

from bidi_server.bidi import browsing_context as bc
from bidi_server.bidi.script import CallFunction, ChannelProperties, ChannelValue, ContextTarget, Message, RealmCreated
from bidi_server.bidi.session import Subscribe
from bidi_server.bidi.wire import Event
from bidi_server.browser.tab.tab import Refused, Tab

if TYPE_CHECKING:
    from collections.abc import Callable, Container

    from bidi_server.bidi.connection import Connection

_CHANNEL = "bidi-server: where documents are from"


class DocumentGuard:
    """The watch over the documents of a browser.

    ``tab_of`` returns the tab of a browsing context, and ``exempt`` has the browsing contexts that are left alone.
    """

    def __init__(
        self, connection: "Connection", tab_of: "Callable[[str], Tab | None]", exempt: "Container[str]"
    ) -> None:
        self._connection = connection
        self._tab_of = tab_of
        self._exempt = exempt
        self._is_subscribed = False
        self._subscribing = trio.Lock()
        self._listening = False

    def listen(self) -> None:
        """Leave documents that must not be opened from now on."""
        if not self._listening:
            self._listening = True
            self._connection.add_listener(self._on_event)

    async def watch_closely(self) -> None:
        """Listen, and subscribe to events of every document.

        Chromium 156 reports the first document of a new tab only when it has loaded. There a script asks for its URL.
        """
        self.listen()
        async with self._subscribing:
            if not self._is_subscribed:
                await self._connection.send(Subscribe(events=[RealmCreated.method, Message.method]))
                self._is_subscribed = True

    def _on_event(self, event: Event) -> None:
        match event:
            case bc.ContextCreated() | bc.NavigationCommitted() | bc.Load():
                self._on_document(event.context, event.url)
            case RealmCreated():
                self._on_realm(event)
            case Message():
                if event.channel == _CHANNEL and event.source.context is not None:
                    self._on_document(event.source.context, str(event.data.value))
            case _:
                pass

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
        if tab is None or frame is None or context in self._exempt:
            return
        reason = tab.shared.interception.forbids(url)
        was, frame.forbidden = frame.forbidden, url if reason else ""
        if frame.forbidden and frame.forbidden != was:
            tab.journal.add(Refused(url, reason))
            self._connection.send_nowait(bc.Navigate(context=context, url="about:blank", wait="none"))
        elif was != frame.forbidden:
            tab.activity.unpark_all()
