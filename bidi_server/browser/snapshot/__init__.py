"""Accessibility snapshots: taken from the page's script, rendered, outlined and compared."""
