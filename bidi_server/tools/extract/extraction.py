"""Extraction of data from pages (seed 004, section 4)."""

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

from bidi_server.browser.actions.action import Action
from bidi_server.browser.pages.evaluate import evaluate_json
from bidi_server.browser.pages.read import html_of, info_of, text_of
from bidi_server.browser.snapshot.frame import Question
from bidi_server.browser.tab.tab import Tab
from bidi_server.errors import ScriptError
from bidi_server.tools.extract.base import CamelResult, Result, TabQuery, target_of
from bidi_server.tools.outcome import Outcome


class Value(Result):
    """What a script gave."""

    result: object
    """Any JSON value; null for undefined."""


class Html(Result):
    """HTML."""

    html: str


class Text(Result):
    """Text."""

    text: str


class Box(BaseModel):
    """CSS pixels from the top left of the page."""

    x: float
    y: float
    width: float
    height: float


class ElementInfo(CamelResult):
    """An element."""

    model_config = ConfigDict(alias_generator=to_camel)

    text: str
    attributes: dict[str, str]
    bounding_box: Box
    is_visible: bool
    tag_name: str
    selector: str
    """CSS that names no other element."""


class ExecuteJs(TabQuery):
    """Execute JavaScript in the page: an expression, statements with return, or a function. Promises are awaited."""

    script: str
    """Must return a JSON-serializable value."""
    args: list[object] = Field(default_factory=list[object])
    """Arguments of a function; statements get them as args."""

    async def answer(self, tab: Tab, out: Outcome) -> Value:
        """See the class."""
        leaving = Question(tab.main)

        async def perform() -> Value:
            return Value(result=await evaluate_json(tab, self.script, self.args, leaving=leaving))

        effects = await out.settle(tab, Action(perform, leaving=leaving), tab.limits.navigation, until="load")
        if effects.result is None:
            raise ScriptError(f"The page was left before the script ended; now it is {tab.url}.", "Try again there.")
        return effects.result


class GetHtml(TabQuery):
    """Get the HTML of the page or of an element."""

    read_only = True

    selector: str | None = None
    """Default: the whole page."""
    outer_html: bool = True
    """The element itself too, not only its content."""

    async def answer(self, tab: Tab, out: Outcome) -> Html:
        """See the class."""
        target = target_of(self.selector) if self.selector is not None else None
        return Html(html=await tab.ask(lambda: html_of(tab, target, outer=self.outer_html)))


class GetText(TabQuery):
    """Get the visible text of the page or of an element."""

    read_only = True

    selector: str | None = None
    """Default: the whole page."""

    async def answer(self, tab: Tab, out: Outcome) -> Text:
        """See the class."""
        target = target_of(self.selector) if self.selector is not None else None
        return Text(text=await tab.ask(lambda: text_of(tab, target)))


class GetElementInfo(TabQuery):
    """Get an element's text, attributes, place and visibility."""

    read_only = True

    selector: str

    async def answer(self, tab: Tab, out: Outcome) -> ElementInfo:
        """See the class."""
        target = target_of(self.selector)
        details = await tab.ask(lambda: info_of(tab, target))
        return ElementInfo.model_validate(details.model_dump(include=set(ElementInfo.model_fields)))
