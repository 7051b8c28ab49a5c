"""Answers as data, for ``--structured``. One schema serves every tool: the parts that the server has as values.

https://modelcontextprotocol.io/specification/2025-11-25/server/tools#structured-content
"""

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict

from bidi_server.advice import Operation
from bidi_server.browser.console.messages import Message
from bidi_server.browser.loading.document_request import destination
from bidi_server.browser.origin import origin_of
from bidi_server.browser.settling.effects import Effects
from bidi_server.browser.tab.dialogs import MAX_MESSAGE, AnsweredDialog, Dialog
from bidi_server.browser.tab.downloads import Download
from bidi_server.browser.tab.tab import Tab
from bidi_server.browser.words import MAX_PATH, address, clip
from bidi_server.errors import MOST, ToolError
from bidi_server.escapes import one_line, visible
from bidi_server.tools.caused import MAX_MESSAGES, caused
from bidi_server.tools.outcome import Outcome, Reply
from bidi_server.tools.schemas import slim
from drivers.json_values import fields

Line = Annotated[str, AfterValidator(one_line)]
"""A text on one line, with visible escapes as in the text of an answer."""

Block = Annotated[str, AfterValidator(visible)]
"""A text of several lines, with visible escapes as in the text of an answer."""

DialogState = Literal["open", "accepted", "dismissed"]

INCOMPLETE = "INCOMPLETE"
"""Error code of a call that did only a part of its work."""


class Part(BaseModel):
    """A part of an answer."""

    model_config = ConfigDict(frozen=True, use_attribute_docstrings=True)


class TabPart(Part):
    """An open tab."""

    url: Line
    title: Line
    """As of the last snapshot; "" if there was none."""
    active: bool


class DialogPart(Part):
    """A dialog that opened."""

    kind: str
    """alert, confirm, prompt or beforeunload"""
    message: Block
    """Written by the page."""
    default: Block
    """Written by the page."""
    state: DialogState
    origin: Line
    """Of the document that opened it; "" if it has none."""


class DownloadPart(Part):
    """A download that began."""

    name: Line
    """Chosen by the page."""
    url: Line
    status: str
    """running, complete or canceled"""
    path: Line


class MessagePart(Part):
    """A message in the console."""

    level: str
    text: Block
    """Written by the page."""
    origin: Line
    """Of the script that printed it; "" if it is not known."""


class UnfinishedPart(Part):
    """An effect that was unfinished when the answer was sent."""

    cause: str
    what: Line
    """Its name, often chosen by the page."""


class ErrorPart(Part):
    """The reason of a failure."""

    code: str
    message: Line
    """By the server; texts of the page in quotes."""
    advice: Line


class Answer(Part):
    """The parts of an answer. Those that are empty are left out."""

    notices: tuple[Line, ...] = ()
    """Sentences by the server: what happened before the call."""
    result: tuple[Block, ...] = ()
    """Sentences by the server: what the tool did. Also what it read, then as text: values, lists, parts of pages."""
    events: tuple[Line, ...] = ()
    """Sentences by the server: the effects of the action. Texts of the page are in quotes."""
    url: Line = ""
    """Of the tab that the tool worked on."""
    title: Line = ""
    """Written by the page. As of the last snapshot."""
    origin: Line = ""
    """Of the document that title and page are from. In page, frames of other origins have their URLs or origins."""
    page: Block = ""
    """Text of the page as an accessibility tree: all, an outline, or the lines that changed, as its first lines say."""
    tabs: tuple[TabPart, ...] = ()
    dialogs: tuple[DialogPart, ...] = ()
    downloads: tuple[DownloadPart, ...] = ()
    console: tuple[MessagePart, ...] = ()
    """The first messages that the action caused."""
    unfinished: tuple[UnfinishedPart, ...] = ()
    files: tuple[Line, ...] = ()
    """Paths of files that the tool wrote."""
    error: ErrorPart | None = None


@cache
def answer_schema() -> dict[str, object]:
    """Return the JSON schema of `Answer`."""
    schema = slim(Answer.model_json_schema(mode="serialization"), offs=False)
    for part in fields(schema["properties"]).values():
        fields(part).pop("default", None)  # an empty part is left out
    return schema


def data_of(out: Outcome, reply: Reply, error: ToolError | None, names: Mapping[Operation, str]) -> dict[str, object]:
    """Return an answer as data, with these names of tools. ``error`` is the one that ended the call."""
    # Not `Effects[object](…)`: Python 3.11 adds an attribute to what that creates, which is frozen.
    effects: Effects[object] = out.effects or Effects(cursor=0, entries=())
    tab = out.tab
    snapshot = out.snapshot or effects.snapshot
    messages = [message for message in effects.of(Message) if message.is_at(out.console_level)]
    answer = Answer(
        notices=tuple(out.notices),
        result=tuple(filter(None, map(str, out.lines))),
        events=tuple(map(str, caused(effects, names, out.console_level))),
        url=address(tab.url) if tab is not None else "",
        title=snapshot.title if snapshot is not None else tab.title if tab is not None else "",
        origin=origin_of(tab.url) if tab is not None else "",
        page=reply.page,
        tabs=tuple(_tab(each, active=each is out.active_tab) for each in out.tabs),
        dialogs=tuple(_dialogs(effects, tab)),
        downloads=tuple(map(_download, effects.downloads)),
        console=tuple(
            MessagePart(level=each.level, text=clip(each.headline(), MOST), origin=origin_of(each.url))
            for each in messages[:MAX_MESSAGES]
        ),
        unfinished=tuple(UnfinishedPart(cause=each.cause.value, what=clip(each.what)) for each in effects.unfinished),
        files=tuple(map(str, [*out.links, *out.files])),
        error=_error(out, error, names),
    )
    return answer.model_dump(mode="json", exclude_defaults=True)


def _tab(tab: Tab, *, active: bool) -> TabPart:
    return TabPart(url=address(destination(tab)), title=tab.title, active=active)


def _dialogs(effects: Effects[object], tab: Tab | None) -> Iterator[DialogPart]:
    for entry in effects.of(AnsweredDialog):
        yield _dialog(entry.dialog, "accepted" if entry.answer.accept else "dismissed", tab)
    if effects.dialog is not None:
        yield _dialog(effects.dialog, "open", tab)


def _dialog(dialog: Dialog, state: DialogState, tab: Tab | None) -> DialogPart:
    message, default = clip(dialog.message, MAX_MESSAGE), clip(dialog.default, MAX_MESSAGE)
    frame = tab.frames.get(dialog.frame) if tab is not None else None
    origin = origin_of(frame.url) if frame is not None else ""
    return DialogPart(kind=dialog.kind, message=message, default=default, state=state, origin=origin)


def _download(download: Download) -> DownloadPart:
    name, url = clip(download.name, MAX_PATH), address(download.url)
    return DownloadPart(name=name, url=url, status=download.status, path=download.path or "")


def _error(out: Outcome, error: ToolError | None, names: Mapping[Operation, str]) -> ErrorPart | None:
    if error is not None:
        return ErrorPart(code=error.code, message=error.message, advice=error.advice.spelled(names))
    return ErrorPart(code=INCOMPLETE, message=out.failure, advice="") if out.failure else None
