"""The quirks of WebKitGTK 2.50."""

from bidi_server.browser.engine.quirks import EngineQuirks


class WebKit(EngineQuirks):
    """The quirks of one running WebKit."""

    gap = "has only classic WebDriver"
    gaps = (
        "console messages, errors and listeners of a page's first scripts may be missing",
        "HTTP statuses of pages are unknown",
        "cookies and localStorage are saved and restored for open pages only",
        "pages are left without the question of beforeunload",
    )
    reports_service_workers = False
    has_sandboxes = False
