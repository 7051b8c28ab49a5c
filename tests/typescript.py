"""Check the types of the page's scripts with TypeScript: ``python -m tests.typescript``.

Where TypeScript can't be had from npm the check is skipped, and says so.
"""

import subprocess
import sys
from pathlib import Path

from tests.node import npx

PACKAGE = "typescript@5"
SCRIPTS = Path(__file__).parents[1] / "bidi_server" / "page"


def main() -> int:
    """Return the exit code."""
    command, environment = npx()
    if not command:
        print("types of JavaScript: skipped, there is no npx")
        return 0
    tsc = [*command, "--yes", "--package", PACKAGE, "tsc"]
    fetched = subprocess.run([*tsc, "--version"], capture_output=True, text=True, check=False, env=environment)
    if fetched.returncode:
        print(f"types of JavaScript: skipped, npx can't get {PACKAGE}: {fetched.stderr.strip()}")
        return 0
    code = subprocess.run([*tsc, "--project", str(SCRIPTS)], check=False, env=environment).returncode
    print(f"types of JavaScript: {'wrong' if code else 'all right'} ({fetched.stdout.strip()})")
    return code


if __name__ == "__main__":
    sys.exit(main())
