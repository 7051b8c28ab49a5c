"""The toolset ``vision``: eight tools for models that look at pictures (seed 003)."""
