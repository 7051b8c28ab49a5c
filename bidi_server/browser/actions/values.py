"""Setting the values of controls of any kind."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from bidi_server.browser.actions.action import Action
from bidi_server.browser.actions.clicks import click
from bidi_server.browser.actions.slider import slide
from bidi_server.browser.actions.target import Found, Target, on_element, unblocked
from bidi_server.browser.actions.text import complete_insertion
from bidi_server.browser.tab.tab import Tab
from bidi_server.errors import ElementNotActionableError, InvalidParametersError

_CLICKED = frozenset({"checkbox", "radio", "slider"})
"""Kinds of controls that are set by the pointer or by keys."""


@dataclass(frozen=True, slots=True)
class Filled:
    """A control that was set to a value, and the value as text."""

    element: Found
    value: str


async def select(tab: Tab, target: Target, values: Sequence[str]) -> Action[list[str]]:
    """Select options of a ``<select>`` by value or label. The result of the action is their labels.

    One call into the page finds the element and selects. ``selected`` in the element's result contains the labels that
    are selected after the page's event listeners have run. Raises `ElementNotActionableError` if an option cannot be
    selected, and the errors of `on_element`.
    """
    found = unblocked(await on_element(tab, target, "choose", list(values)))

    async def chosen() -> list[str]:
        return cast("list[str]", found.result["chosen"])

    return Action(chosen, found, scripts_only=True)


async def fill(tab: Tab, target: Target, value: str | bool | float, *, clear: bool = True) -> Action[Filled]:
    """Begin to set a control of any kind to a value.

    Unless ``clear`` is set, text is added after the text that is already there. Raises the errors of `on_element`;
    performing the action raises them too, and `InvalidParametersError` if the value does not suit the control, and
    `ElementNotActionableError` if the control does not take it.
    """
    found = await on_element(tab, target, "look")

    async def perform() -> Filled:
        match found.result.get("kind"):
            case "select":
                selection = await select(tab, target, [str(value)])
                return Filled(selection.element or found, ", ".join(await selection.perform()))
            case "checkbox" | "radio" as kind:
                wanted = _truth(value)
                if bool(found.result.get("checked")) != wanted:
                    if kind == "radio" and not wanted:
                        raise ElementNotActionableError(
                            f"{found} is a radio button; it can't be unchecked.", "Check another one of its group."
                        )
                    await (await click(tab, target, guard="none")).perform()
                return Filled(found, "checked" if wanted else "unchecked")
            case "slider":
                slid = await slide(tab, target, _number(value))
                return Filled(slid, _text(cast("float", slid.result.get("now"))))
            case _:
                text = _text(value)
                inserted = unblocked(await on_element(tab, target, "insert", text, {"clear": clear}))
                inserted = await complete_insertion(inserted, target, text, clear=clear)
                held = inserted.result.get("value", text)
                return Filled(inserted, str(held) if held != "" else text)

    return Action(perform, found, scripts_only=found.result.get("kind") not in _CLICKED)


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
