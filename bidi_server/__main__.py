"""Entry point of ``python -m bidi_server`` and of the program ``bidi-server``."""

import gc
import sys
from contextlib import suppress


def main() -> int:
    """Run the command line and return the exit code."""
    # Imports create hundreds of thousands of objects that are never freed. Garbage collection meanwhile would take a
    # tenth of the time until a client has its first answer.
    gc.disable()
    # A large snapshot creates as many objects. Collecting after every 700 of them takes a third of its time.
    gc.set_threshold(20_000)
    arguments = sys.argv[1:]
    try:
        from bidi_server.shell import client

        if client.is_of_session(arguments) and not client.asks_for_help(arguments):
            with suppress(client.NotOpenError):
                return client.run(arguments)
        from bidi_server.cli import run
    except KeyboardInterrupt:
        return 130
    return run(arguments)


if __name__ == "__main__":
    sys.exit(main())
