"""What ``bidi-server COMMAND`` does. A module is imported when its command is given."""


class UsageError(Exception):
    """The command line can't be understood; the message is one line that says what fits."""
