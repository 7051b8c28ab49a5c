"""The measured figures as Markdown."""

import statistics
from collections.abc import Callable, Mapping, Sequence

from benchmarks.measure import Cost, Figure, Figures
from benchmarks.peers import BARE
from benchmarks.subjects import Shown

OURS = "bidi-server-"
FLOOR = "raw-bidi-"
"""Prefixes of the names of our server and of the floor; the browser's name follows."""

MARKS: dict[Shown, str] = {"yes": "", "in a file": " ‡", "no": " †"}


def tables(figures: Figures, costs: Mapping[str, Cost]) -> str:
    """Return all tables. Rows and columns are in the order of the figures."""
    names = list(costs)
    parts = [
        ("Median, ms", _cells(figures, names, _median)),
        ("95th percentile, ms", _cells(figures, names, lambda figure: _milliseconds(p95(figure.ms)))),
        ("Size and memory of the servers, without browsers and drivers", _costs(figures, costs)),
        ("Processor time of the server for a call, ms", _cells(figures, names, _cpu)),
        ("Ratios of medians", _ratios(figures, names)),
    ]
    text = "\n\n".join(f"### {title}\n\n{_table(*rows)}" for title, rows in parts if rows[1])
    text += "\n\n† The answer does not show the effect of the action. ‡ A file named in the answer shows it."
    errors = [
        f"* {name}, {operation}: {figure.error}"
        for operation, row in figures.items()
        for name, figure in row.items()
        if figure.error
    ]
    return "\n\n".join([text, *(["Failures:", "\n".join(errors)] if errors else [])])


def p50(values: Sequence[float]) -> float:
    """Return the median."""
    return statistics.median(values)


def p95(values: Sequence[float]) -> float:
    """Return the 95th percentile, interpolated within the measured values."""
    return statistics.quantiles(values, n=20, method="inclusive")[-1] if len(values) > 1 else values[0]


Rows = tuple[list[str], list[list[str]]]
"""The header and the rows of a table. The first column is text."""


def _table(head: list[str], rows: list[list[str]]) -> str:
    lines = [head, ["---", *["---:"] * (len(head) - 1)], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _cells(figures: Figures, names: Sequence[str], show: Callable[[Figure], str]) -> Rows:
    """Return a row for each name and a column for each operation, without empty ones."""
    cells = {
        operation: [show(row[name]) if _measured(row, name) else "" for name in names]
        for operation, row in figures.items()
    }
    cells = {operation: column for operation, column in cells.items() if any(column)}
    rows = [[name, *row] for name, row in zip(names, zip(*cells.values(), strict=True), strict=bool(cells))]
    return ["", *cells], [row for row in rows if any(row[1:])]


def _median(figure: Figure) -> str:
    return _milliseconds(p50(figure.ms)) + MARKS[figure.shown]


def _cpu(figure: Figure) -> str:
    return _milliseconds(statistics.mean(figure.cpu_ms)) if figure.cpu_ms else ""


def _milliseconds(value: float) -> str:
    return f"{value:.1f}" if value < 100 else f"{value:.0f}"


def _costs(figures: Figures, costs: Mapping[str, Cost]) -> Rows:
    snapshots = [operation for operation in figures if operation.startswith("snapshot")]
    head = [
        "",
        "tools",
        "bytes of tools/list",
        "MiB at first",
        "MiB in the end",
        *(f"bytes of {name}" for name in snapshots),
    ]
    rows: list[list[str]] = []
    for name, cost in costs.items():
        sizes = [figures[operation].get(name, Figure()).size for operation in snapshots]
        numbers = [cost.tools, cost.tools_bytes if cost.tools else 0, cost.start_mib, cost.end_mib, *sizes]
        rows.append([name, *(f"{number:,.{isinstance(number, float):d}f}" if number else "" for number in numbers)])
    return head, [row for row in rows if any(row[1:])]


def _ratios(figures: Figures, names: Sequence[str]) -> Rows:
    """Compare ours in each browser with the floors, with the fastest peer, and with the fastest that shows effects."""
    peers = [name for name in names if not name.startswith((OURS, FLOOR, BARE.name))]
    rows: list[list[str]] = []
    for name in names:
        if name.startswith(OURS):
            others = {
                "floor": [FLOOR + name.removeprefix(OURS)],
                "bare MCP SDK": [BARE.name],
                "fastest peer": peers,
                "fastest peer that shows the effect": peers,
            }
            for title, rivals in others.items():
                cells = [_ratio(row, name, rivals, shown="shows" in title) for row in figures.values()]
                rows.append([f"{name} ÷ {title}", *cells])
    return ["", *figures], [row for row in rows if any(row[1:])]


def _ratio(row: Mapping[str, Figure], name: str, rivals: Sequence[str], *, shown: bool) -> str:
    medians = [
        p50(row[rival].ms) for rival in rivals if _measured(row, rival) and (row[rival].shown != "no" or not shown)
    ]
    return f"{p50(row[name].ms) / min(medians):.2f}" if _measured(row, name) and medians else ""


def _measured(row: Mapping[str, Figure], name: str) -> bool:
    return name in row and bool(row[name].ms) and not row[name].error
