"""Answers of the ``browser`` toolset: complete text in as few tokens as possible, then pictures."""

import sys
from collections.abc import Mapping, Sequence

from bidi_server.advice import Advice, Operation
from bidi_server.browser.actions.receipt import Receipt
from bidi_server.browser.loading.document_request import destination
from bidi_server.browser.loading.unfinished import Cause, Unfinished
from bidi_server.browser.network.allow_list import was_not_opened
from bidi_server.browser.pages.text_page import extract
from bidi_server.browser.snapshot.diff import diff
from bidi_server.browser.snapshot.model import Line, Row, Snapshot
from bidi_server.browser.snapshot.outline import outline
from bidi_server.browser.snapshot.render import render
from bidi_server.browser.tab.dialogs import with_article
from bidi_server.browser.tab.tab import Tab
from bidi_server.browser.words import MAX_NAME, address, clip, describe, page_line
from bidi_server.escapes import one_line, quote
from bidi_server.tools.outcome import TOKEN, Outcome

LONG_TEXT = 1000
"""Maximum length of a changed line, in characters, while all changes take at most `FEW` of the budget."""

FEW = 1 / 4

BLANK = "about:blank"

_FRAMEWORK = frozenset({"generic", "group", "main", "region"})
"""Roles of elements that only contain other elements."""

_NOTHING = "The page shows nothing yet. If it fills later, wait for a text of it: browser_wait_for."

_PAINTED = (
    "The page shows no text and no controls, only pictures or colours: look at it with browser_take_screenshot, "
    "or wait for a text with browser_wait_for."
)

ASKED = 10
"""Budget of a requested snapshot, as a multiple of the budget of an action's answer."""

MAX_RUNNING = 3
"""Maximum number of unfinished requests, frames … that an answer names."""

MAX_ERRORS = 5
"""Maximum number of console errors that an action's answer quotes."""


_CALL_HANDLE_DIALOG = Advice.of("Call ", Operation.HANDLE_DIALOG, ".")

_CALL_FILE_UPLOAD = Advice.of("Call ", Operation.FILE_UPLOAD, ".")

_SEE_TABS = Advice.of("See ", Operation.TABS, ".")


def report(out: Outcome, names: Mapping[Operation, str]) -> str:
    """Return the text of the answer, and record in the tab what the agent has seen."""
    parts: list[str] = list(out.lines)
    tab = out.tab
    if out.receipt is not None and tab is not None:
        parts += caused(out.receipt, names)
        if out.snapshot_mode == "none":
            parts += [f"Page: {address(url)}" for url in out.receipt.navigated[-1:]]
        elif out.receipt.snapshot is not None:
            moved = bool(out.receipt.navigated or out.receipt.closed)
            parts.append(_state(tab, out, out.receipt.snapshot, moved=moved))
            if out.receipt.navigated and _is_empty(out.receipt.snapshot):
                parts.append(_PAINTED if out.receipt.snapshot.rows[0].props.get("painted") else _NOTHING)
    if out.snapshot is not None and tab is not None:
        parts.append(_asked(tab, out))
    return "\n".join(part for part in parts if part)


def caused(receipt: Receipt, names: Mapping[Operation, str]) -> list[str]:
    """Return the effects of an action, one per line, with these names of tools."""
    lines: list[str] = []
    if receipt.missed:
        lines.append(f"But the pointer met {receipt.missed}: something moved or came in between. Check what happened.")
    if receipt.unclicked:
        lines.append(
            "But the browser made no click of it: the page moved the element meanwhile. Try again, or use keys."
        )
    for dialog, answer in receipt.answered:
        lines.append(f"{with_article(dialog)} was {'accepted' if answer.accept else 'dismissed'}.")
    if receipt.dialog is not None:
        default = f", default {quote(clip(receipt.dialog.default))}" if receipt.dialog.default else ""
        lines.append(f"{with_article(receipt.dialog)}{default} is open. {_CALL_HANDLE_DIALOG.spelled(names)}")
    if receipt.file_dialog:
        lines.append(f"A file chooser was opened. {_CALL_FILE_UPLOAD.spelled(names)}")
    see = _SEE_TABS.spelled(names)
    lines += [f"A new tab was opened: {address(destination(tab))}. {see}" for tab in receipt.opened]
    lines += [was_not_opened(address(url)) for url in receipt.refused]
    for download in receipt.downloads:
        state = f"saved as {download.path}." if download.path else f"{download.status}."
        lines.append(
            f"Download {quote(download.name)}: {f'not saved. {download.missing}' if download.missing else state}"
        )
    if receipt.closed:
        lines.append("The page was closed.")
    if receipt.console:
        lines.append(f"Console errors ({len(receipt.console)}):")
        lines += [f"  {clip(message.headline(), 200)}" for message in receipt.console[:MAX_ERRORS]]
    lines += running(receipt.unfinished)
    return [one_line(line.rstrip()) for line in lines]


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


def _state(tab: Tab, out: Outcome, snapshot: Snapshot, *, moved: bool) -> str:
    before, budget = tab.seen, out.snapshot_budget * TOKEN
    tab.saw(snapshot)
    source = snapshot.source
    if source is not None and (moved or before is None or before.source != source):
        return f"{_page(snapshot)}\n{extract(source.text, source.length, budget)}"
    prefix = tab.shared.ref_prefix
    after = render(snapshot, prefix=prefix)
    head = _page(snapshot) if moved or before is None else ""
    if before is None or out.snapshot_mode == "full":
        return f"{head or _page(snapshot)}\n{_within(after, budget)}"
    found = diff(render(before, prefix=prefix), after)
    changes = found.changes
    focus = _focus(before, snapshot, out, prefix) if out.tells_focus or not changes else ""
    links = f"{found.moved_links} links lead elsewhere than before." if found.moved_links else ""
    if not changes:
        unchanged = "The page shows what it showed before." if head else "The snapshot shows no change."
        if out.receipt is not None and out.receipt.unfinished:
            unchanged = "Nothing has changed so far. Call browser_wait_for with what should come."
        return "\n".join(part for part in (head, focus or links or unchanged, focus and links) if part)
    changed = "\n".join(change.written(LONG_TEXT) for change in changes)
    shows_more = len(changed) <= budget * FEW and any(change.is_long for change in changes)
    if len(changed) > budget * FEW:
        changed = "\n".join(change.written(MAX_NAME) for change in changes)
        shows_more = any(change.is_cut_away for change in changes)
    whole = sum(len(str(line)) + 1 for line in after)
    if len(changed) >= whole * 0.8 and (moved or not shows_more):
        return f"{head or _page(snapshot)}\n{_within(after, budget)}"
    if len(changed) > budget:
        return f"{head or _page(snapshot)}\nMuch changed.\n{_within(after, budget)}"
    return "\n".join(part for part in (head, focus, f"Changes:\n{changed}", links) if part)


def _focus(before: Snapshot, after: Snapshot, out: Outcome, prefix: str) -> str:
    """Return the focused element, unless the focus has not moved or has moved to the target of the action."""
    was, now = _focused(before), _focused(after)
    if now is None or (was is not None and (was.ref, str(was)) == (now.ref, str(now))):
        return ""
    ref = f"{prefix}{now.ref}" if now.ref else ""
    if ref and out.receipt is not None and out.receipt.found is not None and out.receipt.found.info.get("ref") == ref:
        return ""
    return f"Focus: {describe({'role': now.role, 'name': now.name, 'ref': ref})}"


def _focused(snapshot: Snapshot) -> Row | None:
    return next((row for row in reversed(snapshot.rows) if row.props.get("active")), None)


def _is_empty(snapshot: Snapshot) -> bool:
    """Whether the page shows nothing, for example because the script that renders it waits for its server."""
    if snapshot.source is not None or snapshot.url == BLANK:
        return False
    return not any(row.name or row.role not in _FRAMEWORK for row in snapshot.rows[1:])


def _asked(tab: Tab, out: Outcome) -> str:
    snapshot = out.snapshot
    if snapshot is None:
        return ""
    if snapshot.source is not None and not out.partial:
        tab.saw(snapshot)
        return ""  # the tool has reported the content
    lines = render(snapshot, all_refs=out.all_refs, prefix=tab.shared.ref_prefix, with_empty=True)
    if out.search:
        return _matching(lines, out.search)
    shown = "\n".join(_levels(lines, sys.maxsize if out.max_depth is None else out.max_depth, whole=out.partial))
    room = out.snapshot_budget * TOKEN * ASKED
    if out.max_depth is None and len(shown) > room:
        lines = render(snapshot, all_refs=out.all_refs, prefix=tab.shared.ref_prefix)
        shown = _outline(lines, room, "browser_snapshot with the ref or selector of a part, or with depth: 100")
    if out.partial:
        return shown
    tab.saw(snapshot)
    return f"{_page(snapshot)}\n{shown}"


def _matching(lines: list[Line], search: str) -> str:
    """Return the lines that contain a text, and their ancestors."""
    wanted = search.casefold()
    kept: list[Line] = []
    depth = -1  # depth of the last line that was kept
    found = 0
    for line in reversed(lines):
        if wanted in line.whole.casefold():
            found += 1
        elif line.depth >= depth:
            continue
        kept.append(line)
        depth = line.depth
    if not found:
        return f"No line of the snapshot contains {quote(search)}."
    return "\n".join(map(str, reversed(kept)))


def _page(snapshot: Snapshot) -> str:
    return f"Page: {page_line(snapshot.title, snapshot.url)}"


def _within(lines: list[Line], budget: int) -> str:
    text = "\n".join(map(str, lines))
    return text if len(text) <= budget else _outline(lines, budget)


def _outline(lines: list[Line], budget: int, rest: str = "browser_snapshot") -> str:
    """Return an outline within the budget; every line says how much it leaves out."""
    return "\n".join([f"Outline ({len(lines)} lines in all; the rest: {rest}):", *outline(lines, budget)])


def _levels(lines: list[Line], depth: int, *, whole: bool = False) -> list[str]:
    shown: list[str] = []
    inside = 0
    for line in reversed(lines):
        if line.depth > depth:
            inside += 1
            continue
        text = f"{'  ' * line.depth}{line.whole}" if whole else str(line)
        shown.append(f"{text} (+{inside} lines)" if inside and line.depth == depth else text)
        inside = 0
    return shown[::-1]
