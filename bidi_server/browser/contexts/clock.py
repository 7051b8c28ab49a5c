"""The emulated clock of a context: page/clock.js in each document, and its state for later documents.

The semantics are those of https://playwright.dev/docs/api/class-clock.
"""

import json
import math
import secrets
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING

import trio

from bidi_server.bidi.errors import BidiError, ConnectionLostError
from bidi_server.bidi.script import AddPreloadScript, RemovePreloadScript
from bidi_server.browser.snapshot.frame import FrameGoneError
from bidi_server.page import page_script
from bidi_server.page.api import ClockTurned, Times

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bidi_server.bidi.connection import Connection
    from bidi_server.browser.snapshot.frame import Frame
    from bidi_server.browser.tab.state import Shared
    from bidi_server.browser.tab.tab import Tab

SHARE = 0.5
"""Share of an action's timeout in which every timer of a page fires; those that are left fire once after it."""


@dataclass(frozen=True, slots=True)
class ClockState:
    """``ClockState`` of act/clock.js: what a clock shows when the real time is ``at``, in milliseconds since 1970."""

    at: float = 0
    time: float = 0
    runs: bool = True
    fixed: float | None = None
    """Time that ``Date`` shows in place of the clock's; timers follow the clock."""

    @property
    def is_real(self) -> bool:
        """Whether it shows the real time."""
        return self.runs and self.fixed is None and self.time == self.at

    def seen_at(self, now: float) -> "ClockState":
        """Return the same clock at another real time."""
        return replace(self, at=now, time=self.time + (now - self.at if self.runs else 0))

    def moved(self, by: float) -> "ClockState":
        """Return the clock some milliseconds later, at the same real time."""
        return replace(self, time=self.time + by)


class Clock:
    """The clock of a context. Changes apply to the documents of its ``tabs`` and to later ones."""

    def __init__(self, connection: "Connection", shared: "Shared", tabs: "Sequence[Tab]") -> None:
        self.state = ClockState()
        self._connection = connection
        self._shared = shared
        self._tabs = tabs
        self._secret = secrets.token_hex(8)
        self._script: str | None = None

    async def prepare(self) -> None:
        """Have each new document begin with the clock. Documents without it keep the real time."""
        declaration = f"() => {{ ({page_script('clock')})('{self._secret}', {json.dumps(asdict(self.state))}); }}"
        added = AddPreloadScript(function_declaration=declaration, user_contexts=[self._shared.user_context])
        old, self._script = self._script, None
        # Shielded: a dialog may interrupt the call, and a script of unknown id would stay.
        with trio.move_on_after(self._shared.limits.action, shield=True):
            # Both are sent at once: a document that began between them would have no clock, or two.
            removed = self._connection.post(RemovePreloadScript(script=old)) if old is not None else None
            self._script = (await self._connection.post(added).answer()).script
            if removed is not None:
                await removed.answer()

    async def reset(self, tab: "Tab") -> None:
        """Return to the real time."""
        if not self.state.is_real:
            now = (await self.read(tab)).now
            await self.change(tab, ClockState(now, now))

    async def read(self, tab: "Tab", text: str = "") -> Times:
        """Return the real time in the browser, and the time that a text means in the time zone of a tab's pages."""
        return await tab.main.ask(Times, "extra.readTime", text)

    async def change(self, tab: "Tab", state: ClockState, by: float = 0, *, skips: bool = False) -> list[ClockTurned]:
        """Change the clock to a state, in an active tab and all others, and fire the timers of the milliseconds before.

        With ``skips``, each timer that is due fires only once. Return what happened in each frame.
        """
        self.state = state
        await self.prepare()
        given = {"state": asdict(state), "by": by, "skips": skips}
        limit = self._shared.limits.action * SHARE
        turned: list[ClockTurned] = []

        async def turn(frame: "Frame", deadline: float) -> None:
            with suppress(FrameGoneError, BidiError, ConnectionLostError), trio.move_on_at(deadline):
                turned.append(await frame.ask(ClockTurned, "extra.turnClock", self._secret, given, limit * 1000))

        # Other tabs have less time than the action: a dialog of one of them may be open.
        others = trio.current_time() + 1.5 * limit
        async with trio.open_nursery() as nursery:
            for each in self._tabs:
                for frame in () if each.hangs else each.frames.values():
                    nursery.start_soon(turn, frame, math.inf if each is tab else others)
        return turned
