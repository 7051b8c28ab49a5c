"""Tests of pages: ``--caps testing``."""

from collections.abc import Iterable, Sequence
from typing import Annotated, Literal

import trio
from pydantic import BaseModel, ConfigDict, Field

from bidi_server.browser.actions.target import on_element
from bidi_server.browser.pages.verify import (
    CHECKBOXES,
    Attribute,
    ElementConditions,
    PageConditions,
    verify_element,
    verify_element_visible,
    verify_list_visible,
    verify_page,
    verify_text_visible,
)
from bidi_server.browser.tab.tab import Tab
from bidi_server.browser.words import address, clip
from bidi_server.errors import InvalidParametersError, VerificationError
from bidi_server.escapes import one_line
from bidi_server.page.api import Locator, Locators
from bidi_server.tools.base import TabTool
from bidi_server.tools.browser.interaction import ElementTool
from bidi_server.tools.outcome import Outcome

Timeout = Annotated[float, Field(ge=0, le=300)] | None


class BrowserVerifyElementVisible(TabTool):
    """Verify that an element is visible."""

    capabilities = ("testing",)
    read_only = True
    is_step = True

    role: str
    """ARIA role, as in the snapshot."""
    accessible_name: str
    """Part of its name, in any case."""
    timeout: Timeout = None
    """Seconds to wait for it."""

    async def run(self, tab: Tab, out: Outcome) -> None:
        """See the class."""
        limit = _limit(tab, self.timeout)
        _say(out, [await verify_element_visible(tab, self.role, self.accessible_name, limit)])


class BrowserVerifyTextVisible(TabTool):
    """Verify that a text is visible, in any case."""

    capabilities = ("testing",)
    read_only = True
    is_step = True

    text: str
    timeout: Timeout = None
    """Seconds to wait for it."""

    async def run(self, tab: Tab, out: Outcome) -> None:
        """See the class."""
        if not self.text.strip():
            raise InvalidParametersError("The text is empty.", "Pass the text that must be visible.")
        _say(out, [await verify_text_visible(tab, self.text, _limit(tab, self.timeout))])


class BrowserVerifyListVisible(ElementTool):
    """Verify that a list shows all items, in any order."""

    capabilities = ("testing",)
    read_only = True
    is_step = True

    items: Annotated[list[str], Field(min_length=1)]
    """Part of the text of each."""
    timeout: Timeout = None
    """Seconds to wait for it."""

    async def run(self, tab: Tab, out: Outcome) -> None:
        """See the class."""
        _say(out, [await verify_list_visible(tab, self.target(), self.items, _limit(tab, self.timeout))])


class BrowserVerifyValue(ElementTool):
    """Verify the value of a control."""

    capabilities = ("testing",)
    read_only = True
    is_step = True

    type: Literal["textbox", "checkbox", "radio", "combobox", "slider"]
    value: str
    """For a checkbox or radio: true or false."""
    timeout: Timeout = None
    """Seconds to wait for it."""

    async def run(self, tab: Tab, out: Outcome) -> None:
        """See the class."""
        conditions = ElementConditions(value=self.value)
        if self.type in CHECKBOXES:
            if self.value not in {"true", "false"}:
                raise InvalidParametersError(
                    f"value: the value of a {self.type} is true or false, not {clip(self.value)!r}."
                )
            conditions = ElementConditions(checked=self.value == "true")
        _say(out, await verify_element(tab, self.target(), conditions, _limit(tab, self.timeout)))


class AttributeCondition(BaseModel):
    """An attribute of an element."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    name: str
    value: str | None = None
    """Any if left out."""


class BrowserVerifyState(ElementTool):
    """Verify all conditions that are given: on an element (ref or selector), on the page, or on both."""

    capabilities = ("testing",)
    read_only = True
    is_step = True

    visible: bool | None = None
    checked: bool | Literal["mixed"] | None = None
    enabled: bool | None = None
    selected: bool | None = None
    expanded: bool | None = None
    editable: bool | None = None
    focused: bool | None = None
    count: Annotated[int, Field(ge=0)] | None = None
    """Number of elements that match the selector."""
    attribute: AttributeCondition | None = None
    text: str | None = None
    """Part of the text of the element."""
    value: str | None = None
    url: str | None = None
    """Part of the page's URL, or a glob such as **/cart."""
    page_title: str | None = Field(None, alias="title")
    """Part of the page's title."""
    no_console_errors: bool = False
    """None since the last navigation."""
    no_failed_requests: bool = False
    """None since the last navigation."""
    timeout: Timeout = None
    """Seconds to wait for it."""

    async def run(self, tab: Tab, out: Outcome) -> None:
        """See the class."""
        attribute = Attribute(self.attribute.name, self.attribute.value) if self.attribute is not None else None
        element = ElementConditions(
            visible=self.visible,
            checked=self.checked,
            enabled=self.enabled,
            selected=self.selected,
            expanded=self.expanded,
            editable=self.editable,
            focused=self.focused,
            count=self.count,
            attribute=attribute,
            text=self.text,
            value=self.value,
        )
        page = PageConditions(self.url, self.page_title, self.no_console_errors, self.no_failed_requests)
        self._check(element, page)
        limit, began = _limit(tab, self.timeout), trio.current_time()
        lines: list[str] = []
        failures: list[VerificationError] = []
        if element != ElementConditions():
            try:
                lines += await verify_element(tab, self.target(), element, limit)
            except VerificationError as error:
                failures.append(error)
        if page != PageConditions():
            try:
                lines += await verify_page(tab, page, limit, began)
            except VerificationError as error:
                failures.append(error)
        if failures:
            last = failures[-1]
            raise VerificationError(" ".join(each.message for each in failures), last.advice, last.details)
        _say(out, lines)

    def _check(self, element: ElementConditions, page: PageConditions) -> None:
        """Raise `InvalidParametersError` if the conditions and the element do not go together."""
        is_named = bool(self.ref or self.selector)
        if element == ElementConditions() and (is_named or page == PageConditions()):
            raise InvalidParametersError(
                "There is nothing to verify.", "Pass a condition, such as visible with ref or selector, or url."
            )
        if self.count is not None and not self.selector:
            raise InvalidParametersError("count: it is the number of a selector's matches.", "Pass selector.")


class BrowserGenerateLocator(ElementTool):
    """List selectors for an element, the best first, for tests with Playwright and Selenium."""

    capabilities = ("testing",)
    read_only = True

    async def run(self, tab: Tab, out: Outcome) -> None:
        """See the class."""
        found = await on_element(tab, self.target(), Locators, "extra.locators")
        out.say(f"Locators of {found}, the best first:", found.note)
        for locator in found.answer.locators:
            out.quote("\n".join(map(one_line, _lines(locator))))
        if found.frame is not tab.main:
            out.say(f"The element is in the frame {address(found.frame.url)}, which a test has to enter first.")


def _limit(tab: Tab, timeout: float | None) -> float:
    return tab.limits.action if timeout is None else timeout


def _say(out: Outcome, sentences: Iterable[str]) -> None:
    out.say(*(f"Verified: {sentence}" for sentence in sentences))


def _lines(locator: Locator) -> Sequence[str]:
    """Return the lines about a selector: itself, and how Selenium takes it."""
    number = f"{locator.matches} match{'' if locator.matches == 1 else 'es'}"
    line = f"{locator.kind}: {locator.selector} ({number})"
    match locator.kind:
        case "id" | "css":
            call = ".shadow_root".join(
                f".find_element(By.CSS_SELECTOR, {_python(part)})" for part in locator.selector.split(" >>> ")
            )
            return [line, f"  Selenium: driver{call}"]
        case "xpath":
            path = locator.selector.removeprefix("xpath=")
            return [line, f"  Selenium: driver.find_element(By.XPATH, {_python(path)})"]
        case _:
            return [line]


def _python(text: str) -> str:
    """Return a string literal of Python in double quotes."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\r", "\\r")
    return f'"{escaped}"'
