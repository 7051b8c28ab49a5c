"""Requests of every kind that a page can send, each to a host of its own, such as ``fetch.localhost``.

The script of the page, ``pages/attack.js``, contains the attacks.
"""

import re

from bidi_server.attacks.site import PAGES

WAYS_OUT = tuple(re.findall(r"^  '?([\w-]+)'?: ", (PAGES / "attack.js").read_text("utf-8"), re.MULTILINE))
"""Names of the attacks, which are the names of their hosts too."""

UNSEEN = {
    "chromium": {"icon", "prerender", "web-transport"},  # headless, it shows no icon
    "firefox": {"frame-refresh", "ping", "prefetch", "prerender"},
}
"""Attacks that the engine does not send through a proxy."""

NO_REQUEST = {"dns-prefetch", "peers", "preconnect", "worker-redirect"}
"""Attacks without a request that names the host: a WebRTC server is at an address."""

OPENS_PAGES = {name for name in WAYS_OUT if re.match("frame|form|popup|object|embed", name)} - {"frame-base"}
"""Attacks that open a page or a frame, which ``--allowed-urls`` forbids."""

PASSES_LISTS_OF_URLS = {
    "": {"shared-worker", "service-worker", "service-worker-import"} | NO_REQUEST,
    "chromium": {
        *("socket", "socket-tls", "worker-socket", "worker-nested", "web-transport"),
        *("popup", "popup-later", "popup-redirect", "prefetch", "prerender"),
    },
    "firefox": {"object", "embed"},
    "webkit": {
        *(name for name in WAYS_OUT if name.endswith("redirect")),
        *("redirect", "socket", "socket-tls", "worker-socket", "popup", "popup-later"),
    },
}
"""Attacks whose requests may pass ``--allowed-urls`` and ``--blocked-urls``, in every engine ("") and in one.

docs/SECURITY.md says so, under "What is not promised".
"""
