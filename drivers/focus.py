"""The focus of windows on a private X display, where no window manager gives it."""

from __future__ import annotations

from contextlib import closing, suppress
from typing import TYPE_CHECKING, cast

import trio

from drivers.diagnosis import OTHERWISE
from drivers.errors import LaunchError

if TYPE_CHECKING:
    from Xlib.display import Display
    from Xlib.protocol.event import MapNotify

ENVIRONMENT = {"GDK_CORE_DEVICE_EVENTS": "1"}
"""Variables of a program whose windows get the focus.

GTK 3 takes the focus from an extension otherwise, for which X has no message from one program to another.
"""


async def give_focus(display_name: str) -> None:
    """Tell each window that opens on a display that it has the focus, until the display ends. Raises `LaunchError`.

    Each believes to be the only one that has it, so that the windows of several sessions do not take it from each
    other. Without the focus WebKitGTK 2.50 matches no ``:focus`` and ``:focus-within``, and ``document.hasFocus()`` is
    false.
    """
    display = await trio.to_thread.run_sync(_watch, display_name)
    trio.lowlevel.spawn_system_task(_give, display, name=f"focus of windows on {display_name}")


def _watch(display_name: str) -> Display:
    """Connect to a display and ask for its new windows."""
    from Xlib.display import Display
    from Xlib.error import DisplayError
    from Xlib.X import SubstructureNotifyMask

    try:
        display = Display(display_name)
    except DisplayError as failure:
        raise LaunchError(f"The private display can't be used: {failure}", OTHERWISE) from failure
    display.screen().root.change_attributes(event_mask=SubstructureNotifyMask)
    display.flush()
    return display


async def _give(display: Display) -> None:
    from Xlib.error import CatchError, ConnectionClosedError
    from Xlib.protocol.event import FocusIn
    from Xlib.X import FocusChangeMask, MapNotify, NotifyNonlinear, NotifyNormal

    with suppress(ConnectionClosedError), closing(display):
        while True:
            while display.pending_events():
                event = display.next_event()
                if event.type != MapNotify or cast("MapNotify", event).override:
                    continue  # menus and tooltips
                window = cast("MapNotify", event).window
                focused = FocusIn(window=window, detail=NotifyNonlinear, mode=NotifyNormal)
                # It may have been closed in the meantime.
                window.send_event(focused, event_mask=FocusChangeMask, onerror=CatchError())
            display.flush()
            await trio.lowlevel.wait_readable(display.fileno())
