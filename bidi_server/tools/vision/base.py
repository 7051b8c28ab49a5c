"""Base classes of the tools of seed 003: their names, sessions, answers and errors."""

import re
from typing import Annotated

from mcp_types import INTERNAL_ERROR, INVALID_PARAMS
from pydantic import Field

from bidi_server.advice import Operation
from bidi_server.browser.actions.target import Target
from bidi_server.browser.pages.wait import wait_target
from bidi_server.browser.sessions.client import Client
from bidi_server.browser.sessions.session import Session
from bidi_server.browser.tab.tab import Tab
from bidi_server.errors import (
    DeadlineError,
    ElementNotFoundError,
    InternalError,
    InvalidParametersError,
    NotAllowedError,
    SessionNotFoundError,
    ToolError,
)
from bidi_server.escapes import one_line
from bidi_server.tools.base import SessionTool, TabTool
from bidi_server.tools.caused import caused
from bidi_server.tools.outcome import Outcome, Reply
from bidi_server.tools.page_text import ours, written
from bidi_server.tools.toolset import Toolset

AUTHORIZATION_ERROR = -32002
"""Error code of the seed's AuthorizationError."""

NAMES = {
    Operation.NAVIGATE: "browser.navigate",
    Operation.SNAPSHOT: "browser.snapshot",
    Operation.CLICK: "browser.click",
    Operation.TYPE: "browser.fill",
    Operation.EVALUATE: "browser.evaluate",
    Operation.SCREENSHOT: "browser.screenshot",
}
"""Names in this toolset of the tools that operations advise."""

_CODES: dict[type[ToolError], int] = {
    InvalidParametersError: INVALID_PARAMS,
    NotAllowedError: AUTHORIZATION_ERROR,
    InternalError: INTERNAL_ERROR,
}
"""Codes of the failures that the seed reports as JSON-RPC errors. Others are answers, so that the model reads them."""

_NAMES: dict[type[ToolError], str] = {
    InvalidParametersError: "InvalidParams",
    NotAllowedError: "AuthorizationError",
    InternalError: "InternalError",
    ElementNotFoundError: "NotFound",
    SessionNotFoundError: "NotFound",
    DeadlineError: "Timeout",
}

_REF = re.compile(r"@e(\d+)")


class Vision(Toolset):
    """The toolset of seed 003."""

    names = NAMES
    scope = "vision"
    shows_defaults = True
    shows_page = False
    takes_tab = False

    def tool_name(self, class_name: str) -> str:
        """Return the name that clients call: ``Click`` is ``browser.click``."""
        return f"browser.{class_name.lower()}"

    def find_session(self, client: Client, name: str | None) -> Session:
        """Return the named session, which is created if it does not exist, or the current one."""
        return client.visit(name)

    def reply(self, out: Outcome) -> Reply:
        """Return pictures first, then what was done, then its effects."""
        parts = [*ours(out.notices), *out.lines]
        if out.effects is not None:
            parts += caused(out.effects, self.names, out.console_level)
        return Reply(written(parts, out.fence), pictures_first=True)

    def refusal(self, error: ToolError, out: Outcome) -> Reply:
        """Return the JSON-RPC error of the seed's table, or an answer that begins with the error's name."""
        kind = type(error)
        name = _NAMES.get(kind, kind.__name__.removesuffix("Error"))
        text = " ".join(filter(None, (error.message, error.advice.spelled(self.names))))
        return Reply("\n".join(map(one_line, [*out.notices, f"{name}: {text}"])), failed=True, code=_CODES.get(kind))


VISION = Vision()

SessionId = Annotated[str | None, Field(alias="sessionId", min_length=1, max_length=200)]


class VisionTabTool(TabTool):
    """A tool of the toolset that works on the page."""

    toolset = VISION

    session: SessionId = None
    """Session; its first call starts it. Default: the current one."""


class VisionSessionTool(SessionTool):
    """A tool of the toolset that works on the session."""

    toolset = VISION

    session: SessionId = None
    """Session; its first call starts it. Default: the current one."""


async def target_of(tab: Tab, selector: str, limit: float = 0) -> Target:
    """Return the element of a selector or of a ref of the last snapshot, such as ``@e3``.

    Waits for the element of a selector. Raises `InvalidParametersError` for an empty selector, and
    `ElementNotFoundError` for an unknown ref or after ``limit`` seconds.
    """
    selector = selector.strip()
    if not selector:
        raise InvalidParametersError("The selector is empty.", "Pass CSS, or a ref such as @e3.")
    if not selector.startswith("@"):
        target = Target(selector=selector, shows_refs=False)
        await wait_target(tab, target, limit)
        return target
    found = _REF.fullmatch(selector)
    number = int(found[1]) if found else 0
    refs = tab.view.numbered
    if not 0 < number <= len(refs):
        there = f"It has @e1 to @e{len(refs)}." if refs else "There is none yet."
        raise ElementNotFoundError(f"No {selector} in the last snapshot. {there}", "Call browser_snapshot.")
    return Target(ref=refs[number - 1], shows_refs=False)
