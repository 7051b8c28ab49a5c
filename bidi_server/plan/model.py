"""A plan: the steps of a session, with the elements that they acted on and their effects (docs/plan.schema.json)."""

from dataclasses import dataclass, field, replace
from typing import Literal

from bidi_server.plan.faults import ConsoleError, FailedRequest

Kind = Literal["role", "label", "testid", "id", "placeholder", "text", "css", "xpath", "selector"]
"""Kinds of locators, the most lasting first; "selector" is one that an agent wrote."""

POSITIONAL: tuple[Kind, ...] = ("css", "xpath")
"""Kinds that may match another element after a change of the page's structure."""


@dataclass(frozen=True, slots=True)
class Locator:
    """A way to find an element again."""

    kind: Kind
    selector: str
    """A selector as the tools of bidi-server take it."""
    matches: int
    """Number of elements in the frame that it matched when the step ran."""

    @property
    def is_positional(self) -> bool:
        """Whether it may match another element after a change of the page's structure."""
        return ".nth(" in self.selector or (self.kind in POSITIONAL and not self.is_by_text)

    @property
    def is_by_text(self) -> bool:
        """Whether it is an XPath with the text of the element."""
        return self.kind == "xpath" and "normalize-space()=" in self.selector


@dataclass(frozen=True, slots=True)
class Element:
    """An element that a step acted on."""

    role: str
    name: str
    tag: str
    type: str = ""
    """Type of an ``<input>`` that is not for plain text: date, email, password."""
    locators: tuple[Locator, ...] = ()
    """The most lasting first."""
    frame: tuple[str, ...] = ()
    """URLs of the frames that the element is in, outermost first; empty in the main frame."""


@dataclass(frozen=True, slots=True)
class Caused:
    """The effects of a step."""

    navigated: bool = False
    """Whether the page changed its URL."""
    dialog: str = ""
    """Type and message of the dialog that it opened."""
    tabs: int = 0
    """Number of tabs that it opened."""
    downloads: tuple[str, ...] = ()
    """Names of the files that it downloaded."""
    console_errors: tuple[ConsoleError, ...] = ()
    """Errors of the page's scripts, without messages of the browser, such as Firefox's about a failed request."""
    failed_requests: tuple[FailedRequest, ...] = ()
    closed: bool = False
    """Whether it closed the tab."""


@dataclass(frozen=True, slots=True)
class Step:
    """A call of a tool that succeeded."""

    tool: str
    arguments: dict[str, object] = field(default_factory=dict[str, object])
    """Arguments without those that name elements. A secret stands as ``{{NAME}}``."""
    elements: dict[str, Element] = field(default_factory=dict[str, Element])
    """The elements, by the arguments that take their selectors: ``selector``, ``fields.0.selector``.

    A check keeps the selector that the agent wrote among its arguments; then its element is for exports only.
    """
    url: str = ""
    """URL of the page after the step."""
    title: str = ""
    """Title of the page after the step."""
    caused: Caused = field(default_factory=Caused)
    seconds: float = 0
    secrets: tuple[str, ...] = ()
    """Names of the secrets in the arguments."""


@dataclass(frozen=True, slots=True)
class Plan:
    """The steps of a session."""

    name: str
    steps: tuple[Step, ...]
    base_url: str = ""
    """Origin of the first page. A replay can use another."""
    viewport: tuple[int, int] | None = None
    """Width and height in CSS pixels."""
    version: Literal[1] = 1

    @property
    def secrets(self) -> tuple[str, ...]:
        """Names of the secrets that the steps need."""
        return tuple(dict.fromkeys(name for step in self.steps for name in step.secrets))

    def at(self, base_url: str) -> "Plan":
        """Return the plan for the same pages at another origin."""
        old, new = self.base_url, base_url.rstrip("/")
        if not old or old == new:
            return self
        return replace(self, base_url=new, steps=tuple(_moved(step, old, new) for step in self.steps))


def _moved(step: Step, old: str, new: str) -> Step:
    arguments = {
        name: moved_url(value, old, new) if name == "url" and isinstance(value, str) else value
        for name, value in step.arguments.items()
    }
    caused = replace(
        step.caused,
        console_errors=tuple(replace(each, url=moved_url(each.url, old, new)) for each in step.caused.console_errors),
        failed_requests=tuple(replace(each, url=moved_url(each.url, old, new)) for each in step.caused.failed_requests),
    )
    return replace(step, url=moved_url(step.url, old, new), arguments=arguments, caused=caused)


def moved_url(url: str, old: str, new: str) -> str:
    """Return a URL with another origin if it has the old one."""
    rest = url.removeprefix(old)
    return f"{new}{rest}" if url.startswith(old) and rest[:1] in ("", "/", "?", "#") else url
