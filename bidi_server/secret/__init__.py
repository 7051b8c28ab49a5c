"""Secrets of the user: values that tools enter for an agent that never sees them (``--secrets``)."""
