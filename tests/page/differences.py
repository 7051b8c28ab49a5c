"""Where our roles and names differ from what a browser computes, and why."""

from typing import NamedTuple

GENERIC = "generic"

UNREADABLE = {
    "/clobber": "ChromeDriver's scripts run among the built-ins that this page replaces, and wait for ever",
    "/dialog-on-load": "an open dialog blocks the page",
    "/hang-on-load": "never loads",
}
"""Fixture pages that cannot be compared."""

SYNONYMS = {
    "": GENERIC,
    "graphics-symbol": "img",
    "image": "img",
    "none": GENERIC,
    "presentation": GENERIC,
    # Chromium's own words, where ARIA has none or a wider one
    "ColorWell": "button",
    "Date": "textbox",
    "DateTime": "textbox",
    "DescriptionList": GENERIC,
    "DisclosureTriangle": "button",
    "Iframe": "iframe",
    "InputTime": "textbox",
    "LabelText": GENERIC,
    "Legend": GENERIC,
}
"""Other words for the same role."""

BOTH = ("chromium", "firefox")


class Difference(NamedTuple):
    """What differs for the elements that match a selector, in which browsers, and why."""

    selector: str
    what: tuple[str, ...]
    """`role`, `name` or both."""
    browsers: tuple[str, ...]
    reason: str


DIFFERENCES = [
    Difference("html", ("role", "name"), BOTH, "the browsers answer for the element, not for the document that it is"),
    Difference("[contenteditable]", ("role",), BOTH, "people type into it, which `generic` would not tell"),
    Difference(
        "[inert], [inert] *",
        ("role", "name"),
        BOTH,
        "asked for directly, it is told as it would be; walks leave it out",
    ),
    Difference("#events, .card", ("name",), BOTH, "what can be acted on and has no name is called by its text"),
    Difference("svg#drawing", ("role",), BOTH, "a drawing that says nothing of itself is told by its shapes"),
    Difference("dt", ("name",), BOTH, "authors name terms, contents do not: https://www.w3.org/TR/wai-aria-1.2/#term"),
    Difference(
        "dd",
        ("name",),
        ("firefox",),
        "authors name definitions, contents do not: https://www.w3.org/TR/wai-aria-1.2/#definition",
    ),
    Difference(
        "li", ("name",), ("firefox",), "list items have no name from their contents, and markers are not part of one"
    ),
    Difference("input[type=file]", ("name",), ("firefox",), "what the browser writes beside the button is its value"),
    Difference(
        "iframe, summary, input:is([type=date], [type=datetime-local], [type=password], [type=time])",
        ("role",),
        ("firefox",),
        "Firefox has no word for what ARIA has no role for",
    ),
]
