"""Scrolling: to an element, or by the wheel."""

from typing import cast

from bidi_server.browser.element import Target, on_element, unblocked
from bidi_server.browser.pointer import Point, point_of, scroll_wheel
from bidi_server.browser.settle import Receipt
from bidi_server.browser.tab import Tab


async def scroll_into_view(tab: Tab, receipt: Receipt, target: Target) -> None:
    """Scroll an element to the middle of the viewport."""
    receipt.found = await on_element(tab, target, "scrollTo")


async def scroll_by(tab: Tab, receipt: Receipt, delta: Point, target: Target | None) -> None:
    """Turn the wheel by so many CSS pixels, over an element or in the middle of the viewport."""
    if target is not None:
        found = receipt.found = unblocked(await on_element(tab, target, "ready", {"enabled": False}))
        await scroll_wheel(found.frame, point_of(found.result["point"]), delta)
        return
    width, height = (await position(tab))["viewport"]
    await scroll_wheel(tab.main, (width / 2, height / 2), delta)


async def scroll_to_end(tab: Tab) -> None:
    """Scroll to where the page ends now."""
    await tab.main.call("act.scrollToEnd")


async def viewport_of(tab: Tab) -> dict[str, float]:
    """Return the sizes of the viewport and of the page, and where that is scrolled to, in CSS pixels."""
    return cast("dict[str, float]", await tab.main.call_json("act.viewport"))


async def position(tab: Tab) -> dict[str, tuple[int, int]]:
    """Return where the page is scrolled to as "at", how far it goes as "most", and the size of its "viewport"."""
    return cast("dict[str, tuple[int, int]]", await tab.main.call_json("act.scrolled"))
