"""Descriptions of elements and excerpts of a page's text, as messages and answers show them."""

import json
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from bidi_server.escapes import one_line, quote

if TYPE_CHECKING:
    from bidi_server.page.api import Description

MAX_NAME = 100
"""Maximum length of an element's name in a sentence, in characters."""

MAX_TITLE = 200
"""Maximum length of a page's title in an answer, in characters."""

MAX_ADDRESS = 500
"""Maximum length of a page's URL in an answer, in characters. A ``data:`` URL is a document: it gets `MAX_NAME`."""

MAX_PATH = 200
"""Maximum length of a file's path in a sentence, in characters."""

_SURROGATE = re.compile("[\ud800-\udfff]")


def clip(text: str, limit: int = MAX_NAME) -> str:
    """Return text shortened to a maximum length in characters; an ellipsis marks the cut."""
    return text if len(text) <= limit else f"{text[: limit - 1].rstrip()}…"


def address(url: str) -> str:
    """Return a page's URL as answers show it. For Firefox's error pages, only the part with the reason is left."""
    if url.startswith("about:"):
        return one_line(clip(url.partition("&")[0]))
    return one_line(clip(url, MAX_NAME if url.startswith("data:") else MAX_ADDRESS))


def counted(number: int, noun: str) -> str:
    """Return a number with its noun: ``1 element``, ``2 elements``."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def literal(text: str) -> str:
    """Return a text in quotes for a locator, as page/src/act/locator-syntax.js reads it."""
    return json.dumps(text, ensure_ascii=False)


def spoken(element: "Description", text: str) -> str:
    """Return text that was typed into an element, in quotes, or "a password".

    Answers do not repeat passwords, so that logs of answers do not contain them.
    """
    return "a password" if element["props"].get("type") == "password" else quote(clip(text))


def escaped(text: str) -> str:
    """Return clipped text with the escapes that it needs between quotes."""
    return quote(clip(text))[1:-1]


def in_single_quotes(text: str) -> str:
    """Return clipped text in single quotes, or in double quotes if it has a single one."""
    return f"'{escaped(text)}'" if "'" not in text else quote(clip(text))


def path_text(path: str) -> str:
    """Return a path for a sentence: in quotes if a page may have chosen it and it has spaces."""
    return quote(path) if re.search(r"\s", path) else path


def page_line(title: str, url: str) -> str:
    """Return a page's title and URL for an answer: ``"Tea & Paper" http://127.0.0.1/``."""
    return f"{quote(title)} {address(url)}" if title else address(url)


def describe(element: Mapping[str, object]) -> str:
    """Return a readable description of an element, as the page's script reports it.

    With a ref: ``button "Save" [ref=e1a2b]``; without one: ``generic "x" <div#cookies>``.
    """
    role, name, ref = (str(element.get(key) or "") for key in ("role", "name", "ref"))
    mark = str(element.get("mark") or "")
    tag = f" <{element['tag']}{mark}>" if "tag" in element and (not name or (mark and not ref)) else ""
    text = f"{role} {quote(clip(name))}{tag}" if name else f"{role}{tag}"
    return f"{text} [ref={ref}]" if ref else text


def without_halves(content: object) -> str:
    """Return a JSON value as text, with U+FFFD for each lone surrogate (RFC 8259, section 8.2)."""
    return _SURROGATE.sub("\ufffd", json.dumps(content, ensure_ascii=False))
