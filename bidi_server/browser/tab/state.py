"""The state that the tabs of a context share."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import trio

from bidi_server.bidi.permissions import PermissionDescriptor, SetPermission
from bidi_server.browser.network.rules import Interception
from bidi_server.browser.snapshot.frame import FrameOptions

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from bidi_server.browser.files.budget import FileBudget
    from bidi_server.browser.files.grid_node import NodeFiles
    from bidi_server.browser.limits import Limits
    from bidi_server.browser.network.entrance import Entrance
    from bidi_server.browser.tab.quirks import Quirks
    from bidi_server.http_credentials import HttpCredentials

MOST_UNTOLD = 20
"""Maximum number of events between two answers that the next one tells."""


@dataclass(slots=True)
class Shared:
    """The state that the tabs of a context share."""

    name: str
    """Name of the context."""
    limits: Limits
    quirks: Quirks
    """Differences of the browser from the specifications."""
    activity: trio.lowlevel.ParkingLot = field(default_factory=trio.lowlevel.ParkingLot)
    """Wakes its waiters at each event of the context's tabs: an action in one tab may wait for a tab that it opened."""
    active: str = ""
    """Browsing context of the tab that the agent works in; "" if there is none."""
    user_context: str = "default"
    granted: tuple[str, ...] = ()
    """Names of the permissions granted to every origin (https://w3c.github.io/permissions/#permissions-interface)."""
    always_granted: tuple[str, ...] = ()
    """The same, whatever the client grants."""
    ref_prefix: str = ""
    """Prefix of refs while the session has several contexts (seed 002)."""
    others: list[str] = field(default_factory=list[str])
    """Names of the session's other contexts."""
    login_refused: bool = False
    """Whether the proxy rejected the login."""
    login_accepted: bool = False
    """Whether the proxy has let a request through after asking for a login."""
    http_credentials: Mapping[str, HttpCredentials] = field(default_factory=dict[str, "HttpCredentials"])
    """Credentials for HTTP authentication, by origin."""
    downloads: Path | None = None
    """Folder for the files of downloads."""
    budget: FileBudget | None = None
    """Maximum size of the files in the folder above that for downloads."""
    node_files: NodeFiles | None = None
    """File transfer to and from the browser's node, if a Grid has started the browser."""
    answers_dialogs: bool = False
    """Whether dialogs are answered when they open, because the agent has no tool for it."""
    interception: Interception = field(default_factory=Interception)
    """Rules for requests, applied before they are sent."""
    entrance: Entrance | None = None
    """Our own proxy on this machine that the context uses; None without one."""
    frame_options: FrameOptions = field(default_factory=FrameOptions)
    """How our script works in the pages."""
    origins: set[str] = field(default_factory=set[str])
    """Origins that the context's pages have visited, which may have data in localStorage."""
    untold: deque[object] = field(default_factory=lambda: deque[object](maxlen=MOST_UNTOLD))
    """Events that the session's next answer has to tell: tabs that pages opened, and downloads that ended."""
    notices: list[str] = field(default_factory=list[str])
    """Messages for the session's next answer about events that no action caused."""

    def tell(self, entries: Sequence[object]) -> None:
        """Note that an answer tells these of the journals' entries."""
        told = {id(entry) for entry in entries}
        left = [entry for entry in self.untold if id(entry) not in told]
        self.untold.clear()
        self.untold.extend(left)

    def permission(self, name: str, origin: str) -> SetPermission:
        """Return the command that grants a permission to an origin, or withdraws it if it is not granted."""
        return SetPermission(
            descriptor=PermissionDescriptor(name=name),
            state="granted" if name in (*self.granted, *self.always_granted) else "prompt",
            origin=origin,
            user_context=self.user_context,
        )
