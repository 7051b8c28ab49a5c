"""bidi-server: an MCP server that drives real browsers over W3C WebDriver BiDi."""

__version__ = "0.1.0"
