"""Acting on elements."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

from bidi_server.browser import actions
from bidi_server.browser.element import Found, Target
from bidi_server.browser.render import clip, quote
from bidi_server.browser.tab import Tab
from bidi_server.tools.base import TabTool
from bidi_server.tools.outcome import Outcome


class ElementTool(TabTool):
    """A tool that acts on one element."""

    ref: str | None = None
    """Ref of the element in the snapshot."""
    selector: str | None = None
    """CSS selector, instead of ref."""
    element: str | None = None
    """What you take the element for."""

    def target(self) -> Target:
        """Return the element that the call names."""
        return Target.parse(self.ref, self.selector, self.element)


class BrowserClick(ElementTool):
    """Click an element."""

    button: Literal["left", "right", "middle"] = "left"
    double_click: bool = False
    modifiers: list[Literal["Alt", "Control", "ControlOrMeta", "Meta", "Shift"]] = Field(default_factory=list)
    """Keys held down meanwhile."""

    async def run(self, tab: Tab, out: Outcome) -> None:
        """See the class."""
        target = self.target()
        async with out.settled(tab) as receipt:
            found = await actions.click(
                tab,
                receipt,
                target,
                button=self.button,
                count=2 if self.double_click else 1,
                modifiers=self.modifiers,
            )
            _say(out, "Double-clicked" if self.double_click else f"{_VERB[self.button]}", found)


class BrowserHover(ElementTool):
    """Move the pointer over an element."""

    async def run(self, tab: Tab, out: Outcome) -> None:
        """See the class."""
        target = self.target()
        async with out.settled(tab) as receipt:
            _say(out, "Hovered over", await actions.hover(tab, receipt, target))


class BrowserType(ElementTool):
    """Type text into a field with real key events, after what is there."""

    text: str
    clear: bool = False
    """Replace what is there."""
    submit: bool = False
    """Press Enter at the end."""
    slowly: bool = False
    """Key by key, however long the text is."""

    async def run(self, tab: Tab, out: Outcome) -> None:
        """See the class."""
        target = self.target()
        async with out.settled(tab) as receipt:
            found = await actions.type_text(
                tab, receipt, target, self.text, clear=self.clear, submit=self.submit, slowly=self.slowly
            )
            _say(out, f"Typed {_shown(found, self.text)}{' and Enter' if self.submit else ''} into", found)


class BrowserPressKey(TabTool):
    """Press a key or a combination where the focus is."""

    key: str
    """A character or a name: Enter, Tab, Escape, ArrowDown, Control+a."""

    async def run(self, tab: Tab, out: Outcome) -> None:
        """See the class."""
        async with out.settled(tab) as receipt:
            await actions.press(tab, receipt, self.key)
            out.say(f"Pressed {self.key}.")


class BrowserSelectOption(ElementTool):
    """Select options of a <select>."""

    values: list[str]
    """Values or labels; several where the list takes several."""

    async def run(self, tab: Tab, out: Outcome) -> None:
        """See the class."""
        target = self.target()
        async with out.settled(tab) as receipt:
            found, selected = await actions.select(tab, receipt, target, self.values)
            _say(out, f"Selected {', '.join(quote(label) for label in selected) or 'nothing'} in", found)


class FormField(BaseModel):
    """One field of a form."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", use_attribute_docstrings=True, alias_generator=to_camel, validate_by_name=True
    )

    ref: str | None = None
    selector: str | None = None
    name: str | None = None
    """What you take the field for."""
    type: str | None = None
    """Kind of field; found out if left out."""
    value: str | bool | float
    """Text, an option's label, or true/false for a checkbox."""


class BrowserFillForm(TabTool):
    """Fill several fields at once: text, checkboxes, radio buttons, selects, dates, sliders."""

    fields: list[FormField]

    async def run(self, tab: Tab, out: Outcome) -> None:
        """See the class."""
        targets = [Target.parse(field.ref, field.selector, field.name) for field in self.fields]
        async with out.settled(tab) as receipt:
            for field, target in zip(self.fields, targets, strict=True):
                found, value = await actions.fill(tab, receipt, target, field.value)
                out.say(f"{found}: {_shown(found, value)}")
                out.say(found.note)


_VERB = {"left": "Clicked", "right": "Right-clicked", "middle": "Middle-clicked"}


def _say(out: Outcome, what: str, found: Found) -> None:
    out.say(f"{what} {found}.")
    out.say(found.note)


def _shown(found: Found, text: str) -> str:
    # A secret that the agent typed need not come back to it, nor stand in logs of answers.
    props = found.info.get("props")
    secret = isinstance(props, dict) and props.get("type") == "password"  # pyright: ignore[reportUnknownMemberType]
    return "a password" if secret else quote(clip(text))
