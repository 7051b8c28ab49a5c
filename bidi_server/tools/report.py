"""Answers of the ``browser`` toolset: complete text in as few tokens as possible, then pictures."""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bidi_server.advice import Operation
from bidi_server.browser.actions.target import Found
from bidi_server.browser.pages.text_page import extract
from bidi_server.browser.settling.effects import Effects
from bidi_server.browser.snapshot.diff import diff
from bidi_server.browser.snapshot.model import Line, Row, Snapshot
from bidi_server.browser.snapshot.outline import outline
from bidi_server.browser.snapshot.render import render
from bidi_server.browser.snapshot.search import Matches, Search, search
from bidi_server.browser.tab.tab import Tab
from bidi_server.browser.tab.view import View
from bidi_server.browser.words import MAX_NAME, address, describe, page_line
from bidi_server.tools.caused import caused
from bidi_server.tools.outcome import TOKEN, Outcome
from bidi_server.tools.page_text import PageText, Part

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


def told(out: Outcome, names: Mapping[Operation, str]) -> list[Part]:
    """Return what a call says besides the changes of the page."""
    parts = list(out.lines)
    if out.effects is not None:
        parts += caused(out.effects, names, out.console_level)
    if out.snapshot is not None and out.tab is not None:
        parts += asked(out.tab, out, out.snapshot)
    return parts


@dataclass(frozen=True, slots=True)
class Report:
    """The parts of an answer's text."""

    lines: Sequence[Part]
    """What the tool did, and its effects."""
    page: Sequence[Part]
    """The page, or what changed in it."""
    view: View | None
    """The agent's new view of the tab, if the answer shows the page."""


def report(out: Outcome, names: Mapping[Operation, str]) -> Report:
    """Return what an answer says."""
    lines = list(out.lines)
    parts: list[Part] = []
    view: View | None = None
    tab, effects = out.tab, out.effects
    if effects is not None and tab is not None:
        lines += caused(effects, names, out.console_level)
        if out.snapshot_mode == "none":
            parts += [f"Page: {address(url)}" for url in effects.navigated[-1:]]
        elif effects.snapshot is not None:
            if effects.navigated and _is_empty(effects.snapshot):
                lines.append(_PAINTED if effects.snapshot.rows[0].props.get("painted") else _NOTHING)
            parts += _state(tab, out, effects, effects.snapshot)
            view = tab.view.showing(effects.snapshot)
    if out.snapshot is not None and tab is not None:
        parts += asked(tab, out, out.snapshot)
        if not out.partial and (out.search is None or out.snapshot.source is not None):
            view = (view or tab.view).showing(out.snapshot)
    return Report(lines, parts, view)


def _state(tab: Tab, out: Outcome, effects: Effects[object], snapshot: Snapshot) -> list[Part]:
    before, budget = tab.view.seen, out.snapshot_budget * TOKEN
    moved = bool(effects.navigated or effects.closed)
    source = snapshot.source
    if source is not None and (moved or before is None or before.source != source):
        return [PageText(str(extract(source.text, source.length, budget)), _page(snapshot))]
    prefix = tab.shared.ref_prefix
    after = render(snapshot, prefix=prefix)
    head = _page(snapshot) if moved or before is None else ""
    if before is None or out.snapshot_mode == "full":
        return [_within(after, budget, head or _page(snapshot))]
    found = diff(render(before, prefix=prefix), after)
    changes = found.changes
    focus = _focus(before, snapshot, effects.element, prefix) if out.tells_focus or not changes else ""
    links = f"{found.moved_links} links lead elsewhere than before." if found.moved_links else ""
    if not changes:
        unchanged = "The page shows what it showed before." if head else "The snapshot shows no change."
        if effects.unfinished:
            unchanged = "Nothing has changed so far. Call browser_wait_for with what should come."
        return [head, focus or links or unchanged, focus and links]
    changed = "\n".join(change.written(LONG_TEXT) for change in changes)
    shows_more = len(changed) <= budget * FEW and any(change.is_long for change in changes)
    if len(changed) > budget * FEW:
        changed = "\n".join(change.written(MAX_NAME) for change in changes)
        shows_more = any(change.is_cut_away for change in changes)
    whole = sum(len(str(line)) + 1 for line in after)
    if len(changed) >= whole * 0.8 and (moved or not shows_more):
        return [_within(after, budget, head or _page(snapshot))]
    if len(changed) > budget:
        return ["Much changed.", _within(after, budget, head or _page(snapshot))]
    return [head, focus, links, PageText(changed, "Changes:")]


def _focus(before: Snapshot, after: Snapshot, element: Found | None, prefix: str) -> str:
    """Return the focused element, unless the focus has not moved or has moved to the target of the action."""
    was, now = _focused(before), _focused(after)
    if now is None or (was is not None and (was.ref, str(was)) == (now.ref, str(now))):
        return ""
    ref = f"{prefix}{now.ref}" if now.ref else ""
    if ref and element is not None and element.info.get("ref") == ref:
        return ""
    return f"Focus: {describe({'role': now.role, 'name': now.name, 'ref': ref})}"


def _focused(snapshot: Snapshot) -> Row | None:
    return next((row for row in reversed(snapshot.rows) if row.props.get("active")), None)


def _is_empty(snapshot: Snapshot) -> bool:
    """Whether the page shows nothing, for example because the script that renders it waits for its server."""
    if snapshot.source is not None or snapshot.url == BLANK:
        return False
    return not any(row.name or row.role not in _FRAMEWORK for row in snapshot.rows[1:])


def asked(tab: Tab, out: Outcome, snapshot: Snapshot) -> list[Part]:
    """Return the lines of a requested snapshot: all of them, a part, or those that match."""
    if snapshot.source is not None and not out.partial:
        return []  # the tool has reported the content
    prefix, wanted = tab.shared.ref_prefix, out.search
    if wanted is not None:
        room = out.snapshot_budget * TOKEN
        return _found(search(render(snapshot, all_refs=True, prefix=prefix, with_empty=True), wanted, room), wanted)
    lines = render(snapshot, all_refs=out.all_refs, prefix=prefix, with_empty=True)
    shown = "\n".join(_levels(lines, sys.maxsize if out.max_depth is None else out.max_depth, whole=out.partial))
    room = out.snapshot_budget * TOKEN * ASKED
    head = "" if out.partial else _page(snapshot)
    if out.max_depth is None and len(shown) > room:
        lines = render(snapshot, all_refs=out.all_refs, prefix=prefix)
        return [_outline(lines, room, head, "browser_snapshot with the ref or selector of a part, or with depth: 100")]
    return [PageText(shown, head)] if shown else [head]


def _found(found: Matches, wanted: Search) -> list[Part]:
    if not found.count:
        return [f"No line of the snapshot has {wanted}."]
    left = found.count - found.shown
    more = f"{left} more lines match. Look for less, or read a part with browser_snapshot." if left else ""
    return [more, PageText("\n".join(map(str, found.lines)))]


def _page(snapshot: Snapshot) -> str:
    return f"Page: {page_line(snapshot.title, snapshot.url)}"


def _within(lines: list[Line], budget: int, head: str) -> PageText:
    text = "\n".join(map(str, lines))
    return PageText(text, head) if len(text) <= budget else _outline(lines, budget, head)


def _outline(lines: list[Line], budget: int, head: str, rest: str = "browser_snapshot") -> PageText:
    """Return an outline within the budget; every line says how much it leaves out."""
    own = f"Outline ({len(lines)} lines in all; the rest: {rest}):"
    return PageText("\n".join(outline(lines, budget)), f"{head}\n{own}" if head else own)


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
