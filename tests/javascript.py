"""Check the page's scripts with TypeScript and Biome from npm: ``python -m tests.javascript``.

``--write`` formats the scripts instead.
"""

import sys
from pathlib import Path

from tests.support.node import fetched

TYPESCRIPT = "typescript@5"
BIOME = "@biomejs/biome@2.6"
SCRIPTS = Path(__file__).parents[1] / "bidi_server" / "page"


def main(arguments: list[str]) -> int:
    """Return the exit code."""
    with fetched(BIOME, "biome") as biome:
        if "--write" in arguments:
            return biome.run("format", "--write", ".", folder=SCRIPTS)
        style = biome.run("check", "--error-on-warnings", ".", folder=SCRIPTS)
    with fetched(TYPESCRIPT, "tsc") as tsc:
        types = tsc.run("--project", str(SCRIPTS))
    print(f"JavaScript: types {'wrong' if types else 'right'}, style and format {'wrong' if style else 'right'}")
    return style or types


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
