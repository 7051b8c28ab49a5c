"""Dragging and scrolling."""

from bidi_server.browser.actions.drag import Ends, drag, moved_by
from bidi_server.browser.actions.scroll import place_of, scroll_by, scroll_into_view
from bidi_server.browser.actions.target import Target
from bidi_server.browser.tab.tab import Tab
from bidi_server.browser.words import describe
from bidi_server.errors import InvalidParametersError
from bidi_server.tools.base import TabTool, pair_of
from bidi_server.tools.browser.interaction import ElementTool, shows_no_change
from bidi_server.tools.outcome import Outcome


class BrowserDrag(TabTool):
    """Drag an element and drop it on another, or at a point."""

    start_ref: str | None = None
    """Element to drag."""
    end_ref: str | None = None
    """Element to drop it on."""
    start_selector: str | None = None
    end_selector: str | None = None
    start_element: str | None = None
    """Its description."""
    end_element: str | None = None
    start_x: float | None = None
    """Where to hold and drop it, in px from the elements' top left corners; default: the middle."""
    start_y: float | None = None
    end_x: float | None = None
    end_y: float | None = None
    to_x: float | None = None
    """Instead of an end element: point of the viewport."""
    to_y: float | None = None

    async def run(self, tab: Tab, out: Outcome) -> None:
        """See the class."""
        source = Target.parse(self.start_ref, self.start_selector, self.start_element)
        to = pair_of(self.to_x, self.to_y, "toX and toY")
        if to is not None and (self.end_ref or self.end_selector):
            raise InvalidParametersError(
                "toX and toY don't go with an end element.", "For a place in that element pass endX and endY."
            )
        destination = to or Target.parse(self.end_ref, self.end_selector, self.end_element)
        hold = pair_of(self.start_x, self.start_y, "startX and startY")
        drop = pair_of(self.end_x, self.end_y, "endX and endY")
        if to is not None and drop is not None:
            raise InvalidParametersError("endX and endY need an end element.", "Pass toX and toY alone.")
        effects = await out.settle(tab, lambda: drag(tab, Ends(source, destination, hold, drop)))
        if effects.action is not None and (found := effects.element) is not None:
            by = await moved_by(tab, found.frame)
            moved = f" It is {_moved(*by)} of where it was." if by is not None and any(by) else ""
            out.say(f"Dragged {found} to {effects.action.onto}.{moved}", found.note)
            if by == (0, 0) and shows_no_change(tab, effects):
                out.say(f"But {found} is where it was.")


def _moved(right: int, down: int) -> str:
    ways = [(right, "px right", "px left"), (down, "px down", "px up")]
    return " and ".join(f"{abs(by)} {on if by > 0 else back}" for by, on, back in ways if by)


class BrowserScrollIntoView(ElementTool):
    """Scroll an element to the middle of the viewport."""

    async def run(self, tab: Tab, out: Outcome) -> None:
        """See the class."""
        target = self.target()
        effects = await out.settle(tab, lambda: scroll_into_view(tab, target))
        if effects.element is not None:
            out.say(f"Scrolled to {effects.element}.", effects.element.note)


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
        effects = await out.settle(tab, lambda: scroll_by(tab, (self.right, self.down), target))
        over = f" over {effects.element}" if effects.element else ""
        if tab.is_stopped:
            out.say(f"Turned the wheel{over}.")
            return
        frame = effects.element.frame if effects.element else tab.main
        place = await tab.ask(lambda: place_of(tab, frame))
        what = describe(place.element) if place.element else "the page" if frame is tab.main else "its frame"
        sideways = f", {place.x} of {place.most_x} from the left" if place.most_x else ""
        out.say(f"Scrolled{over}; {what} is {place.y} of {place.most_y} pixels down{sideways}.")
