"""``python -m bidi_server``, and the program ``bidi-server``."""

import gc
import sys


def main() -> int:
    """Run the command line and return the exit code."""
    # Imports make objects by the hundred thousand, and all of them stay. Looking for garbage meanwhile is a tenth of
    # the time until a client has its first answer.
    gc.disable()
    # A large snapshot makes as many, and looking for garbage among them after every 700 takes a third of its time.
    gc.set_threshold(20_000)
    try:
        from bidi_server.cli import run
    except KeyboardInterrupt:
        return 130
    return run(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
