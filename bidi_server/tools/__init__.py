"""Toolsets. A tool is a model of its parameters; running it calls the operations in ``browser/``."""

from collections.abc import Iterable
from importlib import import_module

from bidi_server.fence import explained


def instructions(toolsets: Iterable[str], fence: str) -> str:
    """Return what clients tell their models about a server with these toolsets, and with this `fence`.

    This imports no tool: clients ask at the start.
    """
    told = [import_module(f"bidi_server.tools.{toolset}").INSTRUCTIONS for toolset in toolsets]
    return " ".join([*told, explained(fence)] if fence else told)
