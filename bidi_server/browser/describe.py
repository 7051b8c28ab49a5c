"""Words for elements, as the page's code describes them."""

from collections.abc import Mapping

MAX_NAME = 100
"""Characters of an element's name in a sentence."""


def clip(text: str, limit: int = MAX_NAME) -> str:
    """Return text that is not longer than a limit; an ellipsis says that there is more."""
    return text if len(text) <= limit else f"{text[: limit - 1].rstrip()}…"


def describe(element: Mapping[str, object]) -> str:
    """Return an element for a person to read: button "Save" [ref=e1a2b]."""
    role, name, ref = (str(element.get(key) or "") for key in ("role", "name", "ref"))
    text = f'{role} "{clip(name)}"' if name else f"{role} <{element.get('tag')}>"
    return f"{text} [ref={ref}]" if ref else text
