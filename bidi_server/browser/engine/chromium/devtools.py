"""Chromium's own events, over the DevTools protocol: what WebDriver BiDi does not report, or too late."""

from contextlib import suppress

from bidi_server.bidi import cdp
from bidi_server.bidi.errors import BidiError, ConnectionLostError
from bidi_server.bidi.wire import Event
from bidi_server.browser.engine.chromium.console_sources import Printers
from bidi_server.browser.engine.chromium.issues import issue_of
from bidi_server.browser.engine.chromium.messages import PrintedErrors, message_of
from bidi_server.browser.engine.quirks import Host
from bidi_server.browser.tab.tab import Tab


class DevToolsEvents:
    """The handler of Chromium's own events. It passes them on to the tabs that they are about."""

    def __init__(self, host: Host) -> None:
        self.printed = PrintedErrors()
        self._host = host
        self._printers = Printers(self._on_print)
        self._pages: dict[str | None, str] = {}
        """Tabs, by the DevTools session of their pages."""
        # The browser listens already: it knows a tab before the first of these events about it.
        host.connection.add_listener(self._on_event)

    def forget(self, context: str) -> None:
        """Forget a tab that is gone."""
        self._printers.forget(context)
        self._pages = {session: page for session, page in self._pages.items() if page != context}

    async def prepare(self, tab: Tab) -> None:
        """Record the issues of a tab's pages from now on, and give these the focus, whatever window has it."""
        connection = self._host.connection
        with suppress(BidiError, ConnectionLostError):
            session = (await connection.send(cdp.GetSession(context=tab.context))).session
            self._pages[session] = tab.context
            focus: dict[str, object] = {"enabled": True}
            connection.send_nowait(
                cdp.SendCommand(cdp_method="Emulation.setFocusEmulationEnabled", params=focus, session=session)
            )
            await connection.send(cdp.SendCommand(cdp_method="Audits.enable", session=session))

    def _on_event(self, event: Event) -> None:
        match event:
            case cdp.ConsoleApiCalled():
                if not self.printed.tell(event) and not self._printers.tell(event):
                    self._host.nursery.start_soon(self._printers.find, self._host.connection, self._host.tabs)
            case cdp.RequestWillBeSent():
                self._on_request(event)
            case cdp.LoadingFinished() | cdp.LoadingFailed() | cdp.ResponseReceived():
                for tab in self._host.tabs:
                    if tab.requests.record_own(event):
                        tab.activity.unpark_all()
            case cdp.IssueAdded() | cdp.TargetCrashed():
                tab = self._host.tab_of(self._pages.get(event.session, ""))
                if tab is not None:
                    _on_page(event, tab)
            case cdp.AttachedToTarget() if "worker" in event.type:
                self._printers.worker(event.target_session, event.type, event.session)
                self._host.worker_started(event.target_session, event.browser_context)
            case cdp.DetachedFromTarget():
                self._printers.ended(event.target_session)
                self._host.worker_ended(event.target_session)
            case _:
                pass

    def _on_request(self, event: cdp.RequestWillBeSent) -> None:
        tab = self._host.tab_of(event.frame)
        if tab is None:
            return
        self._printers.page(event.session, tab.context)
        if event.type == "Document" and event.frame == tab.context:
            self._pages = {session: page for session, page in self._pages.items() if page != tab.context}
            self._pages[event.session] = tab.context
        tab.requests.record_own(event)

    def _on_print(self, event: cdp.ConsoleApiCalled, frame: str, origin: str) -> None:
        if (tab := self._host.tab_of(frame)) is not None:
            tab.add_message(message_of(event, origin))


def _on_page(event: cdp.IssueAdded | cdp.TargetCrashed, tab: Tab) -> None:
    if isinstance(event, cdp.TargetCrashed):
        tab.crash()
    elif message := issue_of(event):
        tab.console.add_issue(message, tab.latest_start)
