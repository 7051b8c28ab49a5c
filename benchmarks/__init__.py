"""Side-by-side measurements: tool calls of several servers against the raw protocol commands they need."""
