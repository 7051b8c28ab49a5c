"""Sessions for the shell: `bidi-server open example.com`, `bidi-server click e1a2b`, `bidi-server close`.

A session lives in a process of its own, which runs the same tools as the MCP server. Each command is a short process
that sends its words there and prints the answer.
"""
