"""Dragging and scrolling."""

from bidi_server.browser.describe import describe
from bidi_server.browser.drag import drag, moved_by
from bidi_server.browser.element import Target
from bidi_server.browser.scroll import place_of, scroll_by, scroll_into_view
from bidi_server.browser.tab import Tab
from bidi_server.errors import InvalidParametersError
from bidi_server.tools.base import TabTool
from bidi_server.tools.browser.interaction import ElementTool
from bidi_server.tools.outcome import Outcome


class BrowserDrag(TabTool):
    """Drag an element and drop it on another."""

    start_ref: str | None = None
    """Element to drag."""
    end_ref: str | None = None
    """Element to drop it on."""
    start_selector: str | None = None
    end_selector: str | None = None
    start_element: str | None = None
    """What you take it for."""
    end_element: str | None = None

    async def run(self, tab: Tab, out: Outcome) -> None:
        """See the class."""
        source = Target.parse(self.start_ref, self.start_selector, self.start_element)
        destination = Target.parse(self.end_ref, self.end_selector, self.end_element)
        async with out.settled(tab) as receipt:
            end = await drag(tab, receipt, source, destination)
        if receipt.found is not None:
            right, down = await moved_by(tab, receipt.found.frame)
            moved = f" It is {_moved(right, down)} of where it was." if right or down else ""
            out.say(f"Dragged {receipt.found} to {end}.{moved}", receipt.found.note)


def _moved(right: int, down: int) -> str:
    ways = [(right, "px right", "px left"), (down, "px down", "px up")]
    return " and ".join(f"{abs(by)} {on if by > 0 else back}" for by, on, back in ways if by)


class BrowserScrollIntoView(ElementTool):
    """Scroll an element to the middle of the viewport."""

    async def run(self, tab: Tab, out: Outcome) -> None:
        """See the class."""
        target = self.target()
        async with out.settled(tab) as receipt:
            await scroll_into_view(tab, receipt, target)
        out.say(f"Scrolled to {receipt.found}.")
        out.say(receipt.found.note if receipt.found else "")


class BrowserScroll(ElementTool):
    """Turn the mouse wheel over the page, or over an element that scrolls."""

    down: int = 0
    """CSS pixels; negative is up."""
    right: int = 0

    async def run(self, tab: Tab, out: Outcome) -> None:
        """See the class."""
        if not self.down and not self.right:
            raise InvalidParametersError("There is nowhere to scroll.", "Pass down or right in pixels.")
        target = self.target() if self.ref or self.selector else None
        async with out.settled(tab) as receipt:
            frame = await scroll_by(tab, receipt, (self.right, self.down), target)
        over = f" over {receipt.found}" if receipt.found else ""
        place = await tab.ask(lambda: place_of(tab, frame))
        what = describe(place["element"]) if place["element"] else "the page" if frame is tab.main else "its frame"
        sideways = f", {place['x']} of {place['mostX']} from the left" if place["mostX"] else ""
        out.say(f"Scrolled{over}; {what} is {place['y']} of {place['mostY']} pixels down{sideways}.")
