"""Sets of tools. A tool is its parameters; running it calls the operations in ``browser/``."""
