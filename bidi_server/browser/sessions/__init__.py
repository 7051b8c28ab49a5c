"""Sessions of clients, and what outlives a server."""
