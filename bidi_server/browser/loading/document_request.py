"""The request for the document that a tab is loading, and how to stop it while the server has not responded."""

from bidi_server.browser.network.requests import Request
from bidi_server.browser.tab.tab import Tab


def document_since(tab: Tab, cursor: int) -> Request | None:
    """Return the newest request for the main document after a cursor of the tab's journal, or None.

    If the document was redirected, it is the last request of the redirects.
    """
    return next(
        (
            request
            for request in reversed(tab.requests.all.since(cursor))
            if request.navigation is not None and request.frame == tab.context
        ),
        None,
    )


def destination(tab: Tab) -> str:
    """Return the URL of a tab. For an empty tab that is loading its first page, it is the URL of that page."""
    if tab.url != "about:blank" or tab.context not in tab.loading:
        return tab.url
    # WebKitGTK 2.50 may send the request before its driver tells of the tab.
    document = document_since(tab, 0)
    return document.url if document is not None else tab.latest_url or tab.url


async def stop_unanswered(tab: Tab, cursor: int) -> bool:
    """Stop loading a page whose server has not responded. Return whether a page was stopped.

    ``cursor`` is one of the tab's journal from before the request for the page. The tab keeps showing its previous
    page. Without this, Chromium would answer no command to the previous page until the server responds, and every call
    to the tab would wait for the page that it is loading.
    """
    document = document_since(tab, cursor)
    if tab.is_stopped or (document is not None and document.is_answered):
        return False
    tab.count_as_loaded()
    await tab.shared.quirks.stop_loading(tab.main)
    return True
