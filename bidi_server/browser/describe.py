"""Words for elements, as the page's code describes them, and texts of pages as they may be said."""

import json
import re
from collections.abc import Mapping
from typing import cast

MAX_NAME = 100
"""Characters of an element's name in a sentence."""

MAX_TITLE = 200
"""Characters of a page's title in an answer."""

MAX_ADDRESS = 500
"""Characters of a page's URL in an answer; one that is a document by itself (``data:``) gets those of a name."""

MAX_PATH = 200
"""Characters of a file's path in a sentence."""

_HALF = re.compile("[\ud800-\udfff]")


def clip(text: str, limit: int = MAX_NAME) -> str:
    """Return text that is not longer than a limit; an ellipsis says that there is more."""
    return text if len(text) <= limit else f"{text[: limit - 1].rstrip()}…"


def address(url: str) -> str:
    """Return a page's URL as answers show it. Of Firefox's error pages that is the reason."""
    if url.startswith("about:"):
        return clip(url.partition("&")[0])
    return clip(url, MAX_NAME if url.startswith("data:") else MAX_ADDRESS)


def spoken(element: Mapping[str, object], text: str) -> str:
    """Return what was typed into an element, quoted; a secret need not come back, nor stand in logs of answers."""
    props = cast("Mapping[str, object]", element.get("props") or {})
    return "a password" if props.get("type") == "password" else quote(clip(text))


_CONTROLS = {code: f"\\u{code:04x}" for code in (*range(0x20), *range(0x7F, 0xA0), 0x2028, 0x2029)} | {
    ord(character): repr(character)[1:-1] for character in "\n\r\t"
}
"""How control characters and whatever else ends a line are written."""


def one_line(text: str) -> str:
    """Return text without anything that ends a line: what a page says must not look like a line of ours."""
    return text if text.isprintable() else text.translate(_CONTROLS)


def quote(text: str) -> str:
    """Return text in double quotes on one line."""
    return one_line(json.dumps(text, ensure_ascii=False))


def escaped(text: str) -> str:
    """Return text as it stands between quotes."""
    return quote(clip(text))[1:-1]


def describe(element: Mapping[str, object]) -> str:
    """Return an element for a person to read: button "Save" [ref=e1a2b]."""
    role, name, ref = (str(element.get(key) or "") for key in ("role", "name", "ref"))
    tag = f" <{element['tag']}>" if "tag" in element else ""
    text = f"{role} {quote(clip(name))}" if name else f"{role}{tag}"
    return f"{text} [ref={ref}]" if ref else text


def without_halves(content: object) -> str:
    """Return a value of JSON as text, where U+FFFD stands for each half of a character (RFC 8259, section 8.2)."""
    return _HALF.sub("\ufffd", json.dumps(content, ensure_ascii=False))
