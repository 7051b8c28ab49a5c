"""Loading of a page up to a requested state, for the toolsets with a ``wait_until`` parameter."""

from dataclasses import dataclass
from typing import Annotated, Literal

import trio
from pydantic import Field

from bidi_server.browser.loading.unfinished import Cause
from bidi_server.browser.network.requests import Request
from bidi_server.browser.pages.navigate import navigate
from bidi_server.browser.pages.wait import wait_network_idle
from bidi_server.browser.sessions.session import Session
from bidi_server.browser.settling.effects import Effects
from bidi_server.browser.tab.tab import Tab
from bidi_server.errors import DeadlineError
from bidi_server.tools.outcome import Outcome

WaitUntil = Literal["load", "domcontentloaded", "networkidle"]

Milliseconds = Annotated[float, Field(gt=0, le=600_000)]


@dataclass(frozen=True, slots=True)
class Loaded:
    """A page that has reached the requested state; ``document`` is None if no server responded."""

    tab: Tab
    document: Request | None
    effects: Effects[object]


async def load(session: Session, out: Outcome, url: str, wait_until: WaitUntil, limit: float) -> Loaded:
    """Load a page within ``limit`` seconds. Raises what `navigate` raises, and `DeadlineError`."""
    tab = await (await session.context()).responsive_tab()
    end = trio.current_time() + limit
    early = wait_until == "domcontentloaded"
    action = navigate(tab, url, until="interactive" if early else "load", limit=limit)
    effects = await out.settle(tab, action, until="done" if early else "load")
    check_loaded(tab, effects, limit)
    if wait_until == "networkidle":
        await wait_network_idle(tab, max(0.1, end - trio.current_time()))
    return Loaded(tab, effects.result, effects)


def check_loaded(tab: Tab, effects: Effects[object], limit: float) -> None:
    """Raise `DeadlineError` if the page has not loaded within ``limit`` seconds."""
    if effects.stopped_by(Cause.LOADING):
        raise DeadlineError(
            f"{tab.url} has not loaded within {limit:g} s.",
            "What is there can be read already; or wait for domcontentloaded only.",
            {"url": tab.url, "timeout": round(limit * 1000)},
        )
