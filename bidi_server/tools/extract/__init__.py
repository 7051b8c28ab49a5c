"""The toolset ``extract``: sessions, selectors and data as objects (seed 004)."""

INSTRUCTIONS = (
    "Drives a real browser and returns data. Start with create_browser_session, then navigate; pass selectors to the "
    "tools that act and extract. End with close_browser_session."
)
