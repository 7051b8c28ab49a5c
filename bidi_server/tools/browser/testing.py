"""Tests from the steps of a session."""

from pathlib import PurePath
from typing import Annotated, Literal
from urllib.parse import urlsplit

from pydantic import Field

from bidi_server.browser.sessions.session import Session
from bidi_server.browser.words import clip
from bidi_server.errors import InvalidParametersError
from bidi_server.plan.model import Plan, Step
from bidi_server.tools.base import SessionTool
from bidi_server.tools.outcome import Outcome

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
            return
        plan = Plan(self.name, tuple(chosen), _origin(chosen), session.config.viewport)
        if self.format == "plan":
            await self._save_plan(session, plan, out)
        else:
            await self._save_test(session, plan, out)
        if not any(step.tool.startswith(CHECKS) for step in chosen):
            out.say("It checks no texts or values: call the browser_verify tools where something should be true.")

    async def _save_plan(self, session: Session, plan: Plan, out: Outcome) -> None:
        from bidi_server.plan.plan_file import dump

        name = str(self.path)
        path = await session.outputs.save(dump(plan).encode(), name if name.endswith(".json") else f"{name}.json")
        out.files.append(path)
        out.say(f"Wrote {len(plan.steps)} steps to {path}. Run it: bidi-server replay {path.name}", _secrets(plan))

    async def _save_test(self, session: Session, plan: Plan, out: Outcome) -> None:
        from bidi_server.plan.pytest_code import export_pytest

        export = export_pytest(plan)
        folder = PurePath(str(self.path))
        for name, text in export.files.items():
            out.files.append(await session.outputs.save(text.encode(), str(folder / name)))
        out.say(
            f"Wrote {len(plan.steps)} steps to {out.files[0].parent}: {', '.join(export.files)}. Run it: tox",
            _secrets(plan),
        )
        out.say(*(f"Left out: {each}" for each in export.left_out))


def line(step: Step) -> str:
    """Return a step on one line: the tool, its elements and its arguments."""
    elements = [f'{each.role} "{clip(each.name)}"' for each in step.elements.values()]
    arguments = [f"{name}: {clip(str(value))}" for name, value in step.arguments.items()]
    return f"{step.tool} {', '.join([*elements, *arguments])}".rstrip()


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
