"""Waiting (seed 004, section 8)."""

from typing import Literal

import trio

from bidi_server.browser.pages.wait import wait_navigation, wait_network_idle, wait_url
from bidi_server.browser.pattern import Pattern
from bidi_server.browser.tab.tab import Tab
from bidi_server.errors import InvalidParametersError
from bidi_server.tools.extract.base import Result, TabQuery, waited
from bidi_server.tools.loading import Milliseconds
from bidi_server.tools.outcome import Outcome


class Waited(Result):
    """What was waited for has come."""

    status: Literal["done"] = "done"
    condition: str
    url: str


class WaitFor(TabQuery):
    """Wait for an element, for the navigation that the last action started, for an idle network, or for some time."""

    condition: Literal["selector", "navigation", "network_idle", "timeout"]
    target: str | None = None
    """For selector: the selector. For navigation: regular expression that the URL must match."""
    timeout: Milliseconds = 30_000
    """Milliseconds; for timeout: how long."""

    async def answer(self, tab: Tab, out: Outcome) -> Waited:
        """See the class."""
        limit = self.timeout / 1000
        match self.condition:
            case "selector":
                if self.target is None:
                    raise InvalidParametersError("selector needs a target.", "Pass the selector as target.")
                await waited(tab, self.target, limit)
            case "navigation" if self.target is not None:
                await wait_url(tab, Pattern(self.target).found_in, self.target, limit)
            case "navigation":
                await wait_navigation(tab, tab.view.acted, limit)
            case "network_idle":
                await wait_network_idle(tab, limit)
            case "timeout":
                await trio.sleep(limit)
        return Waited(condition=self.condition, url=tab.url)
