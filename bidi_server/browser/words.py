"""Words for elements, as the page's code describes them, and texts of pages as they may be said."""

import json
import re
from collections.abc import Mapping
from typing import cast

from bidi_server.escapes import one_line, quote

MAX_NAME = 100
"""Characters of an element's name in a sentence."""

MAX_TITLE = 200
"""Characters of a page's title in an answer."""

MAX_ADDRESS = 500
"""Characters of a page's URL in an answer; one that is a document by itself (``data:``) gets those of a name."""

MAX_PATH = 200
"""Characters of a file's path in a sentence."""

_SURROGATE = re.compile("[\ud800-\udfff]")


def clip(text: str, limit: int = MAX_NAME) -> str:
    """Return text that is not longer than a limit; an ellipsis says that there is more."""
    return text if len(text) <= limit else f"{text[: limit - 1].rstrip()}…"


def address(url: str) -> str:
    """Return a page's URL as answers show it. Of Firefox's error pages that is the reason."""
    if url.startswith("about:"):
        return one_line(clip(url.partition("&")[0]))
    return one_line(clip(url, MAX_NAME if url.startswith("data:") else MAX_ADDRESS))


def spoken(element: Mapping[str, object], text: str) -> str:
    """Return what was typed into an element, quoted; a secret need not come back, nor stand in logs of answers."""
    props = cast("Mapping[str, object]", element.get("props") or {})
    return "a password" if props.get("type") == "password" else quote(clip(text))


def escaped(text: str) -> str:
    """Return text as it stands between quotes."""
    return quote(clip(text))[1:-1]


def page_line(title: str, url: str) -> str:
    """Return a page's title and URL for an answer: ``"Tea & Paper" http://127.0.0.1/``."""
    return f"{quote(title)} {address(url)}" if title else address(url)


def describe(element: Mapping[str, object]) -> str:
    """Return an element for a person to read: button "Save" [ref=e1a2b], or without a ref generic "x" <div#cookies>."""
    role, name, ref = (str(element.get(key) or "") for key in ("role", "name", "ref"))
    mark = str(element.get("mark") or "")
    tag = f" <{element['tag']}{mark}>" if "tag" in element and (not name or (mark and not ref)) else ""
    text = f"{role} {quote(clip(name))}{tag}" if name else f"{role}{tag}"
    return f"{text} [ref={ref}]" if ref else text


def without_halves(content: object) -> str:
    """Return a JSON value as text, with U+FFFD for each lone surrogate (RFC 8259, section 8.2)."""
    return _SURROGATE.sub("\ufffd", json.dumps(content, ensure_ascii=False))
