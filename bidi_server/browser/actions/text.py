"""Typing into fields and editors, and pressing keys."""

from collections.abc import Mapping, Sequence
from functools import partial

from bidi_server.bidi.input import KeyDown, KeySourceActions, KeyUp
from bidi_server.browser.actions.action import Action
from bidi_server.browser.actions.clicks import click
from bidi_server.browser.actions.keys import KeyAction, chord, code_of, typing
from bidi_server.browser.actions.pointer import perform
from bidi_server.browser.actions.target import Asked, R, Target, answer_of, on_element
from bidi_server.browser.snapshot.frame import Frame
from bidi_server.browser.tab.tab import Tab
from bidi_server.errors import InvalidParametersError
from bidi_server.page.api import Held, Inserted, PastedDrawn
from bidi_server.secret.text import in_one_piece

KEYS_LIMIT = 200
"""Maximum length of text that is typed key by key, in characters.

Longer text is inserted at once, with the same input events.
"""


async def type_text(
    tab: Tab, target: Target, text: str, *, clear: bool, submit: bool, slowly: bool
) -> Action[Inserted]:
    """Begin to type text into a field with real key events, or to paste it into an editor.

    The text is added at the end, or replaces the old text if ``clear`` is set. ``submit`` presses Enter afterwards.
    ``slowly`` presses keys in editors too, and gives the page a turn of its event loop after each key. A secret is
    inserted at once. The result of the action is what the element holds, if that was read back. Raises
    `ElementNotActionableError` if the element takes no text, and the errors of `on_element`.
    """
    target = target.taking(text)
    keys = "all" if slowly else "short" if len(text) <= KEYS_LIMIT else "none"
    if in_one_piece(text):
        check_pace(slowly=slowly)
        keys = "none"
    options = {"clear": clear, "keys": keys}
    first = await on_element(tab, target, Inserted, "act.insert", text, options)

    async def perform() -> Inserted:
        found = await with_focus(tab, target, first, text, options)
        inserted = found.answer
        actions: list[KeyAction] = []
        if slowly and found.answer.by_keys:
            await _press_slowly(found.frame, _typing_over(text, clear=clear))
        elif slowly and found.answer.typing:
            await _press_slowly(found.frame, _typed(text, clear=clear))
        elif found.answer.typing:
            # Pressed below, in the same command as Enter.
            actions = _typed(text, clear=clear)
        else:
            inserted = await complete_insertion(found, target, text, clear=clear)
        if submit:
            actions += chord("Enter")
        await press_actions(found.frame, actions)
        return inserted

    is_by_script = not first.answer.is_unfocused and not submit and not set("\n\t") & set(text)
    return Action(perform, first, scripts_only=is_by_script)


async def with_focus(
    tab: Tab, target: Target, found: Asked[Inserted], text: str, options: Mapping[str, object]
) -> Asked[Inserted]:
    """Click an element that took no focus from our script's ``insert``, and insert once more."""
    if not found.answer.is_unfocused:
        return found
    await (await click(tab, target, guard="none")).perform()
    return await on_element(tab, target, Inserted, "act.insert", text, {**options, "isClicked": True})


def check_pace(*, slowly: bool) -> None:
    """Raise `InvalidParametersError` if a secret is to be typed key by key.

    A page that reports what a field holds after each key would show each beginning of the value.
    """
    if slowly:
        raise InvalidParametersError(
            "A secret is not typed key by key: the page would show each beginning of it.",
            "Leave slowly and delay out.",
        )


def press(tab: Tab, keys: str, times: int = 1) -> Action[None]:
    """Return the action of pressing a key or a combination a number of times, on the focused element.

    Raises the errors of `chord`.
    """
    return Action(partial(press_actions, tab.main, chord(keys) * times))


def hold(tab: Tab, key: str) -> Action[None]:
    """Return the action of pressing a key that stays down. Raises `InvalidParametersError` for an unknown name."""
    return Action(partial(press_actions, tab.main, [KeyDown(value=code_of(key))]))


def let_go(tab: Tab, key: str) -> Action[None]:
    """Return the action of releasing a key. Raises `InvalidParametersError` for an unknown name."""
    return Action(partial(press_actions, tab.main, [KeyUp(value=code_of(key))]))


async def press_actions(frame: Frame, actions: Sequence[KeyAction]) -> None:
    """Perform key actions, one after another."""
    if actions:
        await perform(frame, [KeySourceActions(id="keyboard", actions=list(actions))])


async def _press_slowly(frame: Frame, actions: Sequence[KeyAction]) -> None:
    """Perform key actions, and give the page a turn of its event loop after each release of a key."""
    start = 0
    for index, action in enumerate(actions, 1):
        if isinstance(action, KeyUp):
            await press_actions(frame, actions[start:index])
            await frame.call("act.turn")
            start = index


async def complete_insertion(found: Asked[Inserted], target: Target, text: str, *, clear: bool) -> Inserted:
    """Complete an insertion that our script's ``insert`` in the page has begun. Return what the element holds."""
    answer = found.answer
    if answer.by_keys:
        return await _into_drawn(found, target, text, clear=clear)
    if answer.differs:
        return await _read_back(found, target, text, clear=clear)
    if answer.typing:
        await press_actions(found.frame, _typed(text, clear=clear))
    if answer.key is not None:
        # The last step of a slider to its value: many pages accept the value only after a key.
        await press_actions(found.frame, chord(answer.key))
    return answer


async def _into_drawn(found: Asked[Inserted], target: Target, text: str, *, clear: bool) -> Inserted:
    """Put text into an editor that draws its text itself and whose caret only keys can move."""
    # The editor's name may contain the position of the caret, as Ace's does, so do not compare it with the name that
    # the agent saw.
    await press_actions(found.frame, _caret(clear=clear) if text else _typing_over(text, clear=clear))
    if not text:
        return found.answer
    pasted = await _ask_editor(found, target, PastedDrawn, "act.pasteDrawn", text)
    if pasted is not None and pasted.is_taken:
        return await _read_back(found, target, text, clear=clear)
    await press_actions(found.frame, typing(text))
    return found.answer


async def _read_back(found: Asked[Inserted], target: Target, text: str, *, clear: bool) -> Inserted:
    """Compare an editor's text with the text that was put in. It is copied: the editor may draw only a part of it."""
    await press_actions(found.frame, chord("ControlOrMeta+a"))
    held = await _ask_editor(found, target, Held, "act.heldBy", text, {"clear": clear})
    await press_actions(found.frame, chord("Control+End"))
    if held is None or held.value is None:
        return found.answer
    return found.answer.model_copy(update={"value": held.value, "differs": held.differs})


async def _ask_editor(
    found: Asked[Inserted], target: Target, kind: type[R], function: str, *arguments: object
) -> R | None:
    """Call a function of our script with an editor once more. Return None if the editor is gone."""
    answer = answer_of(kind, await found.frame.call_json(function, target.wire(), *arguments))
    return answer if isinstance(answer, kind) else None


def _caret(*, clear: bool) -> list[KeyAction]:
    """Return the keys that select all of an editor's text, or move the caret to its end."""
    return chord("ControlOrMeta+a" if clear else "Control+End")


def _typing_over(text: str, *, clear: bool) -> list[KeyAction]:
    """Return the keys that add a text at the end of an editor that only keys can control, or replace its text."""
    return _caret(clear=clear) + _typed(text, clear=clear)


def _typed(text: str, *, clear: bool) -> list[KeyAction]:
    """Return the keys that type a text. Its first key replaces the selection; Backspace does so for an empty text."""
    return typing(text) if text else chord("Backspace") if clear else []
