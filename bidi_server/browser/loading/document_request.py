"""The document that a tab is on its way to, as long as nobody has answered for it."""

from contextlib import suppress

import trio

from bidi_server.bidi import cdp
from bidi_server.bidi.errors import BidiError
from bidi_server.browser.network.requests import Request
from bidi_server.browser.snapshot.frame import FrameGoneError
from bidi_server.browser.tab.tab import Tab
from bidi_server.errors import ScriptError

STOPPING = 1.0
"""Seconds that the browser may take to stop loading."""


def document_since(tab: Tab, mark: int) -> Request | None:
    """Return the request of the main document after a mark of the tab's requests, the last one of its redirects."""
    return next(
        (
            request
            for request in reversed(tab.requests.all.since(mark))
            if request.navigation is not None and request.frame == tab.context
        ),
        None,
    )


def destination(tab: Tab) -> str:
    """Return the URL of a tab; of one that shows nothing yet, where it is to go."""
    document = document_since(tab, 0) if tab.url == "about:blank" and tab.context in tab.loading else None
    return document.url if document is not None else tab.url


async def stop_unanswered(tab: Tab, mark: int) -> bool:
    """Give up the page that the tab is on its way to, if its server has not answered since a mark of the requests.

    The tab then shows the page that it showed before. Until the server answers, Chromium lets nothing through to that
    page, and every call to a tab waits for the page that it is on its way to. Return whether a page was given up.
    """
    document = document_since(tab, mark)
    if tab.is_stopped or (document is not None and document.status):
        return False
    tab.loading.pop(tab.context, None)
    with trio.move_on_after(STOPPING, shield=True), suppress(BidiError, FrameGoneError, ScriptError):
        if tab.shared.has_cdp:
            found = await tab.connection.send(cdp.GetSession(context=tab.context))
            await tab.connection.send(cdp.SendCommand(cdp_method="Page.stopLoading", session=found.session))
        else:
            # Firefox 153 has no command for it. https://html.spec.whatwg.org/#dom-window-stop ends the navigation.
            await tab.main.call("act.stopLoading")
    return True
