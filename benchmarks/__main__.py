"""``python -m benchmarks [--browser firefox] [--rounds 30]``: medians, and their ratio to the floor of the same run.

The floor of an operation is the least that the protocol needs for it, sent over the same connection to the same page:
a click is one question where the element is, and one ``input.performActions``. Tool calls and floor take turns, so
that both meet the same machine. Read ratios; absolute times move with the machine.
"""

import argparse
import statistics
import tempfile
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path

import trio
from mcp.client import Client

from benchmarks.floor import Floor
from benchmarks.servers import call
from benchmarks.startup import start_up
from bidi_server.browser.browsers import Browsers
from bidi_server.browser.sessions import Sessions
from bidi_server.browser.tab import Tab
from bidi_server.config import Config
from bidi_server.server import make_server
from fixtures.site import Site, open_site

Step = Callable[[], Awaitable[object]]

WARM_UP = 3


@dataclass
class Figure:
    """Seconds that one operation took, through the tool and at the floor, and what else was counted."""

    name: str
    tool: list[float] = field(default_factory=list[float])
    floor: list[float] = field(default_factory=list[float])
    commands: int = 0
    size: int = 0


@dataclass
class Bench:
    """One client with one tab."""

    client: Client
    tab: Tab
    site: Site
    rounds: int

    async def call(self, tool: str, **arguments: object) -> str:
        """Call a tool and return its text. A failed call ends the benchmark."""
        return await call(self.client, tool, **arguments)

    async def measure(
        self, name: str, tool: Callable[[], Awaitable[str]], floor: Step, before: Step | None = None
    ) -> Figure:
        """Run the tool and its floor in turn. ``before`` prepares the page and is not counted."""
        figure = Figure(name)
        connection = self.tab.connection
        for index in range(self.rounds + WARM_UP):
            times: list[float] = []
            for step in (tool, floor):
                if before is not None:
                    await before()
                sent, start = connection.commands_sent, time.perf_counter()
                answer = await step()
                times.append(time.perf_counter() - start)
                if step is tool:
                    figure.commands = connection.commands_sent - sent
                    figure.size = len(str(answer))
            if index >= WARM_UP:
                figure.tool.append(times[0])
                figure.floor.append(times[1])
        return figure


async def run(browser: str, rounds: int) -> list[Figure]:
    """Measure every operation in one browser."""
    with tempfile.TemporaryDirectory() as folder:
        config = Config.model_validate({"browser": browser, "screenshot_dir": Path(folder)})
        async with open_site() as site, trio.open_nursery() as nursery:
            browsers = Browsers(nursery)
            sessions = Sessions(config, browsers)
            try:
                async with Client(make_server(config, sessions)) as client:
                    await client.call_tool("browser_navigate", {"url": site.url_for("/form")})
                    tab = next(iter(browsers.running)).tabs[0]
                    figures = await operations(Bench(client, tab, site, rounds))
            finally:
                with trio.CancelScope(shield=True):
                    await browsers.aclose()
            nursery.cancel_scope.cancel()
    return figures


async def operations(bench: Bench) -> list[Figure]:
    """Measure the operations that an agent's work is made of."""
    site, call, floor = bench.site, bench.call, Floor(bench.tab)
    figures: list[Figure] = []

    def page(path: str) -> Step:
        return lambda: floor.navigate(site.url_for(path))

    form = site.url_for("/form")
    figures.append(
        await bench.measure("navigate (form)", lambda: call("browser_navigate", url=form), lambda: floor.navigate(form))
    )
    for label, path in (
        ("form", "/form"),
        ("table, 100 rows", "/table/100"),
        ("1,000", "/nodes/1000"),
        ("10,000", "/nodes/10000"),
    ):
        await page(path)()
        figures.append(await bench.measure(f"snapshot ({label})", lambda: call("browser_snapshot"), floor.walk))
    await page("/clickable")()
    button = site.html("<button onclick='out.textContent = Date.now()'>Go</button><p id=out>-</p>")
    await call("browser_navigate", url=button)
    figures.append(
        await bench.measure("click", lambda: call("browser_click", selector="button"), lambda: floor.click("button"))
    )
    link = site.html("<a href='/form'>Go</a>")
    figures.append(
        await bench.measure(
            "click + navigation",
            lambda: call("browser_click", selector="a"),
            lambda: floor.click_through("a"),
            before=lambda: floor.navigate(link),
        )
    )
    field_page = site.html("<input aria-label=Name>")
    figures.append(
        await bench.measure(
            "type 20 characters",
            lambda: call("browser_type", selector="input", text="abcdefghij0123456789", clear=True),
            lambda: floor.type("input", "abcdefghij0123456789"),
            before=lambda: floor.navigate(field_page),
        )
    )
    figures.append(
        await bench.measure(
            "evaluate", lambda: call("browser_evaluate", function="() => 1 + 1"), lambda: floor.evaluate("1 + 1")
        )
    )
    await page("/form")()
    figures.append(await bench.measure("screenshot", lambda: call("browser_take_screenshot"), floor.screenshot))
    return figures


def table(browser: str, figures: list[Figure]) -> str:
    """Return the figures as Markdown."""
    lines = [
        f"### {browser}",
        "",
        "| operation | tool, ms | p95 | floor, ms | ratio | commands | answer, bytes |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for figure in figures:
        tool, floor = statistics.median(figure.tool), statistics.median(figure.floor)
        p95 = statistics.quantiles(figure.tool, n=20)[-1]
        lines.append(
            f"| {figure.name} | {tool * 1000:.1f} | {p95 * 1000:.1f} | {floor * 1000:.1f} | {tool / floor:.2f}"
            f" | {figure.commands} | {figure.size} |"
        )
    return "\n".join(lines)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--browser", choices=["chromium", "firefox"], action="append")
    parser.add_argument("--rounds", type=int, default=30)
    arguments = parser.parse_args()
    for browser in arguments.browser or ["chromium", "firefox"]:
        print(table(browser, trio.run(run, browser, arguments.rounds)), end="\n\n", flush=True)
    print(start_up(min(arguments.rounds, 10)))


if __name__ == "__main__":
    main()
