"""The ``browser_*`` tools (seed 000): accessibility refs, Markdown answers."""
