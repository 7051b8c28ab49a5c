"""Keys and buttons that stay down between calls, drops from outside, the clipboard: ``--caps input``."""

from pydantic import Field

from bidi_server.browser.actions.action import Action
from bidi_server.browser.actions.coordinates import step_at, wheel_at
from bidi_server.browser.actions.drop import drop
from bidi_server.browser.actions.pointer import Button, Step, down, up
from bidi_server.browser.actions.target import Target
from bidi_server.browser.actions.text import hold, let_go
from bidi_server.browser.actions.upload import for_browser
from bidi_server.browser.contexts.clipboard import read_clipboard, write_clipboard
from bidi_server.browser.files.reachable import existing
from bidi_server.browser.sessions.session import Session
from bidi_server.browser.tab.tab import Tab
from bidi_server.browser.words import clip
from bidi_server.config import File
from bidi_server.errors import InvalidParametersError
from bidi_server.escapes import indented
from bidi_server.tools.base import SessionTool, TabTool, pair_of
from bidi_server.tools.outcome import Outcome


class BrowserKeydown(TabTool):
    """Press a key and hold it down, also during later calls."""

    capabilities = ("input",)

    key: str
    """A character or a name: Shift, ArrowLeft."""

    async def run(self, tab: Tab, out: Outcome) -> None:
        """See the class."""
        await out.settle(tab, hold(tab, self.key))
        out.say(f"{clip(self.key)} is held down until browser_keyup.")


class BrowserKeyup(TabTool):
    """Release a key."""

    capabilities = ("input",)

    key: str

    async def run(self, tab: Tab, out: Outcome) -> None:
        """See the class."""
        await out.settle(tab, let_go(tab, self.key))
        out.say(f"Released {clip(self.key)}.")


class ButtonTool(TabTool):
    """A tool for a button of the mouse, where the pointer is or at a point of the viewport."""

    capabilities = ("vision", "input")

    button: Button = "left"
    x: float | None = None
    """CSS pixels."""
    y: float | None = None

    async def turn(self, tab: Tab, out: Outcome, step: Step) -> str:
        """Press or release the button. Return where, for the answer; "" for where the pointer is."""
        point = pair_of(self.x, self.y, "x and y")
        await out.settle(tab, Action(lambda: step_at(tab, step, point)))
        return f" at {point[0]:g}, {point[1]:g}" if point else ""


class BrowserMouseDown(ButtonTool):
    """Press a button of the mouse and hold it down, where the pointer is or at a point of the viewport."""

    async def run(self, tab: Tab, out: Outcome) -> None:
        """See the class."""
        where = await self.turn(tab, out, down(self.button))
        out.say(f"The {self.button} button is held down{where} until browser_mouse_up.")


class BrowserMouseUp(ButtonTool):
    """Release a button of the mouse, where the pointer is or at a point of the viewport."""

    async def run(self, tab: Tab, out: Outcome) -> None:
        """See the class."""
        where = await self.turn(tab, out, up(self.button))
        out.say(f"Released the {self.button} button{where}.")


class BrowserMouseWheel(TabTool):
    """Turn the wheel of the mouse at a point of the viewport."""

    capabilities = ("vision", "input")

    x: float
    """CSS pixels."""
    y: float
    delta_x: float = 0
    """CSS pixels to the right."""
    delta_y: float = 0
    """Down."""

    async def run(self, tab: Tab, out: Outcome) -> None:
        """See the class."""
        turn = (self.delta_x, self.delta_y)
        if turn == (0, 0):
            raise InvalidParametersError("There is nowhere to scroll.", "Pass deltaY or deltaX in pixels.")

        async def perform() -> None:
            hit = await wheel_at(tab, (self.x, self.y), turn)
            out.say(f"Turned the wheel at {self.x:g}, {self.y:g}, over {hit}.")

        await out.settle(tab, Action(perform))


class BrowserDrop(SessionTool):
    """Drop files or data on an element, as if they were dragged from another program."""

    capabilities = ("input",)

    ref: str | None = None
    selector: str | None = None
    element: str | None = None
    paths: list[File] = Field(default_factory=list[File])
    """Files."""
    data: dict[str, str] = Field(default_factory=dict[str, str])
    """By media type: {"text/plain": "Hello", "text/uri-list": "https://example.com"}."""

    async def run(self, session: Session, out: Outcome) -> None:
        """See the class."""
        if not self.paths and not self.data:
            raise InvalidParametersError("There is nothing to drop.", "Pass paths or data.")
        target = Target.parse(self.ref, self.selector, self.element)
        tab = await session.tab()
        tab.dialogs.check_none()
        files = await existing([await session.files.readable(path) for path in self.paths])
        paths = await for_browser(tab, files)
        effects = await out.settle(tab, lambda: drop(tab, target, paths, self.data))
        if effects.element is not None:
            what = ", ".join([*(file.name for file in files), *map(clip, self.data)])
            out.say(f"Dropped {what} on {effects.element}.", effects.element.note)


class BrowserClipboardRead(SessionTool):
    """Read the text on the browser's clipboard."""

    capabilities = ("input",)
    read_only = True

    async def run(self, session: Session, out: Outcome) -> None:
        """See the class."""
        text = await read_clipboard(await session.context())
        if text:
            await out.say_or_save(session.outputs, f"Text:\n{indented(text)}", "clipboard")
        else:
            out.say("There is no text on the clipboard.")


class BrowserClipboardWrite(SessionTool):
    """Put a text on the browser's clipboard, to be pasted with Control+V."""

    capabilities = ("input",)

    text: str

    async def run(self, session: Session, out: Outcome) -> None:
        """See the class."""
        await write_clipboard(await session.context(), self.text)
        out.say(f"{len(self.text)} characters are on the clipboard.")
