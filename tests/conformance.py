"""Run the official conformance suite against the server over HTTP: ``python -m tests.conformance``.

The server also has the tools, resources and prompts that the suite asks for: `tests.support.conformance_server`.
``tests/expect/conformance.yml`` names the scenarios that don't apply, and why. The suite fails for any other one that
fails, and for one of these that passes.
https://github.com/modelcontextprotocol/conformance
"""

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.support.fronts import open_front
from tests.support.node import fetched

PACKAGE = "@modelcontextprotocol/conformance@0.1"
SERVER = "tests.support.conformance_server"
EXPECTED = Path(__file__).parent / "expect" / "conformance.yml"


def main() -> int:
    """Return the exit code."""
    with (
        fetched(PACKAGE, "conformance") as suite,
        TemporaryDirectory() as folder,
        open_front(Path(folder), module=SERVER) as front,
    ):
        return suite.run("server", "--url", front.url, "--expected-failures", str(EXPECTED))


if __name__ == "__main__":
    sys.exit(main())
