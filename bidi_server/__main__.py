"""``python -m bidi_server``, and the program ``bidi-server``."""

import gc
import sys


def main() -> int:
    """Run the command line and return the exit code."""
    # Imports make objects by the hundred thousand, and all of them stay. Looking for garbage meanwhile is a tenth of
    # the time until a client has its first answer.
    gc.disable()
    from bidi_server.cli import run

    return run(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
