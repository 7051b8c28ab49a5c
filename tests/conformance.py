"""Run the official conformance suite against the server over HTTP: ``python -m tests.conformance``.

``tests/expect/conformance.yml`` names the scenarios that don't apply, and why. The suite fails for any other one that
fails, and for one of these that passes. Where it can't be had from npm it is skipped, and says so.
https://github.com/modelcontextprotocol/conformance
"""

import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.fronts import open_front
from tests.node import npx

PACKAGE = "@modelcontextprotocol/conformance@0.1"
EXPECTED = Path(__file__).parent / "expect" / "conformance.yml"


def main() -> int:
    """Return the exit code."""
    command, environment = npx()
    if not command:
        print("conformance: skipped, there is no npx")
        return 0
    suite = [*command, "--yes", "--package", PACKAGE, "conformance"]
    fetched = subprocess.run([*suite, "--version"], capture_output=True, text=True, check=False, env=environment)
    if fetched.returncode:
        print(f"conformance: skipped, npx can't get {PACKAGE}: {fetched.stderr.strip()[-500:]}")
        return 0
    with TemporaryDirectory() as folder, open_front(Path(folder)) as front:
        arguments = ["server", "--url", front.url, "--expected-failures", str(EXPECTED)]
        return subprocess.run([*suite, *arguments], check=False, env=environment, cwd=folder).returncode


if __name__ == "__main__":
    sys.exit(main())
