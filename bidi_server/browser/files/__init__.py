"""Files that the server writes, reads and lets clients read."""
