"""Tests from the steps of a session."""

import os
from collections.abc import Iterator
from json import dumps
from pathlib import PurePath
from typing import Annotated, Literal
from urllib.parse import urlsplit

import trio
from pydantic import Field

from bidi_server.browser.pages.audit import Impact
from bidi_server.browser.sessions.session import Session
from bidi_server.browser.words import clip, counted
from bidi_server.config import File
from bidi_server.errors import InvalidParametersError
from bidi_server.escapes import one_line
from bidi_server.plan.model import Plan, Step
from bidi_server.tools.base import SessionTool
from bidi_server.tools.outcome import Outcome, Picture
from bidi_server.tools.replay import NOT_UPDATED, Ran, ReplayOptions, replay, updated, write_update

Format = Literal["pytest", "plan"]

CHECKS = ("browser_verify_", "browser_wait_for")
"""Prefixes of the tools whose steps check something."""


class BrowserExportTest(SessionTool):
    """Write the steps of this session as a test: pytest with Selenium, or a plan to replay. Without path: list them."""

    capabilities = ("testing",)
    read_only = True
    ignores_dialog = True

    format: Format = "pytest"
    path: str | None = None
    """Folder for the pytest files, or the plan's .json file, in the output folder."""
    name: str = "session"
    """What the test does, such as "buy a book"."""
    from_step: Annotated[int, Field(ge=1)] | None = None
    to_step: Annotated[int, Field(ge=1)] | None = None

    async def run(self, session: Session, out: Outcome) -> None:
        """See the class."""
        steps = session.steps
        first = max(self.from_step or 1, steps.first)
        last = min(self.to_step or steps.last, steps.last)
        chosen = steps.between(first, last)
        if not chosen:
            has = f"The session has the steps {steps.first} to {steps.last}." if steps.last else "It has no steps yet."
            raise InvalidParametersError("There are no such steps.", has)
        if self.path is None:
            out.say(*(f"{number}. {line(step)}" for number, step in enumerate(chosen, first)))
            out.say(*_replays(session, first, last))
            return
        plan = Plan(self.name, tuple(chosen), _origin(chosen), session.config.viewport)
        if self.format == "plan":
            await self._save_plan(session, plan, out)
        else:
            await self._save_test(session, plan, out)
        out.say(*_replays(session, first, last))
        if not any(step.tool.startswith(CHECKS) for step in chosen):
            out.say("It checks no texts or values: call the browser_verify tools where something should be true.")

    async def _save_plan(self, session: Session, plan: Plan, out: Outcome) -> None:
        from bidi_server.plan.plan_file import dump

        name = str(self.path)
        path = await session.outputs.save(dump(plan).encode(), name if name.endswith(".json") else f"{name}.json")
        out.files.append(path)
        out.say(
            f"Wrote {counted(len(plan.steps), 'step')} to {path}. Run it: bidi-server replay {path}", _secrets(plan)
        )

    async def _save_test(self, session: Session, plan: Plan, out: Outcome) -> None:
        from bidi_server.plan.pytest_code import export_pytest

        export = export_pytest(plan)
        folder = PurePath(str(self.path))
        for name, text in export.files.items():
            out.files.append(await session.outputs.save(text.encode(), str(folder / name)))
        out.say(
            f"Wrote {counted(len(plan.steps), 'step')} to {out.files[0].parent}: {', '.join(export.files)}.",
            "Run it: tox",
            _secrets(plan),
        )
        out.say(*(f"Left out: {each}" for each in export.left_out))


class BrowserReplay(SessionTool):
    """Run the steps of a plan in this session, and say what is different. Stops at the first failure."""

    capabilities = ("testing",)
    local = True
    is_step = False

    path: File
    """The plan's .json file, as browser_export_test wrote it."""
    base_url: str | None = None
    """Origin of the pages, in place of the plan's."""
    update: bool = False
    """Write healed locators back to the file."""
    update_baselines: bool = False
    """Replace baselines that differ, instead of an error."""
    audit: bool = False
    """Audit the accessibility of each page that a step opens, and at the end."""
    impact: Impact = "serious"
    """The least that fails an audit."""

    async def run(self, session: Session, out: Outcome) -> None:
        """See the class."""
        from bidi_server.plan.plan_file import PlanError, read

        file = await session.files.readable(self.path)
        try:
            plan = await trio.to_thread.run_sync(read, file)
        except PlanError as error:
            raise InvalidParametersError(f"{clip(str(self.path))} {error}.") from error
        moved = plan.at(self.base_url) if self.base_url else plan
        done = await replay(
            session, moved, os.environ, ReplayOptions(self.update_baselines, self.impact if self.audit else None)
        )
        session.steps.note_replay(self.path.name)
        for ran in done:
            out.say(*_told(ran).split("\n"))
            out.pictures += [Picture(ran.picture, "image/png")] if ran.picture else []
        failed = next((ran for ran in done if ran.failed), None)
        healed = sum(bool(ran.healed) for ran in done)
        if failed is not None:
            left = len(plan.steps) - len(done)
            out.failure = f"Step {failed.number} failed; {left} steps not done."
            out.say(out.failure)
        else:
            out.say(f"All {len(done)} steps passed{f', {healed} with healed locators' if healed else ''}.")
        if number := sum(ran.has_violations for ran in done):
            out.failure = f"{out.failure} {counted(number, 'audit')} failed.".lstrip()
            out.say(f"{counted(number, 'audit')} failed.")
        if self.update:
            out.say(await write_update(file, updated(moved, done), plan.base_url) if failed is None else NOT_UPDATED)


def _replays(session: Session, first: int, last: int) -> Iterator[str]:
    """Yield a sentence for each replay before, between and after these steps, since its steps are not among them."""
    for number, plan in session.steps.replays(first, last):
        where = f"after step {number}" if number else "before step 1"
        yield f"The steps of {clip(plan)}, which browser_replay ran {where}, are not included."


def _told(ran: Ran) -> str:
    """Return a step that was run: its line, and below it what was different."""
    details = [*ran.notes, *ran.faults]
    if ran.audit is not None:
        details += [ran.audit.title, *(f"- {each}" for each in ran.audit.faults), *ran.audit.remarks]
    return "\n".join([one_line(f"{ran.number}. {line(ran.planned)}"), *(f"   {one_line(each)}" for each in details)])


def line(step: Step) -> str:
    """Return a step on one line: the tool, its elements and its arguments."""
    elements = [f'{each.role} "{clip(each.name)}"' for each in step.elements.values()]
    arguments = [
        f"{name}: {clip(value if isinstance(value, str) else dumps(value, ensure_ascii=False))}"
        for name, value in step.arguments.items()
    ]
    return one_line(f"{step.tool} {', '.join([*elements, *arguments])}".rstrip())


def _origin(steps: list[Step]) -> str:
    """Return the origin of the first page of some steps; "" if it has none."""
    for step in steps:
        parts = urlsplit(step.url)
        if parts.scheme in ("http", "https"):
            return f"{parts.scheme}://{parts.netloc}"
    return ""


def _secrets(plan: Plan) -> str:
    names = ", ".join(plan.secrets)
    return f"Before it runs, set the variables of the environment: {names}." if names else ""
