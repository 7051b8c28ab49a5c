"""Replay of a plan: do its steps, and compare what they cause with what they caused."""

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from difflib import get_close_matches
from pathlib import Path

import trio

from bidi_server.bidi.errors import BidiError, ConnectionLostError, NoReplyError
from bidi_server.browser.pages.audit import AuditOptions, Impact, audit, read_rules
from bidi_server.browser.pages.capture import PNG, Encoding, screenshot
from bidi_server.browser.pages.relocate import any_of, relocate
from bidi_server.browser.pages.wait import wait_selector, wait_url
from bidi_server.browser.sessions.session import Session
from bidi_server.browser.tab.tab import Tab
from bidi_server.browser.words import address
from bidi_server.errors import DeadlineError, ElementNotFoundError, InvalidParametersError, ToolError
from bidi_server.plan.faults import general, new_errors, new_failures
from bidi_server.plan.model import Plan, Step
from bidi_server.secret.parameters import secrets_of
from bidi_server.secret.redaction import redact
from bidi_server.tools.audit_report import faults as faults_of
from bidi_server.tools.audit_report import head, remarks
from bidi_server.tools.base import InSession, tools_of
from bidi_server.tools.outcome import Outcome
from drivers.json_values import is_array, is_object

SCREENSHOT = "browser_verify_screenshot"
"""The tool whose steps compare the page with a baseline."""

NOT_UPDATED = "The plan was not updated, since a step failed."

TOOLS = "bidi_server.tools.browser"
"""The toolset of plans."""


@dataclass(frozen=True, slots=True)
class PageAudit:
    """The accessibility audit of a page that steps led to."""

    url: str
    result: str = ""
    """The numbers of violated rules and elements; "" if the audit failed."""
    faults: Sequence[str] = ()
    """A line for each violated rule, or the error of the audit."""
    remarks: Sequence[str] = ()
    """Sentences about the parts that were left out."""
    seconds: float = 0

    @property
    def title(self) -> str:
        """The page, and the numbers of violated rules and elements."""
        return f"Audit of {address(self.url)}: {self.result or 'failed'}"


@dataclass(frozen=True, slots=True)
class Ran:
    """A step of a plan that was run."""

    number: int
    planned: Step
    now: Step | None = None
    """The step as it is now; None if it failed."""
    error: str = ""
    healed: Sequence[str] = ()
    """Elements that were found by another locator than the first."""
    baselines: Sequence[Path] = ()
    """Baselines that it wrote or replaced."""
    differences: Sequence[str] = ()
    """Effects that were others than planned, and faults that a check found."""
    picture: bytes = b""
    """A PNG of the page, if the step failed."""
    seconds: float = 0
    audit: "PageAudit | None" = None
    """The audit of the page after it, if there was one."""

    @property
    def notes(self) -> list[str]:
        """Sentences about healed elements and written baselines."""
        return [*self.healed, *(f"Wrote the baseline {path}" for path in self.baselines)]

    @property
    def faults(self) -> list[str]:
        """Sentences about the error and the differences."""
        return [*filter(None, [self.error]), *self.differences]

    @property
    def failed(self) -> bool:
        """Whether the step failed, or caused something else."""
        return bool(self.faults)

    @property
    def has_violations(self) -> bool:
        """Whether the audit of the page after it found violations, or failed."""
        return self.audit is not None and bool(self.audit.faults)


@dataclass(frozen=True, slots=True)
class ReplayOptions:
    """The options of a replay."""

    update_baselines: bool = False
    """Whether to replace baselines that differ, instead of an error."""
    audit: Impact | None = None
    """The least impact of violations to find, in each page that a step opens and in the last state; None: no audits."""


DEFAULT = ReplayOptions()


async def replay(
    session: Session, plan: Plan, secrets: Mapping[str, str], options: ReplayOptions = DEFAULT
) -> list[Ran]:
    """Run the steps of a plan up to the first that fails, with these values for its secrets, without recording them.

    Raises `InvalidParametersError` if the plan names tools or secrets that do not exist, and `NotSupportedError` for
    audits without axe-core.
    """
    if options.audit is not None:
        await read_rules()
    for step in plan.steps:
        _tool_for(step)
    from_vault = secrets_of(session.config, plan.secrets)
    secrets = {name: value for name, value in secrets.items() if name in plan.secrets and name not in from_vault}
    if missing := [name for name in plan.secrets if name not in secrets and name not in from_vault]:
        raise InvalidParametersError(
            f"The plan needs values for {', '.join(missing)}.",
            "Set variables of the environment with these names, or start with --secrets.",
        )
    done: list[Ran] = []
    auditor = _Auditor(session, options.audit)
    for number, step in enumerate(plan.steps, 1):
        done.append(await _run(session, number, step, secrets, options))
        if done[-1].failed:
            break
        done[-1] = await auditor.after(done[-1], is_last=number == len(plan.steps))
    return done


@dataclass(slots=True)
class _Auditor:
    """The audits of a replay."""

    session: Session
    impact: Impact | None
    url: str = ""
    """URL of the page after the last step."""
    is_due: bool = False
    """Whether a page was opened that was not audited yet."""

    async def after(self, ran: Ran, *, is_last: bool) -> Ran:
        """Return a step with the audit of the page after it, if it opened a page or is the last one."""
        tab = self.session.active_tab
        if self.impact is None or tab is None:
            return ran
        navigated = ran.now is not None and ran.now.caused.navigated
        self.is_due, self.url = self.is_due or navigated or tab.url != self.url, tab.url
        if not is_last and (not self.is_due or tab.dialogs.open is not None):
            return ran
        self.is_due = False
        return replace(ran, audit=await _audit(tab, self.impact))


async def _audit(tab: Tab, impact: Impact) -> PageAudit:
    """Audit a page. An error is a fault."""
    began = trio.current_time()
    try:
        tab.dialogs.check_none()
        found = await audit(tab, AuditOptions(impact=impact, whole=True))
    except (ToolError, BidiError, NoReplyError, ConnectionLostError) as failure:
        return PageAudit(tab.url, faults=[f"The page was not audited: {failure}"])
    seconds = round(trio.current_time() - began, 3)
    return PageAudit(tab.url, head(found), faults_of(found), [*remarks(found)], seconds)


def _tool_for(step: Step) -> type[InSession]:
    tools = tools_of(TOOLS)
    tool = tools.get(step.tool)
    if tool is None or not issubclass(tool, InSession):
        close = get_close_matches(step.tool, tools, 1)
        raise InvalidParametersError(
            f"A plan can't have the step {step.tool}.", f"Did you mean {close[0]}?" if close else ""
        )
    return tool


async def _run(session: Session, number: int, step: Step, secrets: Mapping[str, str], options: ReplayOptions) -> Ran:
    tool = _tool_for(step)
    began = trio.current_time()
    healed: list[str] = []
    out = Outcome(snapshot_mode="diff", console_level="error")
    now: Step | None = None
    error = ""
    found: Sequence[str] = ()
    try:
        arguments = _with_secrets(step.arguments, {name: secrets[name] for name in step.secrets if name in secrets})
        for path in step.elements:
            own = arguments.get(path)
            selector, difference = await (
                _selector(session, step, path) if own is None else _own(session, step, path, str(own))
            )
            arguments = _set(arguments, path.split("."), selector)
            healed += [difference] if difference else []
        if step.tool == SCREENSHOT:
            # An agent that passed update accepted the picture of that moment, not those of all replays.
            arguments = {**arguments, "update": options.update_baselines}
        with session.steps.aside() as steps:
            await tool.parse(arguments).perform(session, out)
        error = out.failure
        found = out.found
        now = next(iter(steps), None)
        if now is not None and not error:
            now = await _come_to(session, step, now)
    except ToolError as failure:
        error = failure.spelled(tool.toolset.names)
    except (BidiError, NoReplyError, ConnectionLostError) as failure:
        error = f"The browser failed: {failure}"
    differences = [*found, *_differences(step, now)] if now is not None and not error else []
    picture = await _picture(session) if error or differences else b""
    seconds = round(trio.current_time() - began, 3)
    return Ran(number, step, now, error, healed, out.baselines, differences, picture, seconds)


async def _come_to(session: Session, planned: Step, now: Step) -> Step:
    """Wait for the planned URL, which the page may set after the step. Return the step with the URL by then."""
    tab = session.active_tab
    if tab is None or general(planned.url) == general(now.url) or tab.dialogs.open is not None:
        return now
    with suppress(ToolError):
        await wait_url(tab, lambda url: general(url) == general(planned.url), planned.url, tab.limits.action)
    return replace(now, url=tab.url)


async def _selector(session: Session, step: Step, path: str) -> tuple[str, str]:
    """Wait for an element of a step. Return the selector for it, and how it was found if not as planned."""
    tab = await session.tab()
    element = step.elements[path]
    tab.dialogs.check_none()
    if not element.locators:
        raise ElementNotFoundError(f"The plan has no locator for {element.role} {element.name!r}.", "Record it again.")
    found = await relocate(tab, element, tab.limits.action)
    return found.locator.selector, found.healed


async def _own(session: Session, step: Step, path: str, own: str) -> tuple[str, str]:
    """Return the selector of a check, which an agent wrote; or another one if that matches nothing any more.

    The second value says how the element was found then.
    """
    tab = await session.tab()
    element = step.elements[path]
    others = tuple(locator for locator in element.locators if locator.selector != own)
    if not others or tab.dialogs.open is not None:
        return own, ""
    with suppress(DeadlineError):
        await wait_selector(tab, any_of(element), visible=False, limit=tab.limits.action)
    try:
        await wait_selector(tab, own, visible=False, limit=0)
    except DeadlineError:
        with suppress(ElementNotFoundError):
            found = await relocate(tab, replace(element, locators=others))
            return found.locator.selector, f"{own} was not found, but {found.locator.selector}"
    return own, ""


def _with_secrets(value: Mapping[str, object], secrets: Mapping[str, str]) -> dict[str, object]:
    return {name: _filled(each, secrets) for name, each in value.items()}


def _filled(value: object, secrets: Mapping[str, str]) -> object:
    if is_object(value):
        return _with_secrets(value, secrets)
    if is_array(value):
        return [_filled(each, secrets) for each in value]
    match = re.fullmatch(r"\{\{(\w+)\}\}", value) if isinstance(value, str) else None
    return secrets.get(match[1], value) if match else value


def _set(arguments: Mapping[str, object], path: Sequence[str], selector: str) -> dict[str, object]:
    """Return the arguments with a selector at a path such as ``fields.0.selector``."""
    name, *others = path
    if not others:
        return {**arguments, name: selector}
    entries = arguments.get(name)
    index = int(others[0])
    return {
        **arguments,
        name: [
            _set(each, others[1:], selector) if place == index and is_object(each) else each
            for place, each in enumerate(entries if is_array(entries) else [])
        ],
    }


def _differences(planned: Step, now: Step) -> list[str]:
    """Return a sentence for each effect that is another than planned."""
    found: list[str] = []
    before, after = planned.caused, now.caused
    if general(planned.url) != general(now.url):
        found.append(f"The page is {now.url}, not {planned.url}.")
    if general(before.dialog) != general(after.dialog):
        found.append(f"It opened {after.dialog or 'no dialog'}, not {before.dialog or 'none'}.")
    if before.tabs != after.tabs:
        found.append(f"It opened {after.tabs} tabs, not {before.tabs}.")
    if len(before.downloads) != len(after.downloads):
        found.append(f"It downloaded {', '.join(after.downloads) or 'nothing'}, not {', '.join(before.downloads)}.")
    if before.closed != after.closed:
        found.append(f"The tab was {'closed' if after.closed else 'not closed'}.")
    found += [f"New console error: {each.text}" for each in new_errors(before.console_errors, after.console_errors)]
    found += [f"New failed request: {each}" for each in new_failures(before.failed_requests, after.failed_requests)]
    return found


async def _picture(session: Session) -> bytes:
    """Return a PNG of the page; b"" if there is none."""
    tab = session.active_tab
    return await picture_of_failure(tab) if tab is not None else b""


async def picture_of_failure(tab: Tab, encoding: Encoding = PNG) -> bytes:
    """Return a picture of a page on which something failed; b"" if it can't be taken within the action's timeout."""
    if tab.dialogs.open is not None:
        return b""
    with trio.move_on_after(tab.limits.action), suppress(ToolError):
        return (await screenshot(tab, encoding=encoding)).data
    return b""


@dataclass(frozen=True, slots=True)
class Update:
    """A plan with the locators that its elements have now."""

    plan: Plan
    steps: Sequence[int]
    """Numbers of the steps with other locators than before."""


async def write_update(file: Path, update: Update, base_url: str) -> str:
    """Write a plan back to its file, with its own origin, if steps have other locators. Return a sentence about it."""
    if not update.steps:
        return "No locators to update: each element was found as planned."
    from bidi_server.plan.plan_file import dump

    await trio.Path(file).write_text(redact(dump(update.plan.at(base_url))), encoding="utf-8")
    numbers = ", ".join(map(str, update.steps))
    return f"Wrote the locators that match now to {file}: step{'s' if len(update.steps) > 1 else ''} {numbers}."


def updated(plan: Plan, done: Sequence[Ran]) -> Update:
    """Return the plan with the locators that its elements have now, for steps whose elements were healed."""
    steps = list(plan.steps)
    changed: list[int] = []
    for ran in done:
        if ran.healed and ran.now is not None:
            elements = {
                path: replace(ran.now.elements[path], frame=element.frame) if path in ran.now.elements else element
                for path, element in ran.planned.elements.items()
            }
            own = {path: ran.now.arguments[path] for path in elements if path in ran.planned.arguments}
            steps[ran.number - 1] = replace(ran.planned, arguments={**ran.planned.arguments, **own}, elements=elements)
            changed.append(ran.number)
    return Update(replace(plan, steps=tuple(steps)), changed)
