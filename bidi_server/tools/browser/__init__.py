"""The ``browser_*`` tools (seed 000): accessibility refs, Markdown answers."""

INSTRUCTIONS = (
    "Drives a real browser. Start with browser_navigate; act on elements by the refs of its snapshot. "
    "Each action answers with what it changed, so a new browser_snapshot is rarely needed. "
    "tab, an index of browser_tabs, selects that tab before the call."
)
