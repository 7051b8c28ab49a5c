"""Replay of a plan in one or several browsers, without a model."""

import html
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

import trio

from bidi_server.browser.pages.audit import Impact
from bidi_server.browser.sessions.client import Client
from bidi_server.browser.sessions.registry import open_sessions
from bidi_server.browser.words import address, counted
from bidi_server.commands import UsageError
from bidi_server.commands.terminal import OUT, seconds
from bidi_server.config import BrowserName, Config
from bidi_server.errors import ToolError
from bidi_server.escapes import one_line
from bidi_server.plan.model import Plan
from bidi_server.plan.plan_file import PlanError, read
from bidi_server.secret.redaction import redact
from bidi_server.tools.browser.testing import line
from bidi_server.tools.html_page import html_page, html_picture
from bidi_server.tools.outcome import nobody_listens
from bidi_server.tools.replay import NOT_UPDATED, PageAudit, Ran, ReplayOptions, replay, updated, write_update


@dataclass(frozen=True, slots=True)
class Options:
    """The options of this command."""

    browsers: Sequence[BrowserName]
    repeat: int = 1
    base_url: str = ""
    junit: Path | None = None
    report: Path | None = None
    update: bool = False
    audit: bool = False
    """Whether to audit the accessibility of the pages."""
    impact: Impact = "serious"
    """The least that fails an audit."""


@dataclass(frozen=True, slots=True)
class Result:
    """One run of a plan in one browser."""

    browser: str
    number: int
    done: Sequence[Ran]
    error: str = ""
    """Why it did not begin."""

    @property
    def failed(self) -> bool:
        """Whether a step or an audit failed."""
        return self.stopped or any(ran.has_violations for ran in self.done)

    @property
    def stopped(self) -> bool:
        """Whether a step failed."""
        return bool(self.error) or any(ran.failed for ran in self.done)

    @property
    def seconds(self) -> float:
        """Duration of all steps and audits."""
        return sum(ran.seconds + (ran.audit.seconds if ran.audit is not None else 0) for ran in self.done)


def read_plan(file: Path) -> Plan:
    """Return the plan of a file. Raises `UsageError`."""
    try:
        return read(file)
    except PlanError as error:
        raise UsageError(f"{file} {error}") from None


async def replay_plan(config: Config, file: Path, options: Options) -> int:
    """Run a plan in each browser. Return the exit code: 1 if a step or an audit failed, else 0."""
    plan = read_plan(file)
    moved = plan.at(options.base_url) if options.base_url else plan
    results: list[Result] = []
    wanted = ReplayOptions(audit=options.impact if options.audit else None)
    for browser in options.browsers or [config.browser or "chromium"]:
        for number in range(1, options.repeat + 1):
            result = await _run(config, browser, moved, number, wanted)
            results.append(result)
            _print(result, options.repeat)
    if options.update:
        await _update(file, plan, moved, results)
    for path, write in ((options.junit, junit), (options.report, report)):
        if path is not None:
            await trio.Path(path).write_text(redact(write(plan, results)), encoding="utf-8")
    return 1 if any(result.failed for result in results) else 0


async def _run(config: Config, browser: BrowserName, plan: Plan, number: int, wanted: ReplayOptions) -> Result:
    config = config.model_copy(update={"browser": browser})
    async with open_sessions(config) as sessions:
        client = Client(sessions, object(), config)
        try:
            session = client.session()
            async with session.call(nobody_listens):
                return Result(browser, number, await replay(session, plan, os.environ, wanted))
        except ToolError as error:
            return Result(browser, number, [], str(error))


def _print(result: Result, repeat: int) -> None:
    run = f"{result.browser}{f', run {result.number}' if repeat > 1 else ''}"
    for ran in result.done:
        OUT.print(f"  {ran.number}. {line(ran.planned)}", style="red" if ran.failed else "dim", markup=False)
        for text in (*ran.notes, *ran.faults):
            OUT.print(f"     {redact(one_line(text))}", style="yellow" if text in ran.notes else "red", markup=False)
        if ran.audit is not None:
            _print_audit(ran.audit)
    if result.error:
        OUT.print(redact(f"  {result.error}"), style="red", markup=False)
    healed = sum(bool(ran.healed) for ran in result.done)
    OUT.print(
        f"{run}: {'failed' if result.failed else 'passed'} in {seconds(result.seconds)}"
        f"{f', {healed} steps healed' if healed else ''}",
        style="red" if result.failed else "green",
        markup=False,
    )


def _print_audit(audit: PageAudit) -> None:
    OUT.print(f"     {audit.title}", style="red" if audit.faults else "dim", markup=False)
    for fault in audit.faults:
        OUT.print(f"     - {redact(one_line(fault))}", style="red", markup=False)
    for remark in audit.remarks:
        OUT.print(f"     {redact(one_line(remark))}", style="yellow", markup=False)


async def _update(file: Path, plan: Plan, moved: Plan, results: Sequence[Result]) -> None:
    """Write the locators that healed in a run of the moved plan back to the file."""
    passed = [result for result in results if not result.stopped]
    healed = next((result for result in passed if any(ran.healed for ran in result.done)), None)
    done: Sequence[Ran] = healed.done if healed is not None else ()
    said = await write_update(file, updated(moved, done), plan.base_url) if passed else NOT_UPDATED
    OUT.print(said, markup=False)


def junit(plan: Plan, results: Sequence[Result]) -> str:
    """Return the results as JUnit XML: a suite for each run, a case for each step and each audit."""
    suites = "\n".join(_suite(plan, result) for result in results)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n{suites}\n</testsuites>\n'


def _suite(plan: Plan, result: Result) -> str:
    name = f"{plan.name} ({result.browser}, {result.number})"
    cases: list[str] = []
    for number, step in enumerate(plan.steps, 1):
        ran = result.done[number - 1] if number <= len(result.done) else None
        title = f"{number}. {line(step)}"
        if ran is None:
            cases.append(_case(name, title, 0, "<skipped/>"))
            continue
        cases.append(_case(name, title, ran.seconds, _failure(ran.faults)))
        if ran.audit is not None:
            audited = f"{number}. accessibility of {address(ran.audit.url)}"
            cases.append(_case(name, audited, ran.audit.seconds, _failure(ran.audit.faults)))
    if result.error:
        message = _xml(result.error)
        cases.insert(0, f'    <testcase name="start"><error message={quoteattr(message)}/></testcase>')
    failures = sum(ran.failed + ran.has_violations for ran in result.done)
    skipped = len(plan.steps) - len(result.done)
    return (
        f'  <testsuite name={quoteattr(_xml(name))} tests="{len(cases)}" failures="{failures}" '
        f'errors="{int(bool(result.error))}" skipped="{skipped}" time="{result.seconds:.3f}">\n'
        + "\n".join(cases)
        + "\n  </testsuite>"
    )


def _case(suite: str, title: str, took: float, inner: str) -> str:
    names = f"classname={quoteattr(_xml(suite))} name={quoteattr(_xml(title))}"
    return f'    <testcase {names} time="{took}">{inner}</testcase>'


def _failure(faults: Sequence[str]) -> str:
    """Return the element for some faults; "" if there are none."""
    if not faults:
        return ""
    message = _xml("\n".join(faults))
    return f"<failure message={quoteattr(message.partition(chr(10))[0])}>{escape(message)}</failure>"


def _xml(text: str) -> str:
    """Return a text without the characters that XML 1.0 does not allow."""
    return "".join(character if character.isprintable() or character in "\n\t" else "\ufffd" for character in text)


STYLE = """\
body { max-width: 70rem; } li { margin: .3rem 0; } small { color: #777; }
.failed { color: #b00020; } .healed { color: #8a5a00; } .skipped { color: #777; }
"""


def report(plan: Plan, results: Sequence[Result]) -> str:
    """Return the results as a page of HTML, with pictures of the failures."""
    runs = "\n".join(_run_as_html(plan, result) for result in results)
    failed = sum(result.failed for result in results)
    return html_page(plan.name, STYLE, f"<p>{counted(len(results), 'run')}, {failed} failed.</p>\n{runs}")


def _run_as_html(plan: Plan, result: Result) -> str:
    state = "failed" if result.failed else "passed"
    rows = [_step_as_html(ran) for ran in result.done]
    rows += [f'<li class="skipped">{html.escape(line(step))}</li>' for step in plan.steps[len(result.done) :]]
    error = f'<p class="failed">{html.escape(result.error)}</p>' if result.error else ""
    return (
        f'<h2 class="{state}">{html.escape(result.browser)}, run {result.number}: {state}</h2>\n{error}'
        f"<ol>\n{chr(10).join(rows)}\n</ol>"
    )


def _step_as_html(ran: Ran) -> str:
    texts = [("healed", each) for each in ran.notes]
    texts += [("failed", each) for each in ran.faults]
    if ran.audit is not None:
        texts.append(("failed" if ran.audit.faults else "passed", ran.audit.title))
        texts += [("failed", each) for each in ran.audit.faults]
        texts += [("healed", each) for each in ran.audit.remarks]
    details = "".join(f'<div class="{kind}">{html.escape(text)}</div>' for kind, text in texts)
    picture = html_picture(ran.picture) if ran.picture else ""
    state = ' class="failed"' if ran.failed else ""
    return f"<li{state}>{html.escape(line(ran.planned))} <small>{ran.seconds:.2f} s</small>{details}{picture}</li>"
