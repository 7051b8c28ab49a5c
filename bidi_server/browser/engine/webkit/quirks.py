"""The quirks of WebKit, with WebDriver BiDi and with classic WebDriver only, as WebKitGTK 2.50."""

from bidi_server.browser.engine.quirks import EngineQuirks


class WebKit(EngineQuirks):
    """The quirks of one running WebKit that speaks WebDriver BiDi."""

    engine = "webkit"


class ClassicWebKit(WebKit):
    """The quirks of one running WebKit that only speaks classic WebDriver."""

    gap = "has only classic WebDriver"
    gaps = (
        "cookies are saved and restored for open pages only",
        "pages are left without the question of beforeunload",
    )
    tells_when_asked = True
    reports_service_workers = False
    has_sandboxes = False
    # The inspector of WebKitGTK 2.50 changes no headers of responses.
    reads_by_header = False
