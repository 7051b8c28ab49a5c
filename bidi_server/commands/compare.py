"""Comparison of a page, or of the page after a plan, in several engines and sizes."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import trio

from bidi_server.browser.pages.audit import Impact
from bidi_server.browser.sessions.client import Client
from bidi_server.browser.sessions.registry import open_sessions
from bidi_server.commands import UsageError
from bidi_server.commands.replay import read_plan
from bidi_server.commands.terminal import ERR, OUT
from bidi_server.config import BrowserName, Config
from bidi_server.errors import InvalidParametersError, ToolError
from bidi_server.plan.model import Plan
from bidi_server.secret.redaction import redact
from bidi_server.tools.comparison import as_html, as_json, compare_looks, told
from bidi_server.tools.looks import BROWSERS, LookOptions, Size, take_looks
from bidi_server.tools.outcome import nobody_listens


@dataclass(frozen=True, slots=True)
class Options:
    """The options of this command."""

    browsers: Sequence[BrowserName] | None = None
    viewports: Sequence[Size] | None = None
    base_url: str = ""
    audit: bool = False
    """Whether to compare violations of accessibility too."""
    impact: Impact = "serious"
    """The least that counts in an audit."""
    report: Path | None = None
    json: Path | None = None


async def compare_page(config: Config, page: str, options: Options) -> int:
    """Compare a page, and print the differences. Return the exit code: 1 if the page itself differs, else 0."""
    wanted = _look_options(config, page, options)
    target = wanted.page
    enough = max(config.max_sessions, len(wanted.viewports))
    config = config.model_copy(update={"max_sessions": enough, "prelaunch": False})
    async with open_sessions(config) as sessions:
        try:
            looks = await take_looks(Client(sessions, object(), config), wanted, nobody_listens)
        except ToolError as error:
            ERR.print(str(error), style="red", markup=False)
            return 1
    comparison = await compare_looks(target.name if isinstance(target, Plan) else target, looks)
    OUT.print(redact("\n".join(told(comparison))), markup=False)
    if options.json is not None:
        await _write(options.json, as_json(comparison))
    if options.report is not None:
        await _write(options.report, await as_html(comparison))
    return 1 if comparison.differs else 0


async def _write(file: Path, text: str) -> None:
    await trio.Path(file).write_text(redact(text), encoding="utf-8", errors="replace")


def _look_options(config: Config, page: str, options: Options) -> LookOptions:
    """Return the looks of a URL, or of the plan in a .json file. Raises `UsageError`."""
    target: str | Plan = page
    if page.lower().endswith(".json") and "://" not in page:
        plan = read_plan(Path(page))
        target = plan.at(options.base_url) if options.base_url else plan
    elif options.base_url:
        raise UsageError("--base-url is only for a plan")
    viewports = options.viewports or [config.viewport]
    impact = options.impact if options.audit else None
    try:
        return LookOptions.of(target, options.browsers or BROWSERS, viewports, impact=impact)
    except InvalidParametersError as error:
        raise UsageError(str(error)) from None
