"""The icon of the server, for clients that show one."""

import base64

import mcp_types as types

_SVG = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 48 48" fill="none" stroke-width="3" stroke-linecap="round" '
    'stroke-linejoin="round"><rect x="4" y="7" width="40" height="34" rx="5" fill="#fff" stroke="#246"/>'
    '<path d="M4 16h40" stroke="#246"/><path d="M12 25h22l-5-4M36 33H14l5 4" stroke="#06c"/></svg>'
)
"""A window of a browser, in which one arrow goes each way."""


def icon() -> types.Icon:
    """Return the icon, as a ``data:`` URL: a client needs no network to show it."""
    data = base64.b64encode(_SVG.encode()).decode()
    return types.Icon(src=f"data:image/svg+xml;base64,{data}", mime_type="image/svg+xml", sizes=["any"])
