"""What an agent does with elements: click, type, press, hover, select, fill. The receipt says on which."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Literal, cast

from bidi_server.bidi.input import KeySourceActions, KeyUp
from bidi_server.browser.actions.actionable import actionable
from bidi_server.browser.actions.keys import KeyAction, chord, typing
from bidi_server.browser.actions.pointer import Button, Point, Step, clicked, moved, perform, perform_pointer, point_of
from bidi_server.browser.actions.receipt import Receipt
from bidi_server.browser.actions.slider import slide
from bidi_server.browser.actions.target import Found, Target, on_element, unblocked
from bidi_server.browser.snapshot.frame import Frame
from bidi_server.browser.tab.tab import Tab
from bidi_server.errors import ElementNotActionableError, InvalidParametersError

Guard = Literal["none", "others", "present"]
"""Which presses the page's code keeps from what they are not meant for; see page/src/ready.js."""

KEYS_LIMIT = 200
"""Characters up to which text is typed key by key; longer text is inserted, with the same input events."""


async def click(
    tab: Tab,
    receipt: Receipt,
    target: Target,
    *,
    button: Button = "left",
    count: int = 1,
    modifiers: Sequence[str] = (),
) -> None:
    """Click an element with real pointer events, after it is in view, still, enabled and not covered.

    The page's code keeps the press from anything else that is there when the pointer has come; the receipt says how it
    is done once more then.
    """

    async def attempt(guard: Guard) -> None:
        found, point = await _point(tab, target, enabled=True, guard=guard)
        receipt.found = found
        await perform_pointer(found.frame, [*_left(found), *clicked(point, button, count)], modifiers)

    receipt.again = partial(attempt, "present")
    await attempt("others")


async def hover(tab: Tab, receipt: Receipt, target: Target) -> None:
    """Move the pointer over an element."""
    found, point = await _point(tab, target, enabled=False)
    receipt.found, receipt.plain = found, True
    await perform_pointer(found.frame, [*_left(found), *moved(point)])


async def type_text(
    tab: Tab, receipt: Receipt, target: Target, text: str, *, clear: bool, submit: bool, slowly: bool
) -> None:
    """Type into a field, at the end of what is there or instead of it: with real key events, into editors by a paste.

    ``slowly`` presses keys in editors too, and gives the page a turn of its event loop after each.
    """
    keys = "all" if slowly else "short" if len(text) <= KEYS_LIMIT else "none"
    found = unblocked(await on_element(tab, target, "insert", text, {"clear": clear, "keys": keys}))
    receipt.found, receipt.plain = found, not submit and not set("\n\t") & set(text)
    actions: list[KeyAction] = []
    if slowly and found.result.get("byKeys"):
        await _press_slowly(found.frame, _typing_over(text, clear=clear))
    elif slowly and found.result.get("typing"):
        await _press_slowly(found.frame, _typed(text, clear=clear))
    elif found.result.get("typing"):
        # In one command with Enter.
        actions = _typed(text, clear=clear)
    else:
        receipt.found = await _inserted(found, target, text, clear=clear)
    if submit:
        actions += chord("Enter")
    await press_actions(found.frame, actions)


async def press(tab: Tab, keys: str, times: int = 1) -> None:
    """Press a key or a combination so many times, wherever the focus is."""
    await press_actions(tab.main, chord(keys) * times)


async def press_actions(frame: Frame, actions: Sequence[KeyAction]) -> None:
    """Perform key actions, one after the other."""
    if actions:
        await perform(frame, [KeySourceActions(id="keyboard", actions=list(actions))])


async def _press_slowly(frame: Frame, actions: Sequence[KeyAction]) -> None:
    """Perform key actions and give the page a turn of its event loop after each key that is released."""
    start = 0
    for index, action in enumerate(actions, 1):
        if isinstance(action, KeyUp):
            await press_actions(frame, actions[start:index])
            await frame.call("act.turn")
            start = index


async def select(tab: Tab, receipt: Receipt, target: Target, values: Sequence[str]) -> list[str]:
    """Select options of a ``<select>`` by value or label; returns their labels.

    ``selected`` of the element's result has the labels that are selected when the page has reacted.
    """
    found = unblocked(await on_element(tab, target, "choose", list(values)))
    receipt.found, receipt.plain = found, True
    return cast("list[str]", found.result["chosen"])


async def fill(tab: Tab, receipt: Receipt, target: Target, value: str | bool | float, *, clear: bool = True) -> str:
    """Bring any kind of control to a value; returns what it holds now. Text that is there may be kept before it."""
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
                found, point = await _point(tab, target, enabled=True)
                await perform_pointer(found.frame, [*_left(found), *clicked(point)])
            return "checked" if wanted else "unchecked"
        case "slider":
            receipt.found = found = await slide(tab, target, _number(value))
            return _text(cast("float", found.result.get("now")))
        case _:
            receipt.plain = True
            text = _text(value)
            found = unblocked(await on_element(tab, target, "insert", text, {"clear": clear}))
            receipt.found = found
            receipt.found = found = await _inserted(found, target, text, clear=clear)
            return text if found.result.get("value") == "" else str(found.result.get("value", text))


async def _inserted(found: Found, target: Target, text: str, *, clear: bool) -> Found:
    """Complete what the page's ``insert`` has begun. Return the element with what it holds, where that was compared."""
    if found.result.get("byKeys"):
        return await _into_drawn(found, target, text, clear=clear)
    if found.result.get("differs"):
        return await _read_back(found, target, text, clear=clear)
    if found.result.get("typing"):
        await press_actions(found.frame, _typed(text, clear=clear))
    await _commit(found)
    return found


async def _into_drawn(found: Found, target: Target, text: str, *, clear: bool) -> Found:
    """Put text into an editor that draws its text and whose caret only keys can place."""
    # The editor's name may tell the place of the caret, as Ace's does: it need not be what the agent saw any more.
    await press_actions(found.frame, _caret(clear=clear) if text else _typing_over(text, clear=clear))
    if not text:
        return found
    if (await found.frame.call_json("act.pasteDrawn", target.wire(), text))["isTaken"]:
        return await _read_back(found, target, text, clear=clear)
    await press_actions(found.frame, typing(text))
    return found


async def _read_back(found: Found, target: Target, text: str, *, clear: bool) -> Found:
    """Compare an editor's text with what was put in, by a copy: what is drawn may be a part of it."""
    await press_actions(found.frame, chord("ControlOrMeta+a"))
    held = await found.frame.call_json("act.heldBy", target.wire(), text, {"clear": clear})
    await press_actions(found.frame, chord("Control+End"))
    return replace(found, result={**found.result, "differs": False, **held}) if "value" in held else found


def _caret(*, clear: bool) -> list[KeyAction]:
    """Return the keys that select all of an editor's text, or go to its end."""
    return chord("ControlOrMeta+a" if clear else "Control+End")


def _typing_over(text: str, *, clear: bool) -> list[KeyAction]:
    """Return the keys that put a text to the end of an editor that only keys reach, or in the place of what it has."""
    return _caret(clear=clear) + _typed(text, clear=clear)


def _typed(text: str, *, clear: bool) -> list[KeyAction]:
    """Return the keys of a text. What is selected is replaced by the first; without one it must be deleted."""
    return typing(text) if text else chord("Backspace") if clear else []


async def _commit(found: Found) -> None:
    """Press the key that brings a slider the last step to its value: many pages take it only then."""
    if key := found.result.get("key"):
        await press_actions(found.frame, chord(str(key)))


def _text(value: str | bool | float) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    # 70 comes as 70.0, which browsers would take as it is.
    return value if isinstance(value, str) else f"{value:.15g}"


def _number(value: str | bool | float) -> float:
    try:
        return float(value)
    except ValueError:
        raise InvalidParametersError(f"{value!r} is no number.", "Pass the number to set the slider to.") from None


def _truth(value: str | bool | float) -> bool:
    text = str(value).strip().lower()
    if text in {"true", "1", "on", "yes", "checked", "1.0"}:
        return True
    if text in {"false", "0", "off", "no", "unchecked", "", "0.0"}:
        return False
    raise InvalidParametersError(f"{value!r} says neither checked nor unchecked.", "Pass true or false.")


async def _point(tab: Tab, target: Target, *, enabled: bool, guard: Guard = "none") -> tuple[Found, Point]:
    found = await actionable(tab, target, "ready", enabled=enabled, guard=guard)
    return found, point_of(found.result["point"])


def _left(found: Found) -> list[Step]:
    """Return the move with which a mouse leaves what has come under it while it rested.

    Menus wait for it: jQuery UI 1.12 makes no item the active one before the pointer has moved on a menu that opened
    under it.
    """
    if not (leave := found.result.get("leave")):
        return []
    x, y = point_of(leave)
    return moved((x - 1 if x >= 1 else x + 1, y))
