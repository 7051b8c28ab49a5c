"""The quirks of WebKitGTK 2.50."""

from bidi_server.browser.engine.quirks import EngineQuirks


class WebKit(EngineQuirks):
    """The quirks of one running WebKit."""

    gap = "has only classic WebDriver"
    reports_service_workers = False
