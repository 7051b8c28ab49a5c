"""Write the generated parts of the documentation: ``python -m docs.generate``.

``--check`` writes nothing and fails if a part is stale. ``--demo`` also takes the README's transcript and picture anew,
for which it needs a browser and rich.
"""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from bidi_server.commands.options import options
from bidi_server.commands.tools import reference
from docs.seeds import traceability

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
TOOLS = ROOT / "docs" / "tools.md"
SEEDS = ROOT / "docs" / "seeds.md"
PICTURE = ROOT / "docs" / "demo.svg"

EXCERPT = (1, 2, 4, 7, 8)
"""The steps of the demo that the README shows."""

PICTURED = (4, 7)
"""The steps of the demo that its picture shows."""


def option_rows() -> Iterator[str]:
    """Yield the table of options."""
    yield "| option | takes | default | |"
    yield "| --- | --- | --- | --- |"
    for option in options():
        values = option.values.replace("|", " or ")
        default = f"`{option.default}`" if option.default else ""
        yield f"| `{option.flag}` | {values} | {default} | {option.text} |"


def transcript(played: str) -> Iterator[str]:
    """Yield what the README shows of the demo's output."""
    head, *steps, end = played.strip().split("\n\n")
    yield "```text"
    yield from [*head.splitlines(), ""]
    for number in EXCERPT:
        yield from [*steps[number - 1].splitlines(), ""]
    yield from end.splitlines()[:1]
    yield "```"


def play() -> str:
    """Play the demo and return its output. Raises `subprocess.CalledProcessError` if it fails."""
    command = [sys.executable, "-m", "bidi_server", "demo"]
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout


def replaced(text: str, name: str, lines: Iterator[str]) -> str:
    """Return the text with new lines in the marked part."""
    before, begin, rest = text.partition(f"<!-- {name} -->\n")
    _, end, after = rest.partition(f"<!-- /{name} -->\n")
    return before + begin + "".join(f"{line}\n" for line in lines) + end + after


def generated(*, demo: bool = False) -> dict[Path, str]:
    """Return what the files should be."""
    readme = replaced(README.read_text("utf-8"), "options", option_rows())
    files: dict[Path, str] = {}
    if demo:
        from docs.picture import terminal

        played = play()
        readme = replaced(readme, "demo", transcript(played))
        steps = played.strip().split("\n\n")
        files[PICTURE] = terminal("\n\n".join(steps[number] for number in PICTURED).splitlines())
    files |= {README: readme, TOOLS: "\n".join(reference()) + "\n", SEEDS: "\n".join(traceability()) + "\n"}
    return files


def main(arguments: list[str]) -> int:
    """Write or check; return the exit code."""
    files = generated(demo="--demo" in arguments)
    stale = [path for path, text in files.items() if not path.exists() or path.read_text("utf-8") != text]
    for path in stale:
        name = path.relative_to(ROOT)
        if "--check" in arguments:
            print(f"{name} is stale. Run: python -m docs.generate")
        else:
            path.write_text(files[path], "utf-8")
            print(f"wrote {name}")
    return 1 if stale and "--check" in arguments else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
