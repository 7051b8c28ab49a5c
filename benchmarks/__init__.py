"""Side-by-side measurements: a tool call against the raw protocol commands that it can't do without."""
