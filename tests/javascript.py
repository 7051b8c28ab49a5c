"""Check the page's scripts with TypeScript and Biome from npm, and the compact form in which browsers get them.

    python -m tests.javascript

``--write`` formats the scripts instead.
"""

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from bidi_server.page import compact
from tests.support.node import NodeProgram, fetched

TYPESCRIPT = "typescript@5"
BIOME = "@biomejs/biome@2.6"
SAME_PROGRAM = Path(__file__).parent / "support" / "same_program.js"
SCRIPTS = Path(__file__).parents[1] / "bidi_server" / "page"


def main(arguments: list[str]) -> int:
    """Return the exit code."""
    with fetched(BIOME, "biome") as biome:
        if "--write" in arguments:
            return biome.run("format", "--write", ".", folder=SCRIPTS)
        style = biome.run("check", "--error-on-warnings", ".", folder=SCRIPTS)
    with fetched(TYPESCRIPT, "tsc") as tsc:
        types = tsc.run("--project", str(SCRIPTS))
        programs = _compare(tsc)
    print(
        f"JavaScript: types {'wrong' if types else 'right'}, style and format {'wrong' if style else 'right'}, "
        f"compact form {'wrong' if programs else 'right'}"
    )
    return style or types or programs


def _compare(tsc: NodeProgram) -> int:
    """Return 0 if the compact form of each script is the same program as the script, else 1."""
    with TemporaryDirectory() as folder:
        pairs: list[str] = []
        for number, script in enumerate(sorted(SCRIPTS.rglob("*.js"))):
            short = Path(folder, f"{number}.js")
            short.write_text(compact(script.read_text("utf-8")), "utf-8")
            pairs += [str(script), str(short)]
        node, program = tsc.command
        typescript = Path(program).parents[1] / "lib" / "typescript.js"
        return NodeProgram([node, str(SAME_PROGRAM)]).run(str(typescript), *pairs)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
