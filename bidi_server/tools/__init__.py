"""Toolsets. A tool is a model of its parameters; running it calls the operations in ``browser/``."""

from collections.abc import Iterable
from importlib import import_module


def instructions(toolsets: Iterable[str]) -> str:
    """Return what clients tell their models about a server with these toolsets.

    This imports no tool: clients ask at the start.
    """
    return " ".join(import_module(f"bidi_server.tools.{toolset}").INSTRUCTIONS for toolset in toolsets)
