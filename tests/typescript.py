"""Check the types of the page's scripts with TypeScript from npm: ``python -m tests.typescript``."""

import sys
from pathlib import Path

from tests.support.node import fetched

PACKAGE = "typescript@5"
SCRIPTS = Path(__file__).parents[1] / "bidi_server" / "page"


def main() -> int:
    """Return the exit code."""
    with fetched(PACKAGE, "tsc") as tsc:
        code = tsc.run("--project", str(SCRIPTS))
        print(f"types of JavaScript: {'wrong' if code else 'all right'}")
        return code


if __name__ == "__main__":
    sys.exit(main())
