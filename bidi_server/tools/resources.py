"""Resources that tools read: a person attaches them to a conversation."""

from collections.abc import Mapping
from dataclasses import dataclass

PREFIX = "bidi-server://"

ELEMENT = f"{PREFIX}element/"
"""Prefix of the resources of elements; the ref follows."""


@dataclass(frozen=True, slots=True)
class Live:
    """The answer of a tool as a resource."""

    title: str
    description: str
    tool: str
    arguments: Mapping[str, object]


LIVE = {
    f"{PREFIX}page": Live("Page", "The active tab as an accessibility tree.", "browser_snapshot", {}),
    f"{PREFIX}console": Live("Console", "The console since the page was loaded.", "browser_console_messages", {}),
    f"{PREFIX}network": Live("Network", "The requests since the page was loaded.", "browser_network_requests", {}),
}


def live(uri: str) -> Live | None:
    """Return the tool and the arguments that read a resource, or None if no tool does."""
    if uri.startswith(ELEMENT):
        ref = uri.removeprefix(ELEMENT)
        return Live(f"Element {ref}", "An element and what is in it.", "browser_snapshot", {"ref": ref})
    return LIVE.get(uri)
