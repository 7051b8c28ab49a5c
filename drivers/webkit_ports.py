"""The ports of WebKit: https://docs.webkit.org/Ports/Introduction.html."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from drivers.json_values import fields, items

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


@dataclass(frozen=True, slots=True)
class WebKitPort:
    """A port of WebKit, and the browser that its driver starts."""

    browser_name: str
    """The browser's name in capabilities."""
    program: str = ""
    """The name of its program; "" where the driver knows it."""
    vendor_options: str = ""
    """The capability with its program and arguments; "" where there is none."""
    arguments: tuple[str, ...] = ()
    headless: tuple[str, ...] = ()
    """Additional arguments to start without a window."""
    needs_display: bool = False
    """Whether it needs a display to start without a window."""
    proxy: str = ""
    """The argument that sets a proxy; "" where there is none."""

    def capabilities(self, arguments: Sequence[str] = (), binary: str = "", *, insecure: bool) -> dict[str, object]:
        """Return the capabilities of a new session, in which we look at pages until they are as far as wanted."""
        wanted: dict[str, object] = {
            "browserName": self.browser_name,
            "pageLoadStrategy": "none",
            "unhandledPromptBehavior": "ignore",
            "acceptInsecureCerts": insecure,
        }
        if self.vendor_options:
            program: dict[str, object] = {"binary": binary} if binary else {}
            wanted[self.vendor_options] = {**program, "args": [*self.arguments, *arguments]}
        return wanted

    def proxied(self, wanted: Mapping[str, object]) -> dict[str, object]:
        """Return capabilities with the HTTP proxy of their session as an argument of the browser.

        WebKitGTK 2.50.6 speaks TLS to the proxy of a session if a page is one of https, so that none opens.
        """
        address, options = fields(wanted.get("proxy")).get("httpProxy"), fields(wanted.get(self.vendor_options))
        if not self.proxy or address is None:
            return dict(wanted)
        kept = {name: value for name, value in wanted.items() if name != "proxy"}
        return {
            **kept,
            self.vendor_options: {**options, "args": [*items(options["args"]), f"{self.proxy}=http://{address}"]},
        }


GTK = WebKitPort(
    "MiniBrowser",
    "MiniBrowser",
    "webkitgtk:browserOptions",
    (
        "--automation",
        # MiniBrowser blocks all popups without it, those of a person's click included (2.50.6).
        "--javascript-can-open-windows-automatically=true",
        # Going back to a frozen page fires no `load` event.
        "--enable-page-cache=false",
    ),
    needs_display=True,
    proxy="--proxy",
)
"""Its browser takes WebKit's settings by their names."""

WPE = WebKitPort("cog", "cog", "wpe:browserOptions", ("--automation",), headless=("--platform=headless",))

SAFARI = WebKitPort("safari")


def port_of_driver(program: str) -> WebKitPort:
    """Return the port of a driver by the name of its program."""
    return SAFARI if program == "safaridriver" else WPE if program.startswith("WPE") else GTK


def port_of_browser(name: str) -> WebKitPort:
    """Return the port of a browser by its name in capabilities. One that we do not know has its driver's arguments."""
    return next((port for port in (GTK, WPE) if port.browser_name == name), WebKitPort(name))
