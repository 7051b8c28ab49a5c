"""Implementations of ``bidi-server COMMAND``. A module is imported only when its command is given."""


class UsageError(Exception):
    """The command line is invalid; the message is one line that says what is valid."""
