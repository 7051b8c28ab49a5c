"""Names of keys as agents write them, and the code points that WebDriver uses for them.

https://w3c.github.io/webdriver/#keyboard-actions
"""

from bidi_server.bidi.input import KeyDown, KeyUp
from bidi_server.errors import InvalidParametersError

_CODES = {
    "cancel": "\ue001", "help": "\ue002", "backspace": "\ue003", "tab": "\ue004", "clear": "\ue005",
    "enter": "\ue007", "return": "\ue007", "shift": "\ue008", "control": "\ue009", "ctrl": "\ue009",
    "alt": "\ue00a", "option": "\ue00a", "pause": "\ue00b", "escape": "\ue00c", "esc": "\ue00c", "space": " ",
    "pageup": "\ue00e", "pagedown": "\ue00f", "end": "\ue010", "home": "\ue011",
    "arrowleft": "\ue012", "left": "\ue012", "arrowup": "\ue013", "up": "\ue013",
    "arrowright": "\ue014", "right": "\ue014", "arrowdown": "\ue015", "down": "\ue015",
    "insert": "\ue016", "delete": "\ue017", "del": "\ue017",
    "meta": "\ue03d", "command": "\ue03d", "cmd": "\ue03d", "super": "\ue03d", "windows": "\ue03d",
    **{f"f{number}": chr(0xE030 + number) for number in range(1, 13)},
}  # fmt: skip

_TYPED = {"\n": "\ue007", "\r": "", "\t": "\ue004"}

KeyAction = KeyDown | KeyUp


def code_of(name: str) -> str:
    """Return WebDriver's code point for a key: a name such as Enter, or one character.

    Raises `InvalidParametersError` for an unknown name.
    """
    if len(name) == 1:
        return name
    if name == "ControlOrMeta":
        name = "Control"
    code = _CODES.get(name.lower())
    if code is None:
        raise InvalidParametersError(
            f"There is no key {name!r}.",
            "Use a character, or a name such as Enter, Tab, Escape, Backspace, ArrowDown, F5, or Control+a.",
        )
    return code


def chord(keys: str) -> list[KeyAction]:
    """Return the actions that press keys such as ``Control+Shift+a`` together.

    Raises `InvalidParametersError` if there is no key or a name is unknown.
    """
    if not keys:
        raise InvalidParametersError("The key is empty.", "Use a name such as Enter, a character, or Control+a.")
    # The last plus may be the key itself: Control++.
    names = [*keys[:-1].split("+"), keys[-1]] if keys.endswith("+") else keys.split("+")
    codes = [code_of(name) for name in names if name]
    down: list[KeyAction] = [KeyDown(value=code) for code in codes]
    up: list[KeyAction] = [KeyUp(value=code) for code in reversed(codes)]
    return down + up


def typing(text: str) -> list[KeyAction]:
    """Return the actions that type a text, one character after another."""
    actions: list[KeyAction] = []
    for character in text:
        code = _TYPED.get(character, character)
        if code:
            actions += [KeyDown(value=code), KeyUp(value=code)]
    return actions
