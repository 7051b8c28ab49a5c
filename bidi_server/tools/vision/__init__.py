"""The toolset ``vision``: eight tools for models with vision (seed 003)."""

INSTRUCTIONS = "Drives a real browser by what it shows. Start with browser.navigate, then look at browser.screenshot."
