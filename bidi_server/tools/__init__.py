"""Toolsets. A tool is a model of its parameters; running it calls the operations in ``browser/``."""

from importlib import import_module
from typing import TYPE_CHECKING

from bidi_server.fence import explained

if TYPE_CHECKING:
    from bidi_server.config import Config


def instructions(config: "Config", fence: str) -> str:
    """Return what clients tell their models about a server: its toolsets, the names of secrets, and the `fence`.

    This imports no tool: clients ask at the start.
    """
    parts = [import_module(f"bidi_server.tools.{toolset}").INSTRUCTIONS for toolset in config.toolset]
    if config.secrets is not None or config.secrets_command is not None:
        from bidi_server.secret.vault import vault

        names = vault(config.secrets, config.secrets_command).names
        parts.append(
            "Secrets: pass {{NAME}} where a text is typed or filled in, and for cookies, storage and headers: the "
            "server enters the value, and shows {{NAME}} for it. {{NAME.totp}} is a one-time code."
        )
        parts += [f"Names: {', '.join(names)}."] if names else []
    if fence:
        parts.append(explained(fence))
    return " ".join(parts)
