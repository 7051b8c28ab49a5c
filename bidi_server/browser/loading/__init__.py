"""The load of a document: its request, its subresources, and the parts that are unfinished."""
