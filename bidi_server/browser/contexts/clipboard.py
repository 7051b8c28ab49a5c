"""The clipboard of a browser, which its contexts share.

The keys for copying and pasting need neither a permission nor a secure context, unlike ``navigator.clipboard``. They
are pressed in a tab of our own, in the background: pages see neither keys nor a change of focus.
"""

from contextlib import suppress
from typing import TYPE_CHECKING

import trio

from bidi_server.bidi.errors import BidiError, ConnectionLostError
from bidi_server.bidi.input import KeyDown, KeySourceActions, KeyUp, PerformActions
from bidi_server.page.api import Pasted

if TYPE_CHECKING:
    from bidi_server.browser.contexts.context import Context

CONTROL = "\ue009"
"""Code point of the key: https://w3c.github.io/webdriver/#keyboard-actions"""


async def read_clipboard(context: "Context") -> str:
    """Return the text on the clipboard; "" if there is none. Raises `DeadlineError` and `ConnectionLostError`."""
    return await _press(context, "v")


async def write_clipboard(context: "Context", text: str) -> None:
    """Put a text on the clipboard. Raises `DeadlineError` and `ConnectionLostError`."""
    await _press(context, "c", text)


async def _press(context: "Context", key: str, text: str = "") -> str:
    tab = None
    with trio.CancelScope(shield=True):  # a tab that opens after a cancellation would stay
        tab = await context.new_tab(background=True)
    assert tab is not None
    try:
        with trio.move_on_after(tab.limits.action) as deadline:
            await tab.main.call("extra.watchClipboard", text)
            keys = [KeyDown(value=CONTROL), KeyDown(value=key), KeyUp(value=key), KeyUp(value=CONTROL)]
            pressed = KeySourceActions(id="keyboard", actions=[*keys])
            await tab.connection.send(PerformActions(context=tab.context, actions=[pressed]))
            return (await tab.main.ask(Pasted, "extra.pastedText")).text or ""
        assert deadline.cancelled_caught
        raise await tab.unresponsive(tab.limits.action)
    finally:
        with trio.move_on_after(tab.limits.action, shield=True), suppress(BidiError, ConnectionLostError):
            await context.close_tab(tab)
