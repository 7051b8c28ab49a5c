"""An outcome as the ``browser`` toolset answers it: text with the fewest tokens that say everything, then pictures."""

from bidi_server.browser.describe import clip
from bidi_server.browser.dialogs import with_article
from bidi_server.browser.diff import diff
from bidi_server.browser.render import Line, render
from bidi_server.browser.settle import Receipt
from bidi_server.browser.snapshot import Snapshot
from bidi_server.browser.tab import Tab
from bidi_server.tools.outcome import Outcome

TOKEN = 4
"""Characters of a token of a large language model, about."""

MAX_ERRORS = 5
"""Console errors that an action's answer quotes."""


def report(out: Outcome) -> str:
    """Return the text of the answer, and remember in the tab what the agent has seen by it."""
    parts: list[str] = list(out.lines)
    tab = out.tab
    if out.receipt is not None and tab is not None:
        parts += caused(out.receipt)
        if out.snapshot_mode == "none":
            parts += [f"Page: {url}" for url in out.receipt.navigated[-1:]]
        elif out.receipt.snapshot is not None:
            parts.append(_state(tab, out, out.receipt.snapshot, moved=bool(out.receipt.navigated)))
    if out.snapshot is not None and tab is not None:
        parts.append(_asked(tab, out))
    return "\n".join(part for part in parts if part)


def caused(receipt: Receipt) -> list[str]:
    """Return what else an action brought about, a line each."""
    lines: list[str] = []
    if receipt.missed:
        lines.append(f"But the pointer met {receipt.missed}: something moved or came in between. Check what happened.")
    for dialog, answer in receipt.answered:
        lines.append(f"{with_article(dialog)} was {'accepted' if answer.accept else 'dismissed'}.")
    if receipt.dialog is not None:
        default = f", default {receipt.dialog.default!r}" if receipt.dialog.default else ""
        lines.append(f"{with_article(receipt.dialog)}{default} is open. Call browser_handle_dialog.")
    if receipt.file_dialog:
        lines.append("A file chooser was opened. Call browser_file_upload.")
    lines += [f"A new tab was opened: {tab.url}. See browser_tabs." for tab in receipt.opened]
    lines += [f"{url} was not opened: --allowed-urls does not allow it." for url in receipt.refused]
    for download in receipt.downloads:
        state = f"saved as {download.path}." if download.path else f"{download.status}."
        lines.append(f"Download {download.name!r}: {f'not saved. {download.missing}' if download.missing else state}")
    if receipt.closed:
        lines.append("The page was closed.")
    if receipt.console:
        lines.append(f"Console errors ({len(receipt.console)}):")
        lines += [f"  {clip(message.headline, 200)}" for message in receipt.console[:MAX_ERRORS]]
    if receipt.cut:
        shown = ", ".join(clip(what) for what in receipt.cut[:3])
        more = f" and {len(receipt.cut) - 3} more" if len(receipt.cut) > 3 else ""
        lines.append(f"Stopped waiting for: {shown}{more}.")
    return lines


def _state(tab: Tab, out: Outcome, snapshot: Snapshot, *, moved: bool) -> str:
    before, budget = tab.seen, out.snapshot_budget * TOKEN
    tab.saw(snapshot)
    prefix = tab.shared.ref_prefix
    after = render(snapshot, prefix=prefix)
    head = _page(snapshot) if moved or before is None else ""
    if before is None or out.snapshot_mode == "full":
        return f"{head or _page(snapshot)}\n{_within(after, budget)}"
    changes = diff(render(before, prefix=prefix), after)
    if not changes:
        return f"{head}\nThe page shows what it showed before." if head else "Nothing changed on the page."
    changed = "\n".join(changes)
    whole = sum(len(str(line)) + 1 for line in after)
    if len(changed) >= whole * 0.8:
        return f"{head or _page(snapshot)}\n{_within(after, budget)}"
    if len(changed) > budget:
        return f"{head or _page(snapshot)}\nMuch changed. {_outline(after, budget)}"
    return f"{head}\nChanges:\n{changed}".strip()


def _asked(tab: Tab, out: Outcome) -> str:
    snapshot = out.snapshot
    if snapshot is None:
        return ""
    lines = render(snapshot, all_refs=out.all_refs, max_depth=out.max_depth, prefix=tab.shared.ref_prefix)
    if out.partial:
        return "\n".join(map(str, lines))
    tab.saw(snapshot)
    return "\n".join([_page(snapshot), *map(str, lines)])


def _page(snapshot: Snapshot) -> str:
    return f"Page: {snapshot.title} {snapshot.url}".replace("  ", " ")


def _within(lines: list[Line], budget: int) -> str:
    text = "\n".join(map(str, lines))
    return text if len(text) <= budget else _outline(lines, budget)


def _outline(lines: list[Line], budget: int) -> str:
    """Return as many levels as the budget allows; every line says how much it leaves out."""
    for depth in range(max(line.depth for line in lines), 0, -1):
        text = "\n".join(_levels(lines, depth))
        if len(text) <= budget:
            return f"Outline ({len(lines)} lines in all; the rest: browser_snapshot):\n{text}"
    return f"The page has {len(lines)} lines: use browser_snapshot with a selector or a depth."


def _levels(lines: list[Line], depth: int) -> list[str]:
    shown: list[str] = []
    inside = 0
    for line in reversed(lines):
        if line.depth > depth:
            inside += 1
            continue
        shown.append(f"{line} (+{inside} lines)" if inside and line.depth == depth else str(line))
        inside = 0
    return shown[::-1]
