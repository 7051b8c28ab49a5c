"""Sentences about the effects of an action, for every toolset."""

from collections.abc import Iterator, Mapping, Sequence

from bidi_server.advice import Advice, Operation
from bidi_server.bidi.input import FileDialogOpened
from bidi_server.browser.console.messages import Message
from bidi_server.browser.loading.document_request import destination
from bidi_server.browser.loading.unfinished import Cause, Unfinished
from bidi_server.browser.network.allow_list import was_not_opened
from bidi_server.browser.settling.effects import Effects
from bidi_server.browser.tab.dialogs import AnsweredDialog, Dialog, with_article
from bidi_server.browser.tab.downloads import Download
from bidi_server.browser.tab.tab import Opened, Refused, Tab
from bidi_server.browser.words import address, clip, path_text
from bidi_server.escapes import one_line, quote
from bidi_server.tools.page_text import PageText, Part

MAX_RUNNING = 3
"""Maximum number of unfinished requests, frames … that an answer names."""

MAX_MESSAGES = 5
"""Maximum number of console messages that an action's answer quotes."""


_CALL_HANDLE_DIALOG = Advice.of("Call ", Operation.HANDLE_DIALOG, ".")

_CALL_FILE_UPLOAD = Advice.of("Call ", Operation.FILE_UPLOAD, ".")

_SEE_TABS = Advice.of("See ", Operation.TABS, ".")

_MISSED = "But the pointer met {what}: something moved or came in between. Check what happened."

_UNCLICKED = "But the browser made no click of it: the page moved the element meanwhile. Try again, or use keys."


def caused(effects: Effects[object], names: Mapping[Operation, str], level: str) -> list[Part]:
    """Return the effects of an action: sentences with these names of tools, and what the page has printed.

    ``level`` is the minimum severity of console messages.
    """
    printed = _printed([message for message in effects.of(Message) if message.is_at(level)])
    return [*(one_line(line.rstrip()) for line in _sentences(effects, names)), *printed]


def _sentences(effects: Effects[object], names: Mapping[Operation, str]) -> Iterator[str]:
    if effects.missed:
        yield _MISSED.format(what=effects.missed)
    if effects.unclicked:
        yield _UNCLICKED
    for entry in effects.of(AnsweredDialog):
        yield f"{with_article(entry.dialog)} was {'accepted' if entry.answer.accept else 'dismissed'}."
    if effects.dialog is not None:
        yield f"{_open(effects.dialog)} {_CALL_HANDLE_DIALOG.spelled(names)}"
    if effects.of(FileDialogOpened):
        yield f"A file chooser was opened. {_CALL_FILE_UPLOAD.spelled(names)}"
    opened = [entry.tab for entry in effects.of(Opened) if not entry.tab.closed]
    yield from (_opened(tab, names) for tab in opened)
    refused = effects.of(Refused) + [entry for tab in opened for entry in tab.journal.since(0, Refused)]
    for entry in dict.fromkeys(refused):
        yield was_not_opened(address(entry.url), entry.reason)
    for download in effects.downloads:
        yield _downloaded(download)
    if effects.closed:
        yield "The page was closed."
    yield from running(effects.unfinished)


def meanwhile(entries: Sequence[object], names: Mapping[Operation, str]) -> list[str]:
    """Return sentences about what happened between two calls, with these names of tools."""
    opened = [_opened(each.tab, names) for each in entries if isinstance(each, Opened) and not each.tab.closed]
    return opened + [_downloaded(each) for each in entries if isinstance(each, Download)]


def _opened(tab: Tab, names: Mapping[Operation, str]) -> str:
    return f"A new tab was opened: {address(destination(tab))}. {_SEE_TABS.spelled(names)}"


def _printed(messages: Sequence[Message]) -> Iterator[PageText]:
    if not messages:
        return
    only_errors = all(message.level == "error" for message in messages)
    lines = [
        one_line(f"  {'' if only_errors else f'[{message.level}] '}{clip(message.headline(), 200)}".rstrip())
        for message in messages[:MAX_MESSAGES]
    ]
    yield PageText("\n".join(lines), f"Console {'errors' if only_errors else 'messages'} ({len(messages)}):")


def _open(dialog: Dialog) -> str:
    default = f", default {quote(clip(dialog.default))}" if dialog.default else ""
    return f"{with_article(dialog)}{default} is open."


def _downloaded(download: Download) -> str:
    state = f"saved as {path_text(str(download.path))}." if download.path else f"{download.status}."
    return f"Download {quote(download.name)}: {f'not saved. {download.missing}' if download.missing else state}"


_RUNNING: dict[Cause, tuple[str, str]] = {
    Cause.REQUEST: ("{n} request is still running: {what}.", "{n} requests are still running: {what}."),
    Cause.FRAME: ("A frame is still loading: {what}.", "{n} frames are still loading: {what}."),
    Cause.TAB: ("The new tab is still loading: {what}.", "{n} new tabs are still loading: {what}."),
    Cause.DOWNLOAD: ("The download of {what} is still running.", "{n} downloads are still running: {what}."),
    Cause.STALLED: ("The page is still loading: {what}.", "The page is still loading {n} parts: {what}."),
    Cause.MESSAGE: ("{what} has not answered the page yet.", "{n} have not answered the page yet: {what}."),
    Cause.LOADING: ("The page is still loading: {what}.", "The page is still loading {n} parts: {what}."),
    Cause.UNREADABLE: ("The page can't be read: {what}.", "The page can't be read: {what}."),
}
"""Sentences about one, or ``n``, unfinished things that have a name."""

_NAMELESS: dict[Cause, str] = {
    Cause.STALLED: "The page is still loading.",
    Cause.LOADING: "The page is still loading.",
    Cause.UNREADABLE: "The page can't be read.",
    Cause.NO_ANSWER: "Stopped waiting for the next page: its server has not answered, so this page stays.",
    Cause.PAGES: "Stopped waiting: each page goes on to another, again and again.",
    Cause.SCRIPT: "A script keeps the page busy.",
    Cause.ANIMATION: "An animation is still running.",
    Cause.CHANGES: "The page is still changing.",
    Cause.WORK: "The page is still working.",
}


def running(unfinished: Sequence[Unfinished]) -> list[str]:
    """Return a line for each cause of unfinished work."""
    lines: list[str] = []
    for cause in dict.fromkeys(each.cause for each in unfinished):
        names = [each.what for each in unfinished if each.cause is cause and each.what]
        if not names:
            lines.append(_NAMELESS[cause])
            continue
        more = f" and {len(names) - MAX_RUNNING} more" if len(names) > MAX_RUNNING else ""
        what = ", ".join(map(clip, names[:MAX_RUNNING])) + more
        lines.append(_RUNNING[cause][len(names) > 1].format(n=len(names), what=what))
    return lines
