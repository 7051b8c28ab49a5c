"""Resources that tools read: a person attaches them to a conversation."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from urllib.parse import quote, unquote

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


CONSOLE = f"{PREFIX}console"

NETWORK = f"{PREFIX}network"

LIVE = {
    f"{PREFIX}page": Live("Page", "The active tab as an accessibility tree.", "browser_snapshot", {}),
    CONSOLE: Live("Console", "The console since the page was loaded.", "browser_console_messages", {}),
    NETWORK: Live("Network", "The requests since the page was loaded.", "browser_network_requests", {}),
}

_SESSION = "?session="
"""Part of a URI before the name or the handle of a session; without it the client's default session is meant."""


def of_session(uri: str, name: str) -> str:
    """Return the URI of a resource of a session."""
    return f"{uri}{_SESSION}{quote(name, safe='')}"


def parts_of(uri: str) -> tuple[str, str | None]:
    """Return the URI of a resource of the default session, and the name of the session if the URI has one."""
    resource, mark, name = uri.partition(_SESSION)
    return resource, unquote(name) if mark else None


def live(uri: str) -> Live | None:
    """Return the tool and the arguments that read a resource, or None if no tool does."""
    resource, name = parts_of(uri)
    session = {} if name is None else {"session": name}
    if resource.startswith(ELEMENT):
        ref = resource.removeprefix(ELEMENT)
        return Live(f"Element {ref}", "An element and what is in it.", "browser_snapshot", {"ref": ref, **session})
    found = LIVE.get(resource)
    return replace(found, arguments=session) if found is not None else None
