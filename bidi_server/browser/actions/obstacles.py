"""Why an element does not allow an action, and what to do then."""

import json

from bidi_server.advice import Advice, Operation
from bidi_server.browser.words import clip, describe
from bidi_server.errors import ElementNotActionableError
from bidi_server.escapes import quote
from bidi_server.page.api import Description, Obstacle

MOST_OPTIONS = 30
"""Maximum number of options in an error message."""


def not_actionable(  # noqa: C901 one case for each obstacle
    info: Description, obstacle: Obstacle
) -> ElementNotActionableError:
    """Return the error for an element that does not allow an action."""
    found = describe(info)
    cover, kind = obstacle.cover, obstacle.kind
    match obstacle.blocked:
        case "disabled":
            return ElementNotActionableError(f"{found} is disabled.", "Do first what enables it.")
        case "hidden":
            return ElementNotActionableError(f"{found} is not visible.", "Do first what shows it.")
        case "drawn" if cover is not None:
            return ElementNotActionableError(
                f"{found} is drawn on {describe(cover)}: it has no place of its own.",
                "Give the canvas the focus and use keys, or click at coordinates (--caps vision).",
            )
        case "listed" if cover is not None:
            return ElementNotActionableError(
                f"{found} is in the list of {describe(cover)}, which the browser draws outside of the page.",
                Advice.of(
                    "Call ",
                    Operation.SELECT_OPTION,
                    f" on that, with the values [{json.dumps(info.get('name'))}].",
                ),
            )
        case "covered" if cover is not None:
            return ElementNotActionableError(
                f"{found} is covered by {describe(cover)}.",
                "Close or scroll away what covers it, or act on that instead.",
            )
        case "detached":
            return ElementNotActionableError(
                f"{found} is replaced again and again.", "Do first what lets the page come to rest, or wait for it."
            )
        case "beside":
            return ElementNotActionableError(
                f"What is there to hold is not {found}{f' but {describe(cover)}' if cover else ''}.",
                "startX and startY are pixels from its top left corner, as far as it is in view.",
            )
        case "readonly":
            opens = info.get("role") == "combobox" or "haspopup" in info["props"]
            advice = "Click it, then click the option that appears." if opens else "Use the control that sets it."
            return ElementNotActionableError(f"{found} is read-only.", advice)
        case "not-editable" if kind == "a select":
            return ElementNotActionableError(f"{found} is a <select>.", Advice.of("Use ", Operation.SELECT_OPTION, "."))
        case "not-editable":
            return ElementNotActionableError(
                f"{found} takes no text: it is {kind}.",
                Advice.of("Use ", Operation.CLICK, ", or name the text field itself."),
            )
        case "bad-value":
            forms = {
                "color": "#rrggbb", "date": "YYYY-MM-DD", "time": "HH:MM", "month": "YYYY-MM", "week": "YYYY-Www",
                "datetime-local": "YYYY-MM-DDTHH:MM",
            }  # fmt: skip
            return ElementNotActionableError(
                f"{found} did not take the value.", f"A {kind} input takes {forms.get(kind, 'another form')}."
            )
        case "not-file":
            return ElementNotActionableError(f"{found} is not a file input.", "Name the input, or leave it out.")
        case "not-select":
            return ElementNotActionableError(
                f"{found} is not a <select>.", "Click it, then click the option that appears."
            )
        case "single":
            return ElementNotActionableError(f"{found} takes one option only.", "Pass one value.")
        case "no-option":
            there = " | ".join(quote(clip(option)) for option in obstacle.options[:MOST_OPTIONS])
            advice = Advice.of(f"Its options: {there}.")
            if len(obstacle.options) > MOST_OPTIONS:
                rest = f"Its options: {there} and {len(obstacle.options) - MOST_OPTIONS} more; "
                advice = Advice.of(rest, Operation.SNAPSHOT, " of the element has them all.")
            return ElementNotActionableError(f"{found} has no option {obstacle.unknown!r}.", advice)
        case "not-table":
            return ElementNotActionableError(f"{found} is not a table and contains none.", "Name the table.")
        case "option-disabled":
            return ElementNotActionableError(
                f"The option {obstacle.unknown!r} of {found} is disabled.", "Choose another."
            )
        case _:
            return ElementNotActionableError(
                f"{found} can't be scrolled into view.", "Its container may be collapsed: do first what shows it."
            )
