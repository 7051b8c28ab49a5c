"""Base classes of the tools of seed 004: sessions, results as objects, the envelope of errors."""

import json
from typing import ClassVar, cast, get_type_hints

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

from bidi_server.advice import Operation
from bidi_server.browser.actions.target import Target
from bidi_server.browser.pages.wait import wait_target
from bidi_server.browser.sessions.client import Client
from bidi_server.browser.sessions.session import Session
from bidi_server.browser.tab.tab import Tab
from bidi_server.errors import InvalidParametersError, SessionNotFoundError, ToolError
from bidi_server.escapes import one_line
from bidi_server.tools.base import ClientTool, SessionTool, TabTool
from bidi_server.tools.caused import caused
from bidi_server.tools.outcome import Outcome, Reply
from bidi_server.tools.schemas import slim
from bidi_server.tools.toolset import Toolset
from drivers.json_values import fields

NAMES = {
    Operation.NAVIGATE: "navigate",
    Operation.CLICK: "click",
    Operation.TYPE: "type_text",
    Operation.WAIT_FOR: "wait_for",
    Operation.EVALUATE: "execute_js",
    Operation.SCREENSHOT: "take_screenshot",
    Operation.TABS: "list_tabs",
    Operation.SELECT_OPTION: "select_option",
    Operation.FILE_UPLOAD: "upload_file",
}
"""Names in this toolset of the tools that operations advise."""

EVENTS = {"type": "array", "items": {"type": "string"}}
"""Schema of "events", which every answer may have: dialogs, downloads, new tabs, errors in the console."""

SNAKE_CASE = ConfigDict(alias_generator=None)
"""Keeps the names of parameters as in the seed."""

SELECTOR = 'CSS, xpath=//a, text=Sign in (text="Sign in" exactly), role=button[name="Save"], or getByRole(\'button\')'


class Part(BaseModel):
    """A part of a parameter or of a result."""

    model_config = ConfigDict(frozen=True, use_attribute_docstrings=True, extra="forbid", validate_by_name=True)


class Result(BaseModel):
    """What a tool answers, beside `EVENTS`."""

    model_config = ConfigDict(
        frozen=True,
        use_attribute_docstrings=True,
        validate_by_name=True,
        json_schema_serialization_defaults_required=True,
    )

    sparse: ClassVar[bool] = False
    """Whether unset fields are left out."""


class CamelResult(Result):
    """A result whose keys the seed writes in camel case."""

    model_config = ConfigDict(alias_generator=to_camel)


class Extract(Toolset):
    """The toolset of seed 004. A tool's method ``answer`` says by its type what it answers."""

    names = NAMES
    scope = "extract"
    shows_defaults = True
    shows_page = False
    takes_tab = False

    def find_session(self, client: Client, name: str | None) -> Session:
        """Return the session of a call, and count the call. Raises `SessionNotFoundError`, `RateLimitError`."""
        if name is None or not client.has(name):
            raise SessionNotFoundError(
                f"There is no session {name!r}: it was closed, idle for too long, or never there.",
                "Call create_browser_session.",
                {"session_id": name},
            )
        session = client.session(name)
        session.rate.take()
        return session

    def output_schema(self, tool: type[object]) -> dict[str, object]:
        """Return the schema of the result of ``answer``."""
        result: type[BaseModel] = get_type_hints(vars(tool)["answer"])["return"]
        schema = slim(result.model_json_schema(by_alias=True, mode="serialization"), nulls=True)
        properties = fields(schema["properties"])
        return {**schema, "properties": {**properties, "events": EVENTS}}

    def reply(self, out: Outcome) -> Reply:
        """Return the result as an object and as JSON text."""
        result = cast("Result", out.data)
        data: dict[str, object] = result.model_dump(mode="json", by_alias=True, exclude_unset=result.sparse)
        events = [*map(one_line, out.notices)]
        if out.effects is not None:
            events += map(str, caused(out.effects, self.names, out.console_level))
        if events:
            data["events"] = events
        return Reply(_json(data), data=data)

    def refusal(self, error: ToolError, out: Outcome) -> Reply:
        """Return the seed's envelope of errors."""
        message = " ".join(filter(None, (error.message, error.advice.spelled(self.names))))
        details: dict[str, object] = {
            **error.details,
            **({"events": [*map(one_line, out.notices)]} if out.notices else {}),
        }
        data: dict[str, object] = {"error": {"code": error.code, "message": message, "details": details}}
        return Reply(_json(data), data=data, failed=True)


EXTRACT = Extract()


class TabQuery(TabTool):
    """A tool that works on the active tab."""

    model_config = SNAKE_CASE
    toolset = EXTRACT

    session: str | None = Field(alias="session_id")
    """Session, from create_browser_session."""

    async def run(self, tab: Tab, out: Outcome) -> None:
        """Run the tool and collect the result in ``out``."""
        out.data = await self.answer(tab, out)

    async def answer(self, tab: Tab, out: Outcome) -> BaseModel:
        """Run the tool and return its result."""
        raise NotImplementedError


class SessionQuery(SessionTool):
    """A tool that works on the session."""

    model_config = SNAKE_CASE
    toolset = EXTRACT

    session: str | None = Field(alias="session_id")
    """Session, from create_browser_session."""

    async def run(self, session: Session, out: Outcome) -> None:
        """Run the tool and collect the result in ``out``."""
        out.data = await self.answer(session, out)

    async def answer(self, session: Session, out: Outcome) -> BaseModel:
        """Run the tool and return its result."""
        raise NotImplementedError


class ClientQuery(ClientTool):
    """A tool that works on the client's sessions."""

    model_config = SNAKE_CASE
    toolset = EXTRACT

    session: str | None = Field(alias="session_id")
    """Session, from create_browser_session."""

    async def run(self, client: Client, out: Outcome) -> None:
        """Run the tool and collect the result in ``out``."""
        out.data = await self.answer(client, out)

    async def answer(self, client: Client, out: Outcome) -> BaseModel:
        """Run the tool and return its result."""
        raise NotImplementedError


def target_of(selector: str) -> Target:
    """Return the target for a selector. Raises `InvalidParametersError` for an empty one."""
    if not selector.strip():
        raise InvalidParametersError("The selector is empty.", f"Pass {SELECTOR}.", {"selector": selector})
    return Target(selector=selector.strip(), shows_refs=False)


async def waited(tab: Tab, selector: str, limit: float = 0) -> Target:
    """Wait for the element of a selector and return its target.

    Raises `InvalidParametersError` for an empty selector, and `ElementNotFoundError` after ``limit`` seconds.
    """
    target = target_of(selector)
    await wait_target(tab, target, limit)
    return target


def _json(data: dict[str, object]) -> str:
    return one_line(json.dumps(data, ensure_ascii=False))
