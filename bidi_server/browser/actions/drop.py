"""Dropping files and data that come from outside of the page."""

from collections.abc import Mapping

from bidi_server.advice import Advice, Operation
from bidi_server.bidi.values import shared_id_of
from bidi_server.browser.actions.action import Action
from bidi_server.browser.actions.actionable import actionable
from bidi_server.browser.actions.target import Target
from bidi_server.browser.actions.upload import give_to_input
from bidi_server.browser.tab.tab import Tab
from bidi_server.errors import ElementNotActionableError
from bidi_server.page.api import Dropped, Ready


async def drop(tab: Tab, target: Target, files: list[str], data: Mapping[str, str]) -> Action[None]:
    """Begin to drop files and data, by media type, on an element.

    ``files`` are paths from `for_browser`. The page gets drag-and-drop events that scripts can tell from a person's:
    browsers have no command for them. Raises the errors of `actionable`; performing the action raises
    `ElementNotActionableError` if the page does not take the drop.
    """
    found = await actionable(tab, target, Ready, "act.ready", enabled=False, guard="none")
    frame, point = found.frame, found.answer.point

    async def perform() -> None:
        shared_id = shared_id_of(await frame.call("extra.dropInput"))
        if files:
            await give_to_input(frame, shared_id, files, str(found))
        dropped = await frame.ask(Dropped, "extra.dropAt", {"x": point.x, "y": point.y}, list(data.items()))
        if not dropped.took:
            raise ElementNotActionableError(
                f"{found} takes no drop of this kind.",
                Advice.of("Drop it on another element, or use ", Operation.FILE_UPLOAD, "."),
            )

    return Action(perform, found)
