"""The load of a document: its request, its parts, and what is unfinished."""
