"""The picture of the README: a transcript as a terminal shows it, as SVG."""

from collections.abc import Iterable
from io import StringIO

from rich.console import Console
from rich.terminal_theme import DIMMED_MONOKAI
from rich.text import Text

WIDTH = 110
"""Columns of the terminal."""

_STYLES = {"  +": "green", "  -  ": "red", "  ~": "yellow", "browser_": "bold cyan", "  …": "dim"}
"""Styles of lines, by their start."""


def terminal(lines: Iterable[str]) -> str:
    """Return an SVG of lines of text, coloured by what they are. It loads no font from elsewhere."""
    console = Console(record=True, width=WIDTH, file=StringIO(), force_terminal=True)
    for line in lines:
        style = next((style for start, style in _STYLES.items() if line.startswith(start)), "")
        step = line[:3].strip().removesuffix(".").isdecimal()
        console.print(Text(line, "bold" if step else style), soft_wrap=False, no_wrap=True, overflow="ellipsis")
    svg = console.export_svg(title="bidi-server demo", theme=DIMMED_MONOKAI, unique_id="demo")
    head, _, rest = svg.partition("@font-face")
    return head + rest[rest.index(".demo-matrix") :] if rest else svg
