"""Write the generated parts of the documentation: ``python -m docs.generate``.

``--check`` writes nothing and fails if a part is stale. ``--demo`` also takes the README's transcript and picture anew,
for which it needs a browser and rich.
"""

import json
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Iterator
from datetime import date
from pathlib import Path
from textwrap import wrap
from typing import get_args

from pydantic import BaseModel

from bidi_server.classic.commands import HANDLERS
from bidi_server.commands.doctor import known_commands
from bidi_server.commands.options import options
from bidi_server.commands.tools import reference
from bidi_server.config import Capability
from bidi_server.plan.plan_file import parse, schema
from bidi_server.plan.pytest_code import export_pytest
from bidi_server.server import describe
from bidi_server.tools.base import offered
from docs.seeds import traceability

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
TOOLS = ROOT / "docs" / "tools.md"
WEBKIT = ROOT / "docs" / "webkit.md"
SEEDS = ROOT / "docs" / "seeds.md"
COMPARISON = ROOT / "docs" / "comparison.toml"
PICTURE = ROOT / "docs" / "demo.svg"
PLAN = ROOT / "docs" / "example" / "shop.json"
PLAN_SCHEMA = ROOT / "docs" / "plan.schema.json"

EXCERPT = (1, 2, 4, 7, 8)
"""The steps of the demo that the README shows."""

PICTURED = (4, 7)
"""The steps of the demo that its picture shows."""


class Peer(BaseModel):
    """Another server, and the answers to tools/list of its packages, by default and with everything enabled."""

    name: str
    link: str
    packages: list[str]
    tools: tuple[int, int]
    bytes: tuple[int, int]


class Row(BaseModel):
    """A row of the comparison: a text for this server and one for each peer, and reasons for what is missing here."""

    what: str
    ours: str
    peers: dict[str, str]
    missing: list[str] = []


class Comparison(BaseModel):
    """The content of `COMPARISON`."""

    compared: date
    peers: dict[str, Peer]
    rows: list[Row]


def comparison() -> Comparison:
    """Read the comparison with other servers."""
    return Comparison.model_validate(tomllib.loads(COMPARISON.read_text("utf-8")))


def comparison_rows() -> Iterator[str]:
    """Yield the table of the comparison, its versions, and the reasons for what is missing here."""
    compared = comparison()
    peers = compared.peers
    yield _row("", "bidi-server", *(f"[{peer.name}]({peer.link})" for peer in peers.values()))
    yield _row(*["---"] * (len(peers) + 2))
    for row in compared.rows:
        yield _row(row.what, row.ours, *(row.peers[peer] for peer in peers))
    default, everything = _size([]), _size(get_args(Capability))
    ours = _sizes((default[0], everything[0]), (default[1], everything[1]))
    yield _row(
        "tools and their kB, by default; in all", ours, *(_sizes(peer.tools, peer.bytes) for peer in peers.values())
    )
    yield ""
    packages = ", ".join(package for peer in peers.values() for package in peer.packages)
    yield from _wrapped(
        f"Compared on {compared.compared}: {packages}. What needs an option, such as `--caps`, counts in every column. "
        "A question mark: not found in the package."
    )
    yield ""
    yield "What others have and bidi-server does not have:"
    yield ""
    for row in compared.rows:
        for reason in row.missing:
            yield from _wrapped(f"* {reason}", indent="  ")


def _row(*cells: str) -> str:
    return "| " + " | ".join(cells) + " |"


def _wrapped(text: str, indent: str = "") -> list[str]:
    return wrap(text, 130, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


def _size(capabilities: Iterable[str]) -> tuple[int, int]:
    """Return the number of tools of the default toolset with these capabilities, and the bytes of their listing."""
    listed = [describe(tool) for tool in offered(["browser"], capabilities).values()]
    return len(listed), sum(len(tool.model_dump_json(by_alias=True, exclude_none=True).encode()) for tool in listed)


def _sizes(tools: tuple[int, int], sizes: tuple[int, int]) -> str:
    default, everything = (f"{number}, {size / 1000:.0f} kB" for number, size in zip(tools, sizes, strict=True))
    return default if default == everything else f"{default}; {everything}"


def option_rows() -> Iterator[str]:
    """Yield the table of options."""
    yield "| option | takes | default | |"
    yield "| --- | --- | --- | --- |"
    for option in options():
        values = option.values.replace("|", " or ")
        default = f"`{option.default}`" if option.default else ""
        yield f"| `{option.flag}` | {values} | {default} | {option.text} |"


WORD = "k7w2mpd"
"""The word for texts of pages in the README: see `bidi_server.fence`."""


def transcript(played: str) -> Iterator[str]:
    """Yield what the README shows of the demo's output, with the same word for texts of pages each time."""
    word = re.search(r"^  Page ([a-z2-9]{7}):", played, re.MULTILINE)
    played = played.replace(word[1], WORD) if word else played
    head, *steps, end = played.strip().split("\n\n")
    yield "```text"
    yield from [*head.splitlines(), ""]
    for number in EXCERPT:
        yield from [*steps[number - 1].splitlines(), ""]
    yield from end.splitlines()[:1]
    yield "```"


def exported_test() -> Iterator[str]:
    """Yield the test that is exported from the example's plan, as a block of Markdown."""
    files = export_pytest(parse(PLAN.read_bytes())).files
    yield "```python"
    yield from next(text for name, text in files.items() if name.startswith("test_")).splitlines()
    yield "```"


def classic_commands() -> Iterator[str]:
    """Yield the page about WebKit: the commands of WebDriver BiDi that the mapper executes, and those it does not."""
    yield "# WebKit through classic WebDriver"
    yield ""
    yield from wrap(
        "WebKitWebDriver, WPEWebDriver and safaridriver only speak classic WebDriver. bidi-server maps the commands of "
        "WebDriver BiDi to it, in `bidi_server/classic/`. Console messages, errors and requests are recorded by a "
        "script in the page. In a WebKitGTK that we start it runs before the scripts of the page: through the "
        "inspector server by which the driver drives the browser, which also tells the HTTP statuses of documents. "
        "Elsewhere (on a Grid, behind `--endpoint`, in Safari) it runs at our first contact: what scripts did before "
        "is missing, listeners that they added too, and requests that they made have the method `?`. Requests to "
        "images, scripts and style sheets are read from the Performance timeline.",
        120,
        break_on_hyphens=False,
    )
    yield ""
    yield from wrap(
        "The driver does not report new windows. Our script in the page sees what asks for one (links, forms, "
        "`window.open`) and its URL, and only then an action asks the driver for its windows. It knew the new one at "
        "once or within 220 ms, and gets 1 s.",
        120,
        break_on_hyphens=False,
    )
    yield ""
    yield from wrap(
        "Tested is WebKitGTK 2.50 with its MiniBrowser, on a private display of Xvfb, where each window has the focus. "
        "WPE is started with cog, which needs no display; 2.38, which Debian 12 has, is too old. Safari is found on "
        "macOS. `--driver` and `--executable` name others.",
        120,
        break_on_hyphens=False,
    )
    yield ""
    yield from wrap(
        '`--grid-url` and `--endpoint` reach such drivers too, of Safari with `{"browserName": "safari"}` in the file '
        "of `--grid-capabilities`. A driver that offers WebDriver BiDi is not mapped. A Grid has no configuration for "
        "WebKitGTK, and relays to a driver that is started beside its node (`WebKitWebDriver --port=4445`, with "
        "`DISPLAY` set):",
        120,
        break_on_hyphens=False,
    )
    yield from ("", "```toml", "[relay]", 'url = "http://127.0.0.1:4445"', 'status-endpoint = "/status"')
    yield 'configs = ["1", \'{"browserName": "MiniBrowser", "platformName": "linux"}\']'
    yield from ("```", "")
    yield from wrap(
        "Each isolated context takes a slot of the Grid. Uploads are sent to the node; downloads are not reported.", 120
    )
    yield ""
    yield "| command | how |"
    yield "| --- | --- |"
    missing: list[str] = []
    for command in sorted(known_commands(), key=lambda command: command.method):
        handler = HANDLERS.get(command.method)
        if handler is None:
            missing.append(f"`{command.method}`")
        else:
            yield _row(f"`{command.method}`", (handler.__doc__ or "").strip())
    yield ""
    yield from wrap(f"These commands answer `unsupported operation`: {', '.join(missing)}.", 120)


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
    readme = replaced(README.read_text("utf-8"), "comparison", comparison_rows())
    readme = replaced(readme, "options", option_rows())
    readme = replaced(readme, "test", exported_test())
    files: dict[Path, str] = {PLAN_SCHEMA: f"{json.dumps(schema(), indent=2)}\n"}
    if demo:
        from docs.picture import terminal

        played = play()
        readme = replaced(readme, "demo", transcript(played))
        steps = played.strip().split("\n\n")
        files[PICTURE] = terminal("\n\n".join(steps[number] for number in PICTURED).splitlines())
    files |= {README: readme, TOOLS: "\n".join(reference()) + "\n", SEEDS: "\n".join(traceability()) + "\n"}
    files[WEBKIT] = "\n".join(classic_commands()) + "\n"
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
