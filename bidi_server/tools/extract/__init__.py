"""The toolset ``extract``: sessions, selectors and data as objects (seed 004)."""
