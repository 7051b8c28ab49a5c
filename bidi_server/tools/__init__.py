"""Toolsets. A tool is a model of its parameters; running it calls the operations in ``browser/``."""
