"""Sessions of clients, including those that outlive a server."""
