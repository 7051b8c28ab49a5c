"""Settling: perform an action, wait until its effects are over, and return them."""

import math
from collections.abc import Awaitable, Callable
from contextlib import nullcontext, suppress
from dataclasses import replace
from typing import Literal, TypeVar

import trio

from bidi_server.bidi.errors import BidiError
from bidi_server.browser.actions.action import Action, Begin, CutOffError
from bidi_server.browser.loading.document_request import stop_unanswered
from bidi_server.browser.loading.page_load import wait_loaded
from bidi_server.browser.settling.effects import Effects
from bidi_server.browser.settling.rest import Rest, leaves
from bidi_server.browser.snapshot.frame import FrameGoneError, Question
from bidi_server.browser.snapshot.model import Snapshot
from bidi_server.browser.tab.tab import Opened, Tab

T = TypeVar("T")

Until = Literal["rest", "load", "done"]
"""The end of a wait.

"rest": until the page is settled. "load": the same, but only if the action has begun to load a page. "done": until the
action itself ends.
"""


async def settle(
    tab: Tab,
    begin: Begin[T],
    limit: float | None = None,
    *,
    navigation: float | None = None,
    until: Until = "rest",
    through_dialog: bool = False,
    snapshot: bool = True,
) -> Effects[T]:
    """Perform an action, wait until its effects are over, and return them.

    The timeout of the action is ``limit``, and that of a page that it loads is ``navigation``, both in seconds; the
    defaults are the tab's timeouts. Set ``through_dialog`` for an action that closes a dialog. Unless ``snapshot`` is
    set, the effects in a settled page have no snapshot. Raises `DialogOpenError` if a dialog is already open,
    `DeadlineError` if the action times out, `BrowserUnavailableError` if the page has crashed, and the errors of the
    action.
    """
    tab.check_alive()
    if not through_dialog:
        tab.dialogs.check_none()
        await tab.focus()
    limit = limit or tab.limits.action
    cursor = tab.journal.cursor()
    tab.view = replace(tab.view, acted=cursor)
    loading = tab.loading.get(tab.context)
    action: Action[T] | None = None
    result: T | None = None
    cut_off: CutOffError | None = None
    gone = False
    try:
        with trio.move_on_after(limit) as deadline, nullcontext() if through_dialog else tab.interruptible():
            try:
                action = await begin() if callable(begin) else begin
                if action.keeps_time:
                    deadline.deadline = math.inf
                result = await action.perform()
            except CutOffError as error:
                cut_off = error
            except FrameGoneError:
                gone = True
        if deadline.cancelled_caught and not tab.is_stopped:
            raise await tab.unresponsive(limit)
        await _stay_in_front(tab, cursor)
        rest = Rest(tab, action, cursor, navigation or tab.limits.navigation, walks=snapshot)
        question = (action.leaving if action else None) or Question(tab.main) if until == "load" else None
        if cut_off is not None:
            rest.unfinished += cut_off.unfinished
            await rest.snapshot_as_it_is()
        elif until == "rest" or (question is not None and (gone or await rest.left(loading, question))):
            await rest.wait(action.element.frame if action and action.element else tab.main)
    except trio.Cancelled:
        if tab.context in tab.loading:
            await stop_unanswered(tab, cursor)
        raise
    tab.check_alive()
    return Effects(
        cursor,
        tab.journal.all_since(cursor),
        action=action,
        result=result,
        dialog=tab.dialogs.open,
        closed=tab.closed,
        unfinished=rest.unfinished,
        missed=rest.missed,
        unclicked=rest.unclicked,
        snapshot=rest.snapshot,
    )


async def look(tab: Tab, take: Callable[[], Awaitable[Snapshot]]) -> Snapshot:
    """Take a snapshot of the page, or of the next page if this one is leaving. Raises the errors of `Tab.ask`."""
    await wait_loaded(tab, tab.limits.action)
    await tab.focus()
    cursor = tab.journal.cursor()
    snapshot = await tab.ask(take)
    if snapshot.leaving and await leaves(tab, cursor):
        await wait_loaded(tab, tab.limits.action)
        snapshot = await tab.ask(take)
    return snapshot


async def _stay_in_front(tab: Tab, cursor: int) -> None:
    """Bring the tab back to the front if the action opened another: browsers throttle pages in the background."""
    opened = tab.journal.since(cursor, Opened)
    if opened and not tab.is_stopped:
        for entry in opened:
            await entry.tab.begins()
        with tab.interruptible(), suppress(BidiError):
            await tab.to_front()
