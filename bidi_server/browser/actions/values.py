"""Setting the values of controls of any kind."""

from collections.abc import Sequence
from dataclasses import dataclass

from bidi_server.browser.actions.action import Action
from bidi_server.browser.actions.clicks import click
from bidi_server.browser.actions.slider import slide
from bidi_server.browser.actions.target import Found, Target, on_element
from bidi_server.browser.actions.text import complete_insertion, with_focus
from bidi_server.browser.tab.tab import Tab
from bidi_server.errors import ElementNotActionableError, InvalidParametersError
from bidi_server.page.api import Chosen, Inserted, Look


@dataclass(frozen=True, slots=True)
class Filled:
    """A control that was set to a value, and the value as text."""

    element: Found
    value: str
    differs: bool = False
    """Whether an editor holds another text than the one entered. ``value`` is what it holds."""
    is_compared: bool = False
    """Whether the value that it shows need not be compared with the wanted one."""


async def select(tab: Tab, target: Target, values: Sequence[str]) -> Action[Chosen]:
    """Select options of a ``<select>`` by value or label, in the call that finds it.

    Raises `ElementNotActionableError` if an option cannot be selected, and the errors of `on_element`.
    """
    found = await on_element(tab, target, Chosen, "act.choose", list(values))

    async def chosen() -> Chosen:
        return found.answer

    return Action(chosen, found, scripts_only=True)


async def fill(tab: Tab, target: Target, value: str | bool | float, *, clear: bool = True) -> Action[Filled]:
    """Begin to set a control of any kind to a value.

    Unless ``clear`` is set, text is added after the text that is already there. Raises the errors of `on_element`;
    performing the action raises them too, and `InvalidParametersError` if the value does not suit the control, and
    `ElementNotActionableError` if the control does not take it.
    """
    target = target.taking(value)
    found = await on_element(tab, target, Look, "act.look")
    kind = found.answer.kind

    async def perform() -> Filled:
        match kind:
            case "select":
                selection = await (await select(tab, target, [str(value)])).perform()
                return Filled(found, ", ".join(selection.chosen))
            case "checkbox" | "radio":
                wanted = _truth(value)
                if found.answer.checked != wanted:
                    if kind == "radio" and not wanted:
                        raise ElementNotActionableError(
                            f"{found} is a radio button; it can't be unchecked.", "Check another one of its group."
                        )
                    await (await click(tab, target, guard="none")).perform()
                return Filled(found, "checked" if wanted else "unchecked")
            case "slider":
                slid = await slide(tab, target, _number(value))
                return Filled(slid, _text(slid.answer.now or 0.0), is_compared=True)
            case "text":
                return await _enter(tab, target, _text(value), clear=clear)

    return Action(perform, found, scripts_only=kind in {"select", "text"})


async def _enter(tab: Tab, target: Target, text: str, *, clear: bool) -> Filled:
    options = {"clear": clear}
    first = await on_element(tab, target, Inserted, "act.insert", text, options)
    found = await with_focus(tab, target, first, text, options)
    entered = await complete_insertion(found, target, text, clear=clear)
    is_compared = found.answer.by_keys or found.answer.differs
    return Filled(found, entered.value or text, entered.differs, is_compared)


def _text(value: str | bool | float) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    # The number 70 arrives as 70.0, and browsers would accept that text unchanged.
    return value if isinstance(value, str) else f"{value:.15g}"


def _number(value: str | bool | float) -> float:
    try:
        return float(value)
    except ValueError:
        raise InvalidParametersError(f"{value!r} is not a number.", "Pass the number to set the slider to.") from None


def _truth(value: str | bool | float) -> bool:
    text = str(value).strip().lower()
    if text in {"true", "1", "on", "yes", "checked", "1.0"}:
        return True
    if text in {"false", "0", "off", "no", "unchecked", "", "0.0"}:
        return False
    raise InvalidParametersError(f"{value!r} says neither checked nor unchecked.", "Pass true or false.")
