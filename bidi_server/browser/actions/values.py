"""Setting the values of controls of any kind."""

from collections.abc import Sequence
from typing import cast

from bidi_server.browser.actions.clicks import click
from bidi_server.browser.actions.receipt import Receipt
from bidi_server.browser.actions.slider import slide
from bidi_server.browser.actions.target import Target, on_element, unblocked
from bidi_server.browser.actions.text import complete_insertion
from bidi_server.browser.tab.tab import Tab
from bidi_server.errors import ElementNotActionableError, InvalidParametersError


async def select(tab: Tab, receipt: Receipt, target: Target, values: Sequence[str]) -> list[str]:
    """Select options of a ``<select>`` by value or label, and return their labels.

    ``selected`` in the result of the receipt's element contains the labels that are selected after the page's event
    listeners have run. Raises `ElementNotActionableError` if an option cannot be selected, and the errors of
    `on_element`.
    """
    found = unblocked(await on_element(tab, target, "choose", list(values)))
    receipt.found, receipt.plain = found, True
    return cast("list[str]", found.result["chosen"])


async def fill(tab: Tab, receipt: Receipt, target: Target, value: str | bool | float, *, clear: bool = True) -> str:
    """Set a control of any kind to a value, and return its new value as text.

    Unless ``clear`` is set, text is added after the text that is already there. Raises `InvalidParametersError` if the
    value does not suit the control, `ElementNotActionableError` if the control does not take it, and the errors of
    `on_element`.
    """
    found = await on_element(tab, target, "look")
    receipt.found = found
    match found.result.get("kind"):
        case "select":
            return ", ".join(await select(tab, receipt, target, [str(value)]))
        case "checkbox" | "radio" as kind:
            wanted = _truth(value)
            if bool(found.result.get("checked")) != wanted:
                if kind == "radio" and not wanted:
                    raise ElementNotActionableError(
                        f"{found} is a radio button; it can't be unchecked.", "Check another one of its group."
                    )
                await click(tab, receipt, target, guard="none")
            return "checked" if wanted else "unchecked"
        case "slider":
            receipt.found = found = await slide(tab, target, _number(value))
            return _text(cast("float", found.result.get("now")))
        case _:
            receipt.plain = True
            text = _text(value)
            found = unblocked(await on_element(tab, target, "insert", text, {"clear": clear}))
            receipt.found = found
            receipt.found = found = await complete_insertion(found, target, text, clear=clear)
            return text if found.result.get("value") == "" else str(found.result.get("value", text))


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
