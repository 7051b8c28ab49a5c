"""The stdio transport: one client, which starts the server."""
