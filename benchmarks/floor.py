"""The floor: the minimum of raw protocol commands for each operation, without settling or checks."""

import json
from typing import cast

from bidi_server.bidi import browsing_context as bc
from bidi_server.bidi import input as bidi_input
from bidi_server.bidi.script import ContextTarget, Evaluate
from bidi_server.browser.actions.keys import typing
from bidi_server.browser.tab.tab import Navigated, Tab


class Floor:
    """Raw commands to one tab."""

    def __init__(self, tab: Tab) -> None:
        self.tab = tab
        self.send = tab.connection.send
        self.context = tab.context

    async def navigate(self, url: str) -> None:
        """Load a page."""
        await self.send(bc.Navigate(context=self.context, url=url, wait="complete"))

    async def evaluate(self, expression: str, *, wait: bool = False) -> object:
        """Return the value of an expression, with ``wait`` that of its promise."""
        target = ContextTarget(context=self.context)
        result = await self.send(Evaluate(expression=expression, target=target, await_promise=wait))
        return result.result.value if result.result else None

    async def walk(self) -> None:
        """Walk the page once and transfer a line for each element, without names and roles."""
        await self.evaluate(
            "JSON.stringify(Array.from(document.querySelectorAll('*'), e => "
            "[e.localName, e.id, e.checkVisibility(), e.childElementCount ? '' : e.textContent]))"
        )

    async def click(self, selector: str) -> None:
        """Get the position of the element and click there."""
        place = await self.evaluate(
            f"(r => JSON.stringify([r.x + r.width / 2, r.y + r.height / 2]))"
            f"(document.querySelector({json.dumps(selector)}).getBoundingClientRect())"
        )
        x, y = cast("list[float]", json.loads(str(place)))
        pointer = bidi_input.PointerSourceActions(
            id="mouse",
            parameters=bidi_input.PointerParameters(pointer_type="mouse"),
            actions=[
                bidi_input.PointerMove(x=int(x), y=int(y)),
                bidi_input.PointerDown(button=0),
                bidi_input.PointerUp(button=0),
            ],
        )
        await self.send(bidi_input.PerformActions(context=self.context, actions=[pointer]))

    async def click_through(self, selector: str) -> None:
        """Click and wait for the load of the next page."""
        before = self.tab.journal.cursor()
        await self.click(selector)
        while not self.tab.journal.grown_since(before, Navigated) or self.context in self.tab.loading:
            await self.tab.activity.park()

    async def click_until(self, selector: str, text: str) -> None:
        """Click and wait until the page contains a text."""
        await self.click(selector)
        await self.evaluate(
            "new Promise((done) => { const look = () => document.body.innerText.includes("
            f"{json.dumps(text)}) && done(); new MutationObserver(look).observe(document, "
            "{ subtree: true, childList: true, characterData: true }); look(); })",
            wait=True,
        )

    async def type(self, selector: str, text: str) -> None:
        """Focus a field and type."""
        await self.evaluate(f"document.querySelector({json.dumps(selector)}).focus()")
        keys = bidi_input.KeySourceActions(id="keyboard", actions=list(typing(text)))
        await self.send(bidi_input.PerformActions(context=self.context, actions=[keys]))

    async def screenshot(self) -> None:
        """Take a screenshot of the viewport."""
        await self.send(bc.CaptureScreenshot(context=self.context, format=bc.ImageFormat(type="image/png")))
