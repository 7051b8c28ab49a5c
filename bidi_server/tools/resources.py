"""Resources that tools read: a person attaches them to a conversation."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from urllib.parse import quote, unquote

PREFIX = "bidi-server://"


@dataclass(frozen=True, slots=True)
class Live:
    """The answer of a tool as a resource."""

    title: str
    description: str
    tool: str
    arguments: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Template:
    """The answers of a tool as resources, one for each value of a parameter."""

    name: str
    uri: str
    """With the name of the parameter in braces."""
    description: str
    tool: str

    def live(self, uri: str) -> Live | None:
        """Return the resource of this URI, or None if it is not of this template."""
        before, _, rest = self.uri.partition("{")
        parameter, _, after = rest.partition("}")
        value = uri.removeprefix(before).removesuffix(after)
        if uri != before + value + after or not value:
            return None
        return Live(f"{self.name} {value}", self.description, self.tool, {parameter: value})


CONSOLE = f"{PREFIX}console"

NETWORK = f"{PREFIX}network"

LIVE = {
    f"{PREFIX}page": Live("Page", "The active tab as an accessibility tree.", "browser_snapshot", {}),
    CONSOLE: Live("Console", "The console since the page was loaded.", "browser_console_messages", {}),
    NETWORK: Live("Network", "The requests since the page was loaded.", "browser_network_requests", {}),
}

TEMPLATES = [
    Template(
        "Element",
        f"{PREFIX}element/{{ref}}",
        "An element of the page and what is in it, by its ref.",
        "browser_snapshot",
    ),
]

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
    templated = (template.live(resource) for template in TEMPLATES)
    found = LIVE.get(resource) or next(filter(None, templated), None)
    if found is None or name is None:
        return found
    return replace(found, arguments={**found.arguments, "session": name})
