"""Inspection of a page: picture and tree (seed 003)."""

from bidi_server.browser.actions.target import Target, on_element
from bidi_server.browser.files.picture import Bounds, scaled
from bidi_server.browser.pages.capture import screenshot
from bidi_server.browser.sessions.session import Session
from bidi_server.browser.settling.settle import look
from bidi_server.browser.snapshot.model import WalkOptions
from bidi_server.browser.snapshot.take import Snapshot as PageSnapshot
from bidi_server.browser.snapshot.take import take_part, take_snapshot
from bidi_server.browser.tab.tab import Tab
from bidi_server.errors import InvalidParametersError
from bidi_server.page.api import Look
from bidi_server.tools.outcome import Outcome, Picture
from bidi_server.tools.vision.base import VisionSessionTool, VisionTabTool, target_of
from bidi_server.tools.vision.tree import tree

MAX_BYTES = 5_000_000
"""Maximum size of a picture, in bytes."""

QUALITIES = (85, 75, 65, 55, 45, 35)
"""JPEG qualities to try, in this order, until the picture is small enough."""

LONG_TREE = 16_000
"""Length of a tree beside a picture, in characters, above which only actionable elements are listed."""

EVERY_REF = WalkOptions(every_ref=True)
"""Options of a snapshot in which every element has a ref."""


class Screenshot(VisionSessionTool):
    """Take a picture of the viewport, the full page or an element, with the accessibility tree as text."""

    read_only = True

    selector: str | None = None
    """Only this element."""
    full_page: bool = False
    include_accessibility_tree: bool = True

    async def run(self, session: Session, out: Outcome) -> None:
        """See the class."""
        tab = await session.tab()
        target = await target_of(tab, self.selector) if self.selector is not None else None
        if target and self.full_page:
            raise InvalidParametersError("fullPage does not go with a selector.", "Leave one of them out.")
        shot = await tab.ask(lambda: screenshot(tab, target=target, full_page=self.full_page))
        bounds = Bounds(side=session.config.picture_side, size=MAX_BYTES, qualities=QUALITIES)
        out.pictures.append(Picture(await scaled(shot.data, bounds), "image/jpeg"))
        if not self.include_accessibility_tree:
            out.say(f"Screenshot of the {shot.of}")
            return
        snapshot = await tab.ask(lambda: take_snapshot(tab, EVERY_REF))
        text, refs = tree(snapshot)
        if len(text) > LONG_TREE:
            text, refs = tree(snapshot, interactive_only=True)
            text += "\n(Only what can be acted on; the rest: browser.snapshot)"
        tab.view = tab.view.showing(snapshot, refs)
        out.quote(text)


class Snapshot(VisionTabTool):
    """Read the page as an accessibility tree. Its @e1 refs name elements for other tools."""

    read_only = True

    selector: str | None = None
    """Only this element and its content."""
    interactive_only: bool = False
    """Only elements that can be acted on."""
    compact: bool = True
    """Leave out structure without content."""

    async def run(self, tab: Tab, out: Outcome) -> None:
        """See the class."""
        target = await target_of(tab, self.selector) if self.selector is not None else None
        found = await look(tab, lambda: take_snapshot(tab, EVERY_REF) if target is None else _part(tab, target))
        text, refs = tree(found, interactive_only=self.interactive_only, compact=self.compact)
        tab.view = tab.view.showing(found, refs)
        out.quote(text)


async def _part(tab: Tab, target: Target) -> PageSnapshot:
    found = await on_element(tab, target, Look, "act.look")
    return await take_part(tab, found.frame, target.wire(), EVERY_REF)
