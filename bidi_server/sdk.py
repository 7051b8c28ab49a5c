"""The import of the MCP SDK, for processes that need little of it."""

import gc
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from importlib.util import find_spec, module_from_spec
from typing import TypeVar

import trio
from pydantic import BaseModel

T = TypeVar("T")

PROMPT = 0.0005
"""Interval of thread switches during imports, in seconds: the browser's start takes many small steps meanwhile.

Python's default is 5 ms.
"""

PACKAGES = ("mcp_types", "mcp", "mcp.server")
"""Packages whose ``__init__`` imports more than a server on stdio needs."""


def defer() -> None:
    """Let the `PACKAGES` be imported without their ``__init__``, which runs when something of it is first used.

    A client waits for the imports before `initialize` is answered. In mcp 2.3 those of the two ``__init__`` and of
    `mcp.server.lowlevel` (the client, starlette, uvicorn, sse-starlette …) take a third of that time, and what runs a
    connection (`mcp.server.runner`) needs none of them. Call this before the first import of the SDK.
    """
    for name in PACKAGES:
        if name not in sys.modules:
            _defer(name)


def _defer(name: str) -> None:
    spec = find_spec(name)
    assert spec is not None
    assert spec.loader is not None
    loader, module = spec.loader, module_from_spec(spec)

    def load(attribute: str) -> object:
        if attribute.startswith("__"):  # importlib looks for these
            raise AttributeError(attribute)
        del vars(module)["__getattr__"]
        loader.exec_module(module)
        return getattr(module, attribute)

    vars(module)["__getattr__"] = load
    sys.modules[name] = module


@contextmanager
def unbuilt() -> Generator[None]:
    """Let models that are defined in the block build their validators when they are first used.

    `mcp_types` defines 450 models, and a connection uses a tenth of them. Building all of them takes a quarter of the
    import.
    """
    BaseModel.model_config["defer_build"] = True
    try:
        yield
    finally:
        del BaseModel.model_config["defer_build"]


_importing = 0
"""Number of calls of `imported` in progress."""

_USUAL = sys.getswitchinterval()


async def imported(load: Callable[[], T]) -> T:
    """Return the result of a function that imports much, while other tasks run."""
    global _importing  # noqa: PLW0603 - the interpreter has one too
    _importing += 1
    before = len(sys.modules)
    gc.disable()  # as for all imports, see __main__
    sys.setswitchinterval(PROMPT)
    try:
        return await trio.to_thread.run_sync(load)
    finally:
        _importing -= 1
        if not _importing:
            sys.setswitchinterval(_USUAL)
            if len(sys.modules) > before:  # otherwise there is only what will be freed
                gc.freeze()
            gc.enable()
