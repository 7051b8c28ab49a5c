"""Base classes of tools. A tool is a frozen model of its parameters, with a method that runs it."""

import re
from abc import abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import replace
from difflib import get_close_matches
from functools import cache
from importlib import import_module
from inspect import isabstract
from pathlib import Path
from pkgutil import iter_modules
from typing import ClassVar, Self

from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic.alias_generators import to_camel
from pydantic_core import ErrorDetails

from bidi_server.browser.contexts.context import Context
from bidi_server.browser.sessions.allowance import Allowance
from bidi_server.browser.sessions.client import Client
from bidi_server.browser.sessions.session import Session
from bidi_server.browser.tab.tab import Tab
from bidi_server.browser.words import clip
from bidi_server.config import Capability
from bidi_server.errors import InvalidParametersError, NotAllowedError, ToolError
from bidi_server.secret.parameters import secret_names, with_values
from bidi_server.tools.caused import meanwhile
from bidi_server.tools.outcome import Outcome
from bidi_server.tools.recording import Start, recorded
from bidi_server.tools.schemas import slim
from bidi_server.tools.toolset import BROWSER, Toolset
from drivers.json_values import fields

_SPELLING = {
    "har": "HAR",
    "html": "HTML",
    "js": "JavaScript",
    "localstorage": "localStorage",
    "pdf": "PDF",
    "sessionstorage": "sessionStorage",
    "webmcp": "WebMCP",
    "xy": "at coordinates",
    "keydown": "key down",
    "keyup": "key up",
    "unroute": "remove route",
}
"""Words in the names of tools that people spell in another way."""


class Tool(BaseModel):
    """The parameters of one tool. The name of the class becomes that of the tool, its docstring the description.

    Attribute docstrings describe the parameters. Subclass `TabTool`, `SessionTool` or `ClientTool`, or the class that a
    toolset has in its place, which names the toolset and the parameter ``session``.
    """

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        use_attribute_docstrings=True,
        alias_generator=to_camel,
        validate_by_name=True,
        defer_build=True,
    )

    session: str | None = None
    """Session to work in: a name from browser_session_create or from an earlier answer."""

    toolset: ClassVar[Toolset] = BROWSER
    capabilities: ClassVar[tuple[Capability, ...]] = ()
    """Values of ``--caps``, each of which enables the tool. A tool without any is always enabled."""
    local: ClassVar[bool] = False
    """Whether the tool is only for the user who started the server, not for clients over HTTP."""
    enables: ClassVar[bool] = False
    """Whether the tool enables capabilities."""
    read_only: ClassVar[bool] = False
    """Whether the tool leaves the page unchanged."""
    is_step: ClassVar[bool | None] = None
    """Whether a call is a step of a test; None if it is one unless it is `read_only`."""
    ignores_dialog: ClassVar[bool] = False
    """Whether the tool works while a dialog of the page is open."""

    @classmethod
    @cache
    def tool_name(cls) -> str:
        """Return the name that clients call."""
        return cls.toolset.tool_name(cls.__name__)

    @classmethod
    def title(cls) -> str:
        """Return the name for people: ``browser_cookie_list`` is "Cookie list"."""
        words = re.split(r"[._]", re.sub(r"^browser[._]", "", cls.tool_name()))
        text = " ".join(_SPELLING.get(word, word) for word in words)
        return text if text.startswith(("localStorage", "sessionStorage")) else text[0].upper() + text[1:]

    @classmethod
    def session_parameter(cls) -> str:
        """Return the toolset's name for the parameter ``session``."""
        return cls.model_fields["session"].alias or "session"

    @classmethod
    def description(cls) -> str:
        """Return the description of the tool, in one paragraph."""
        return re.sub(r"\s*\n\s*", " ", (cls.__doc__ or "").strip())

    @classmethod
    def input_schema(cls, *, sessions: bool = False) -> dict[str, object]:
        """Return the JSON schema of the parameters, without the parts that models do not need.

        The parameter ``session`` is only for clients with named ``sessions``; others do not pay tokens for it. ``tab``
        is explained once, in the instructions of the server. A call with an unknown parameter is refused anyway.
        """
        schema = slim(cls.model_json_schema(), offs=cls.toolset.shows_defaults)
        schema.pop("additionalProperties", None)
        properties = fields(schema.get("properties"))
        named, tab = properties.pop("session", None), properties.pop("tab", None)
        if tab is not None and cls.toolset.takes_tab:
            properties["tab"] = {"type": "integer"}
        if sessions and named is not None and not issubclass(cls, ClientTool):
            properties["session"] = named
        return schema

    @classmethod
    def output_schema(cls) -> dict[str, object] | None:
        """Return the JSON schema of the data in the answer, or None if there is none."""
        return cls.toolset.output_schema(cls)

    @classmethod
    def parse(cls, arguments: Mapping[str, object]) -> Self:
        """Validate a call's arguments. Raises `InvalidParametersError` with one line that says what to change."""
        try:
            return cls.model_validate(dict(arguments))
        except ValidationError as error:
            raise InvalidParametersError(_explain(cls, error)) from error

    @classmethod
    def is_offered(cls, capabilities: Iterable[str], *, far: bool) -> bool:
        """Whether a server with these capabilities offers the tool; ``far`` means over HTTP."""
        is_enabled = not cls.capabilities or not set(cls.capabilities).isdisjoint(capabilities)
        return is_enabled and not (far and cls.local)

    @classmethod
    def scopes(cls) -> tuple[str, ...]:
        """Return the scopes of OAuth that allow calls, each by itself: the capabilities, else the toolset."""
        return cls.capabilities or (cls.toolset.scope,)

    @classmethod
    def is_in(cls, allowance: Allowance) -> bool:
        """Whether a client with this allowance is offered the tool."""
        return allowance.offers(cls.tool_name(), cls.capabilities, enables=cls.enables)

    @classmethod
    def check_allowed(cls, allowance: Allowance) -> None:
        """Check that a client may call the tool, by itself or as a step. Raises `NotAllowedError`."""
        if not cls.is_in(allowance):
            raise NotAllowedError(f"{allowance.holder} may not call {cls.tool_name()}.", allowance.way_out)
        allowance.check_scope(cls.tool_name(), cls.scopes())

    @classmethod
    def refused(cls, allowance: Allowance) -> ToolError | None:
        """Return why a call is refused before it begins. If it is not, count it and return None."""
        try:
            cls.check_allowed(allowance)
            allowance.take_call()
        except ToolError as error:
            return error
        return None

    @abstractmethod
    async def serve(self, client: Client, out: Outcome) -> None:
        """Run the call of a client."""


class InSession(Tool):
    """A tool that works in one session. Subclass `TabTool` or `SessionTool`."""

    tab: int | None = None
    """Index of a tab to select before."""

    async def serve(self, client: Client, out: Outcome) -> None:
        """Run the call in its session, after the earlier calls of that session."""
        session = self.toolset.find_session(client, self.session)
        out.snapshot_mode = session.config.snapshot_mode if self.toolset.shows_page else "none"
        out.snapshot_budget = session.config.snapshot_budget
        out.console_level = session.config.console_level or out.console_level
        async with session.call(out.progress):
            session.allowance, session.performed = client.allowance, []
            out.session = session
            try:
                await self.perform(session, out)
            finally:
                # A download may have ended after the effects were collected: the report shows how it stands now.
                if out.tab is not None and out.effects is not None:
                    out.tab.shared.tell(out.effects.entries)
                out.notices += [*session.take_notices(), *meanwhile(session.take_untold(), self.toolset.names)]
                if (context := session.active_context) is not None:
                    out.tabs, out.active_tab = list(context.tabs), context.active

    async def perform(self, session: Session, out: Outcome) -> None:
        """Select the tab that the call is for, and run the call; no other call runs in the session meanwhile."""
        self.check_allowed(session.allowance)  # steps of other tools too
        session.performed.append(self.tool_name())
        if self.tab is not None:
            context = await session.context()
            if context.tab_at(self.tab) is not context.active:
                await context.select(self.tab)
                out.notices.append(f"Tab {self.tab} is the active one now.")
        start = Start.now(session.active_tab)
        filled = await with_values(self, session.config)
        await filled.work(session, out)
        if self._is_step() and not out.failure:
            tab = out.tab or session.active_tab
            arguments = self.model_dump(mode="json", by_alias=True, exclude_unset=True, exclude={"session"})
            names = secret_names(self) if filled is not self else ()
            session.steps.add(recorded(self.tool_name(), arguments, start, tab, out.effects, names))

    @classmethod
    def _is_step(cls) -> bool:
        if cls.toolset is not BROWSER:
            return False
        return not cls.read_only if cls.is_step is None else cls.is_step

    @abstractmethod
    async def work(self, session: Session, out: Outcome) -> None:
        """Run the call in the active tab or in the whole session."""


class TabTool(InSession):
    """A tool that works on the active tab."""

    async def work(self, session: Session, out: Outcome) -> None:
        """Run the call in the active tab. Raises `DialogOpenError` if a dialog is open, unless `ignores_dialog`."""
        tab = await session.tab()
        if not self.ignores_dialog:
            tab.dialogs.check_none()
        await self.run(tab, out)
        if out.effects is not None and out.effects.closed:
            await _go_on(await session.context(), out)

    @abstractmethod
    async def run(self, tab: Tab, out: Outcome) -> None:
        """Run the tool and collect the result in ``out``."""


async def _go_on(context: Context, out: Outcome) -> None:
    """Make the answer show the tab that is active after the page has closed itself."""
    tab = context.active
    if tab is not None and out.effects is not None:
        after = Outcome(snapshot_mode=out.snapshot_mode)
        await after.shows(tab)
        if after.effects is not None:
            out.tab, out.effects = tab, replace(out.effects, snapshot=after.effects.snapshot)


class SessionTool(InSession):
    """A tool that works on the session: its tabs and contexts."""

    async def work(self, session: Session, out: Outcome) -> None:
        """Run the call."""
        await self.run(session, out)

    @abstractmethod
    async def run(self, session: Session, out: Outcome) -> None:
        """Run the tool and collect the result in ``out``."""


class ClientTool(Tool):
    """A tool that works on the client's sessions."""

    async def serve(self, client: Client, out: Outcome) -> None:
        """Run the call of a client."""
        await (await with_values(self, client.config)).run(client, out)

    @abstractmethod
    async def run(self, client: Client, out: Outcome) -> None:
        """Run the tool and collect the result in ``out``."""


def pair_of(first: float | None, second: float | None, names: str) -> tuple[float, float] | None:
    """Return two parameters that go together; None if neither is given. Raises `InvalidParametersError` for one alone.

    ``names`` are the parameters, such as "x and y".
    """
    if first is None and second is None:
        return None
    if first is None or second is None:
        raise InvalidParametersError(f"{names} go together.", "Pass both, or none.")
    return first, second


@cache
def tools_of(package: str) -> dict[str, type[Tool]]:
    """Return the tools of a toolset by name. A toolset is a package with a module for each family of tools."""
    names = [found.name for found in iter_modules(import_module(package).__path__) if found.name != "base"]
    modules = [import_module(f"{package}.{name}") for name in names]
    found: dict[str, type[Tool]] = {}
    for module in modules:
        for value in fields(vars(module)).values():
            if not (isinstance(value, type) and issubclass(value, Tool) and value.__module__ == module.__name__):
                continue
            if not isabstract(value):
                found[value.tool_name()] = value
    return found


def offered(toolsets: Iterable[str], capabilities: Iterable[str], *, far: bool = False) -> dict[str, type[Tool]]:
    """Return the tools that a server with these toolsets and capabilities offers, by name; ``far`` means over HTTP."""
    wanted = tuple(capabilities)
    everything = [tools_of(f"bidi_server.tools.{toolset}") for toolset in toolsets]
    return {
        name: tool for tools in everything for name, tool in sorted(tools.items()) if tool.is_offered(wanted, far=far)
    }


def offered_alone(
    name: str, toolsets: Iterable[str], capabilities: Iterable[str], *, far: bool = False
) -> type[Tool] | None:
    """Return an offered tool of the toolset ``browser`` and import no other module of tools than its own.

    All of them take 0.13 s, and a client may wait for its first page. None if there is no such tool: see `offered`.
    """
    if "browser" not in toolsets:
        return None
    package = import_module("bidi_server.tools.browser")
    class_name = "".join(part.capitalize() for part in name.split("_"))
    for folder in map(Path, package.__path__):
        for file in folder.glob("*.py"):
            if f"\nclass {class_name}(" in file.read_text(encoding="utf-8"):
                tool = vars(import_module(f"{package.__name__}.{file.stem}")).get(class_name)
                if isinstance(tool, type) and issubclass(tool, Tool) and tool.tool_name() == name:
                    return tool if tool.is_offered(capabilities, far=far) else None
    return None


def unknown_tool(name: str, names: list[str]) -> str:
    """Return the error about a tool that is not offered, with its capability or the closest name."""
    tool = tools_of("bidi_server.tools.browser").get(name)
    if tool is not None and tool.capabilities and "browser_enable" in names:
        return f'Unknown tool: {name}. To enable it, call browser_enable {{"caps": ["{tool.capabilities[0]}"]}}.'
    name = clip(name)
    close = get_close_matches(name, names, 1) or [each for each in names if each.endswith((f"_{name}", f".{name}"))]
    return f"Unknown tool: {name}." + (f" Did you mean {close[0]}?" if close else "")


def _explain(tool: type[Tool], error: ValidationError) -> str:
    errors = error.errors()
    name = tool.tool_name()
    names = [
        field.alias or name for name, field in tool.model_fields.items() if name != "tab" or tool.toolset.takes_tab
    ]
    missing = [_where(each) for each in errors if each["type"] == "missing"]
    # A missing parameter may have been given under a wrong name.
    first = next((each for each in errors if each["type"] == "extra_forbidden"), errors[0])
    where = _where(first)
    match first["type"]:
        case "extra_forbidden":
            last = clip(where.rpartition(".")[2])
            close = get_close_matches(last, names, 1, 0.5) or get_close_matches(to_camel(last), names, 1, 0.5)
            hint = f" Did you mean {close[0]!r}?" if close and "." not in where else ""
            needs = f" It needs: {', '.join(missing)}." if missing and missing != close else ""
            return f"{name} has no parameter {where!r}.{hint}{needs} It takes: {', '.join(names) or 'none'}."
        case "missing":
            return f"{name} needs the parameter{'s' if len(missing) > 1 else ''} {', '.join(map(repr, missing))}."
        case _:
            value = repr(first["input"])
            return f"{where}: {first['msg'].removeprefix('Value error, ')}, not {value[:80]}."


def _where(error: ErrorDetails) -> str:
    """Return the parameter that an error is about, and the position in it."""
    path = [str(part) for part in error["loc"]]
    return ".".join(part for part in path if not part.startswith(("function-", "literal[")))
