"""What the tabs of a context have in common."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import trio

from bidi_server.browser.console.messages import PrintedErrors
from bidi_server.browser.network.rules import Interception

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from bidi_server.browser.files.grid_node import NodeFiles
    from bidi_server.browser.limits import Limits
    from bidi_server.http_credentials import HttpCredentials


@dataclass(slots=True)
class Shared:
    """What the tabs of a context have in common."""

    name: str
    """The context's."""
    limits: Limits
    activity: trio.lowlevel.ParkingLot = field(default_factory=trio.lowlevel.ParkingLot)
    """Wakes at each event of the context's tabs: an action in one may wait for another that it opened."""
    user_context: str = "default"
    granted: tuple[str, ...] = ()
    """Permissions of every origin (https://w3c.github.io/permissions/#permissions-interface)."""
    ref_prefix: str = ""
    """What stands before refs while the session has several contexts (seed 002)."""
    others: list[str] = field(default_factory=list[str])
    """The session's other contexts."""
    login_refused: bool = False
    """Whether the proxy did not accept the login."""
    login_accepted: bool = False
    """Whether the proxy has let a request through that it had asked a login for."""
    http_credentials: Mapping[str, HttpCredentials] = field(default_factory=dict[str, "HttpCredentials"])
    """Logins of servers by origin."""
    downloads: Path | None = None
    """Folder that downloads end up in."""
    node_files: NodeFiles | None = None
    """The way of files to the browser and back, where a Grid has started it."""
    printed: PrintedErrors = field(default_factory=PrintedErrors)
    """The browser's."""
    has_cdp: bool = False
    """Whether the browser speaks the DevTools protocol as well."""
    answers_dialogs: bool = False
    """Whether dialogs are answered at once, as nobody else can."""
    interception: Interception = field(default_factory=Interception)
    """What happens to requests before they are sent."""
    web_only: bool = False
    """Whether pages of the browser's machine are not for the client: its files, and the browser's own."""
    origins: set[str] = field(default_factory=set[str])
    """Where its pages have been: what may have something in localStorage."""
    notices: list[str] = field(default_factory=list[str])
    """What happened that no action accounts for, for the session's next answer."""
