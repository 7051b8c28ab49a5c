"""What clients and the server agree on. Nothing here needs the MCP SDK."""

from bidi_server.config import Config

NAME = "bidi-server"

MAX_MESSAGE = 4 * 2**20
"""Maximum size of a message from a client, in bytes."""


def opens_page(tool: str) -> bool:
    """Whether a tool opens a page by its name, so that its call needs a browser."""
    return "navigate" in tool


def can_subscribe(config: Config) -> bool:
    """Whether there is anything to subscribe to: tools of the toolset browser read the resources and enable tools."""
    return "browser" in config.toolset


def capabilities(config: Config, *, tools_change: bool = True) -> dict[str, dict[str, bool]]:
    """Return what the server declares to clients; ``tools_change`` tells whether clients have a connection."""
    subscribes = can_subscribe(config)
    return {
        "completions": {},
        "prompts": {"listChanged": False},
        "resources": {"listChanged": False, "subscribe": subscribes},
        "tools": {"listChanged": subscribes and tools_change},
    }
