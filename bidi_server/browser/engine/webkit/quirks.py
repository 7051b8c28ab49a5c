"""The quirks of WebKit, with WebDriver BiDi and with classic WebDriver only, as WebKitGTK 2.50."""

from bidi_server.browser.engine.quirks import EngineQuirks
from bidi_server.browser.network.proxy import Proxy


class WebKit(EngineQuirks):
    """The quirks of one running WebKit that speaks WebDriver BiDi."""

    engine = "webkit"


class ClassicWebKit(WebKit):
    """The quirks of one running WebKit that only speaks classic WebDriver."""

    protocol = "classic WebDriver"
    gap = "has only classic WebDriver"
    gaps = (
        "cookies are saved and restored for open pages only",
        "pages are left without the question of beforeunload",
    )
    tells_when_asked = True
    # In a new window on a loaded machine, the first frame of WebKitGTK 2.50 came after 2.7 s.
    frame_within = 3.0
    reports_service_workers = False
    has_sandboxes = False
    # The inspector of WebKitGTK 2.50 changes no headers of responses.
    reads_by_header = False

    def takes_proxy(self, proxy: Proxy) -> bool:
        """Whether it is an HTTP proxy without a login, for all hosts.

        WebKitGTK 2.50.6 looks up names itself where the proxy speaks SOCKS, and nothing reaches the proxy then; classic
        WebDriver answers no logins; and of hosts to bypass, the browser reads beyond the end of the list and may crash.
        """
        return proxy.scheme == "http" and not proxy.username and not proxy.bypass
