"""The scenarios of the specifications, the tests that prove them, and where they hold: `docs/seeds.md`.

A scenario is a line of ``tests/seeds/NNN_name.txt``; its tests are in ``tests/seeds/test_NNN_name.py`` and are named
after it, with a double underscore before what a further test adds. Gaps are in ``tests/expect/BROWSER.txt``.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from tests.expect import BROWSERS, expected

FOLDER = Path(__file__).parents[1] / "tests" / "seeds"


def scenarios(file: Path) -> Iterator[tuple[str, str]]:
    """Yield requirement and scenario."""
    requirement = ""
    for line in file.read_text("utf-8").splitlines():
        if line.startswith("# "):
            requirement = line.removeprefix("# ")
        elif line:
            yield requirement, line


def slug(scenario: str) -> str:
    """Return the name of a scenario's test: ``test_click_element``."""
    return "test_" + re.sub(r"\W+", "_", scenario.lower()).strip("_")


def names_of_tests(module: Path) -> list[str]:
    """Return the names of a module's tests, in their order."""
    body = ast.parse(module.read_text("utf-8")).body
    functions = [node.name for node in body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    return [name for name in functions if name.startswith("test_")]


def proofs(file: Path) -> dict[str, list[str]]:
    """Return for each scenario of a file the tests that prove it."""
    names = names_of_tests(file.with_name(f"test_{file.stem}.py"))
    return {
        scenario: [name for name in names if name.partition("__")[0] == slug(scenario)]
        for _, scenario in scenarios(file)
    }


def traceability() -> Iterator[str]:
    """Yield the lines of the table."""
    yield "# Scenarios"
    yield ""
    yield "Every scenario of the specifications, the tests that prove it through an MCP client, and where it holds."
    for file in sorted(FOLDER.glob("*.txt")):
        module = f"tests/seeds/test_{file.stem}.py"
        number, _, name = file.stem.partition("_")
        yield ""
        yield f"## Seed {number}: {name.replace('_', ' ')}"
        yield ""
        yield f"Tests are in [{Path(module).name}](../{module})."
        proved = proofs(file)
        above = ""
        for requirement, scenario in scenarios(file):
            if requirement != above:
                above = requirement
                yield ""
                yield f"### {requirement}"
                yield ""
                yield f"| scenario | test | {' | '.join(BROWSERS)} |"
                yield f"| --- | --- | {' | '.join('---' for _ in BROWSERS)} |"
            tests = proved[scenario]
            where = " | ".join(_holds(browser, module, tests) for browser in BROWSERS)
            yield f"| {scenario} | {', '.join(f'`{test}`' for test in tests) or 'none'} | {where} |"


def _holds(browser: str, module: str, tests: list[str]) -> str:
    found = [gap for test in tests for name, gap in expected(browser).items() if name.startswith(f"{module}::{test}")]
    everywhere = [gap.reason for gap in found if not gap.without and not gap.may_pass]
    in_some = [f"without `{gap.without}`: {gap.reason}" for gap in found if gap.without]
    at_times = [f"not always: {gap.reason}" for gap in found if gap.may_pass]
    holds = [] if everywhere else ["yes" if tests else "no test"]
    return "; ".join(dict.fromkeys(holds + everywhere + in_some + at_times))
