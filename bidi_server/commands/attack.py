"""``bidi-server doctor --attack``: attacks on the user's own configuration."""

import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import cast

from bidi_server.attacks.findings import CannotRunError, Finding
from bidi_server.attacks.run import open_run
from bidi_server.commands.terminal import ERR, OUT, seconds
from bidi_server.config import Config

MAX_LINES = 3
"""Maximum number of lines with the same advice. More of them become one line with their names."""


async def attack(config: Config) -> int:
    """Run all attacks and print what got through.

    Return 0 if every promise of the configuration held, 1 if one did not, 2 if the attacks cannot run.
    """
    code = 2
    try:
        code = await _attack(config)
    except* CannotRunError as group:
        for error in leaves(group):
            ERR.print(f"The attacks could not run. {error}", style="red")
    return code


def leaves(group: BaseExceptionGroup[BaseException]) -> Iterator[BaseException]:
    """Yield the exceptions of a group and of the groups in it."""
    for error in group.exceptions:
        if isinstance(error, BaseExceptionGroup):
            yield from leaves(cast("BaseExceptionGroup[BaseException]", error))
        else:
            yield error


async def _attack(config: Config) -> int:
    began = time.perf_counter()
    every: list[Finding] = []
    with tempfile.TemporaryDirectory(prefix="bidi-server-attack-") as folder:
        async with open_run(config, Path(folder)) as run:
            OUT.print(f"Attacks on the server with {run.front.engine}", style="bold")
            for note in run.notes:
                OUT.print(note)
            async for group, findings in run.findings():
                show(group, findings)
                every += findings
    took = seconds(time.perf_counter() - began)
    broken = sum(each.verdict == "broken" for each in every)
    unprotected = sum(each.verdict == "unprotected" for each in every)
    said = f"\n{len(every)} attacks in {took}. {conclusion(broken, unprotected)}"
    OUT.print(said, style="red" if broken else "green")
    return int(broken > 0)


def conclusion(broken: int, unprotected: int) -> str:
    """Return the last sentence of the output."""
    if broken:
        return f"{broken} got through although the configuration forbids it."
    if unprotected:
        return f"Every promise held. The configuration does not forbid {unprotected} of the attacks: see above."
    return "Every promise held."


def show(group: str, findings: Sequence[Finding]) -> None:
    """Print a line about a group, one for each broken promise, and one for each advice about what is not protected."""
    parts = {
        "held": "stopped",
        "broken": "BROKEN",
        "unprotected": "not protected",
        "unsent": "not seen in this browser",
    }
    counts = {verdict: sum(each.verdict == verdict for each in findings) for verdict in parts}
    told = ", ".join(f"{number} {parts[verdict]}" for verdict, number in counts.items() if number)
    OUT.print(f"\n{group}: {len(findings)} attacks: {told}")
    for each in findings:
        if each.verdict == "broken":
            OUT.print(f"  BROKEN: {each.text} {each.advice}", style="red")
    open_ = [each for each in findings if each.verdict == "unprotected"]
    for advice in dict.fromkeys(each.advice for each in open_):
        same = [each for each in open_ if each.advice == advice]
        for each in same[:1] if len(same) > MAX_LINES else same:
            OUT.print(f"  not protected: {each.text} {advice}", style="yellow")
        if len(same) > MAX_LINES:
            OUT.print(f"    The same for {len(same) - 1} more: {', '.join(each.case for each in same[1:])}.")
