"""Check the types of the page's scripts with TypeScript: ``python -m tests.typescript``.

Where TypeScript can't be had from npm the check is skipped, and says so.
"""

import sys
from pathlib import Path

from tests.node import fetched

PACKAGE = "typescript@5"
SCRIPTS = Path(__file__).parents[1] / "bidi_server" / "page"


def main() -> int:
    """Return the exit code."""
    with fetched(PACKAGE, "tsc") as tsc:
        if tsc is None:
            return 0
        code = tsc.run("--project", str(SCRIPTS))
        print(f"types of JavaScript: {'wrong' if code else 'all right'}")
        return code


if __name__ == "__main__":
    sys.exit(main())
