"""Actions at coordinates, for models with vision: ``--caps vision``. CSS pixels from the viewport's top left corner."""

from bidi_server.browser.actions.action import Action
from bidi_server.browser.actions.coordinates import click_at, drag_at, move_to
from bidi_server.browser.actions.pointer import Button
from bidi_server.browser.tab.tab import Tab
from bidi_server.tools.base import TabTool
from bidi_server.tools.outcome import Outcome


class BrowserMouseMoveXy(TabTool):
    """Move the mouse to a point of the viewport."""

    capabilities = ("vision", "input")

    x: float
    """CSS pixels from the left."""
    y: float
    """CSS pixels from the top."""

    async def run(self, tab: Tab, out: Outcome) -> None:
        """See the class."""

        async def perform() -> None:
            hit = await move_to(tab, (self.x, self.y))
            out.say(f"Moved the mouse to {self.x:g}, {self.y:g}, over {hit}.")

        await out.settle(tab, Action(perform))


class BrowserMouseClickXy(TabTool):
    """Click at a point of the viewport."""

    capabilities = ("vision",)

    x: float
    """CSS pixels from the left."""
    y: float
    """CSS pixels from the top."""
    button: Button = "left"
    double_click: bool = False

    async def run(self, tab: Tab, out: Outcome) -> None:
        """See the class."""

        async def perform() -> None:
            hit = await click_at(tab, (self.x, self.y), self.button, 2 if self.double_click else 1)
            out.say(f"Clicked at {self.x:g}, {self.y:g}, on {hit}.")

        await out.settle(tab, Action(perform))


class BrowserMouseDragXy(TabTool):
    """Drag from one point of the viewport to another."""

    capabilities = ("vision",)

    start_x: float
    start_y: float
    end_x: float
    end_y: float

    async def run(self, tab: Tab, out: Outcome) -> None:
        """See the class."""

        async def perform() -> None:
            hit = await drag_at(tab, (self.start_x, self.start_y), (self.end_x, self.end_y))
            out.say(f"Dragged {hit} to {self.end_x:g}, {self.end_y:g}.")

        await out.settle(tab, Action(perform))
