"""The emulated clock: ``--caps emulate``."""

import re
from datetime import UTC, datetime, timedelta
from typing import Literal

from bidi_server.browser.actions.action import Action
from bidi_server.browser.contexts.clock import ClockState
from bidi_server.browser.sessions.session import Session
from bidi_server.browser.words import clip
from bidi_server.errors import InvalidParametersError
from bidi_server.tools.base import SessionTool
from bidi_server.tools.outcome import Outcome

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

FIRST, LAST = (
    (datetime(year, month, day, tzinfo=UTC) - _EPOCH) // timedelta(milliseconds=1)
    for year, month, day in ((1, 1, 1), (9999, 12, 31))
)
"""Range of the times that `datetime` can show, in milliseconds since 1970."""

_TICKS = re.compile(r"(?:(?:(\d\d?):)?(\d\d?):)?(\d\d?)")


class BrowserClock(SessionTool):
    """Emulate the time in the context's pages: Date, timers, animation frames. CSS and workers keep the real time."""

    capabilities = ("emulate",)

    action: Literal["install", "fastForward", "runFor", "pauseAt", "resume", "setFixedTime", "setSystemTime", "reset"]
    """As page.clock of Playwright: fastForward fires each due timer once, runFor every time."""
    time: float | str | None = None
    """2030-12-31T23:59, or milliseconds since 1970; default: now."""
    ticks: float | str | None = None
    """With fastForward and runFor: milliseconds, or 30:00 for minutes."""

    async def run(self, session: Session, out: Outcome) -> None:
        """See the class."""
        ticks = self._ticks()
        context = await session.context()
        tab, clock = await context.tab(), context.clock

        async def turn() -> None:
            times = await clock.read(tab, self.time if isinstance(self.time, str) else "")
            now = clock.state.seen_at(times.now)
            state, by = self._changed(now, self._time(now, times.time), ticks)
            turned = await clock.change(tab, state, by, skips=self.action != "runFor")
            out.say(_said(state))
            if fired := sum(frame.fired for frame in turned):
                out.say(f"{fired} timer{'s' if fired > 1 else ''} fired.")
            if any(frame.is_cut for frame in turned):
                out.say("They were too many: in the last part of the time each fired only once.")
            if any(frame.is_missing for frame in turned):
                out.say("Reload the page: it was opened before its clock could be emulated.")

        await out.settle(tab, Action(turn))

    def _ticks(self) -> float:
        """Return the milliseconds to move; 0 if the action takes none."""
        if self.action not in {"fastForward", "runFor"}:
            return 0
        ticks = self.ticks
        if isinstance(ticks, str) and (found := _TICKS.fullmatch(ticks)):
            hours, minutes, seconds = (int(part or 0) for part in found.groups())
            ticks = ((hours * 60 + minutes) * 60 + seconds) * 1000
        if not isinstance(ticks, int | float) or not 0 <= ticks <= LAST:
            raise InvalidParametersError(
                f"{self.action} needs ticks: milliseconds, or a text such as 30:00 (minutes) or 01:00:00.", "Pass them."
            )
        return round(ticks)

    def _time(self, now: ClockState, read: float | None) -> float:
        """Return the given time; ``read`` is what the browser makes of a text. Default: the time that it is."""
        if self.time is None:
            return now.time
        time = read if isinstance(self.time, str) else self.time
        if time is None or not FIRST <= time <= LAST:
            raise InvalidParametersError(
                f"{clip(str(self.time))!r} is not a time.",
                "Pass one such as 2030-12-31T23:59, or milliseconds since 1970.",
            )
        return round(time)

    def _changed(self, now: ClockState, time: float, ticks: float) -> tuple[ClockState, float]:
        """Return the clock after the action, and the milliseconds that it moves until then."""
        match self.action:
            case "install":
                return ClockState(now.at, time), 0
            case "reset":
                return ClockState(now.at, now.at), 0
            case "setSystemTime":
                return ClockState(now.at, time, now.runs), 0
            case "setFixedTime":
                return ClockState(now.at, now.time, now.runs, fixed=time), 0
            case "resume":
                return ClockState(now.at, now.time, fixed=now.fixed), 0
            case "pauseAt":
                if time < now.time:
                    raise InvalidParametersError(
                        f"The clock is at {_shown(now.time)} already.", "Use install with an earlier time first."
                    )
                return ClockState(now.at, time, runs=False), time - now.time
            case _:
                if now.time + ticks > LAST:
                    raise InvalidParametersError("The clock ends with the year 9999.", "Pass fewer ticks.")
                return now.moved(ticks), ticks


def _said(state: ClockState) -> str:
    if state.is_real:
        return "The clock shows the real time."
    goes = "runs" if state.runs else "is paused"
    fixed = f"; Date shows {_shown(state.fixed)}" if state.fixed is not None else ""
    return f"The clock {goes} at {_shown(state.time)}{fixed}."


def _shown(time: float) -> str:
    return (_EPOCH + timedelta(milliseconds=time)).isoformat(timespec="milliseconds").replace("+00:00", "Z")
