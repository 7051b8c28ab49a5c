"""The toolset ``vision``: eight tools for models with vision (seed 003)."""
