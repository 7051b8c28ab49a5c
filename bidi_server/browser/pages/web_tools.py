"""The tools that a page offers to agents: WebMCP.

https://webmachinelearning.github.io/webmcp/
"""

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

import trio

from bidi_server.bidi.errors import BidiError
from bidi_server.browser.pages.evaluate import evaluate
from bidi_server.browser.snapshot.frame import Frame, FrameGoneError, Question
from bidi_server.browser.snapshot.take import FRAME_TIMEOUT, LOADING_FRAME_TIMEOUT
from bidi_server.browser.tab.tab import Tab
from bidi_server.browser.web_tools import SECRET, question
from bidi_server.errors import ScriptError
from drivers.json_values import fields, is_object, items, objects


@dataclass(frozen=True, slots=True)
class WebTool:
    """A tool that a document offers. All texts are the page's."""

    frame: Frame
    document: object
    """Id of the document in its frame."""
    name: str
    description: str
    schema: str
    """JSON schema of the arguments; "" if there is none."""


@dataclass(frozen=True, slots=True)
class Offer:
    """The tools of a page: those of the main document, then those of each frame."""

    tools: Sequence[WebTool]
    is_secure: bool
    """Whether the main document may offer tools."""
    is_known: bool
    """Whether WebMCP is there, as the browser's own or as our polyfill."""


@dataclass(frozen=True, slots=True)
class Returned:
    """The end of a call of a tool."""

    text: str
    """Result or error, in the page's words."""
    is_json: bool = False
    """Whether the result is a JSON value, not a text."""
    is_error: bool = False
    is_gone: bool = False
    """Whether there was no such tool any more."""
    waits: bool = False
    """Whether the tool has filled in its form, and waits until somebody submits it."""


async def offered_by(tab: Tab) -> Offer:
    """Return the tools of the page. A frame that does not answer has none."""
    answers: dict[Frame, Mapping[str, object]] = {}

    async def ask(frame: Frame) -> None:
        is_loading = frame.context in tab.loading
        with trio.move_on_after(LOADING_FRAME_TIMEOUT if is_loading else FRAME_TIMEOUT):
            with suppress(FrameGoneError, BidiError, ScriptError):
                answers[frame] = await _ask(tab, frame)

    async def ask_all() -> None:
        main = await _ask(tab, tab.main)
        async with trio.open_nursery() as nursery:
            for frame in tab.frames.values():
                if frame is not tab.main:
                    nursery.start_soon(ask, frame)
        answers[tab.main] = main

    await tab.ask(ask_all)
    frames = [tab.main, *(frame for frame in tab.frames.values() if frame is not tab.main)]
    tools = [
        _tool(frame, answer.get("document"), items(tool))
        for frame in frames
        if (answer := answers.get(frame))
        for tool in items(answer.get("tools"))
    ]
    main = answers[tab.main]
    return Offer(tools, is_secure=main.get("isSecure") is True, is_known=main.get("isKnown") is True)


def _tool(frame: Frame, document: object, told: list[object]) -> WebTool:
    """Return a tool from its texts. A page that changes JavaScript's own objects can make anything of them."""
    name, description, schema, *_ = [*map(str, told), "", "", ""]
    return WebTool(frame, document, name, description, schema)


async def _ask(tab: Tab, frame: Frame) -> Mapping[str, object]:
    return fields(await evaluate(tab, question(), frame, arguments=[SECRET]))


async def call(tab: Tab, tool: WebTool, arguments: Mapping[str, object], leaving: Question) -> Returned:
    """Call a tool of a page. Raises `FrameGoneError` if the tool has the page replaced, and `ScriptError`."""
    wanted = {"document": tool.document, "name": tool.name, "input": dict(arguments)}
    told = fields(await evaluate(tab, question(), tool.frame, arguments=[SECRET, wanted], leaving=leaving))
    if "left" in told:
        raise FrameGoneError("the tool has the page replaced")
    if "error" in told:
        return Returned(str(told["error"]), is_error=True)
    if "result" in told:
        return _returned(str(told["result"]))
    return Returned("", is_gone="gone" in told, waits="waits" in told)


def _returned(text: str) -> Returned:
    """Return a result, which may have the form of MCP: its text contents then.

    https://modelcontextprotocol.io/specification/draft/server/tools#tool-result
    """
    try:
        result = json.loads(text)
    except (ValueError, RecursionError):
        return Returned(text)
    if isinstance(result, str):
        return Returned(result)
    if not is_object(result) or not isinstance(result.get("content"), list):
        return Returned(text, is_json=True)
    parts = [
        str(part["text"]) if part.get("type") == "text" and "text" in part else json.dumps(part, ensure_ascii=False)
        for part in objects(result["content"])
    ]
    return Returned("\n".join(parts), is_error=result.get("isError") is True)
