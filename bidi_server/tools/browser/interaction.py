"""Actions on elements."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

from bidi_server.browser.actions.action import Action
from bidi_server.browser.actions.clicks import click, hover
from bidi_server.browser.actions.target import Found, Target
from bidi_server.browser.actions.text import press, type_text
from bidi_server.browser.actions.values import Filled, fill, select
from bidi_server.browser.pages.wait import wait_selector
from bidi_server.browser.settling.effects import Effects
from bidi_server.browser.snapshot.model import Row, Snapshot
from bidi_server.browser.tab.tab import Tab
from bidi_server.browser.words import clip, describe, spoken
from bidi_server.errors import ToolError
from bidi_server.escapes import quote
from bidi_server.page.api import Chosen
from bidi_server.secret.parameters import SECRETS, WithSecrets
from bidi_server.tools.base import TabTool
from bidi_server.tools.outcome import Outcome

_CHECKED = frozenset({"checkbox", "switch", "radio", "menuitemcheckbox", "menuitemradio"})
_ONE_OF = frozenset({"radio", "menuitemradio"})
_SELECTED = frozenset({"option", "tab"})
"""Roles whose state a click changes: always, only to checked, and only if the click has no other effect."""

_INPUTS = frozenset({"input", "textarea"})
_TEXT_FIELDS = frozenset({"textbox", "searchbox", "spinbutton", "combobox"})
"""Tags and roles of fields whose rows in the snapshot have a value unless it is empty."""

MASK = "••••"
"""Text that snapshots show instead of a password."""

SLOW_KEY = 0.2
"""Addition to the time limit for each key that is typed slowly, in seconds. Firefox on a busy machine takes 0.05 s."""

MAX_HELD = 400
"""Maximum length of an editor's text that an answer quotes, in characters."""

MAX_REPEAT = 100
"""Maximum number of presses of a key in one call."""

Modifier = Literal["Alt", "Control", "ControlOrMeta", "Meta", "Shift"]


class ElementTool(TabTool):
    """A tool that acts on one element."""

    ref: str | None = None
    """Ref of the element in the snapshot."""
    selector: str | None = None
    """Instead of ref: CSS with >>>, text=, role=, xpath= or getByRole(…)."""
    element: str | None = None
    """Description of the element."""

    def target(self) -> Target:
        """Return the element that the call names."""
        return Target.parse(self.ref, self.selector, self.element)


class BrowserClick(ElementTool):
    """Click an element."""

    button: Literal["left", "right", "middle"] = "left"
    double_click: bool = False
    modifiers: list[Modifier] = Field(default_factory=list[Modifier])
    """Keys held down meanwhile."""
    wait: bool = False
    """Wait for the selector's element to appear."""

    async def run(self, tab: Tab, out: Outcome) -> None:
        """See the class."""
        target = self.target()
        if self.wait and self.selector is not None:
            await wait_selector(tab, self.selector, visible=False, limit=tab.limits.navigation)
        count = 2 if self.double_click else 1
        effects = await out.settle(
            tab, lambda: click(tab, target, button=self.button, count=count, modifiers=self.modifiers)
        )
        _say(out, "Double-clicked" if self.double_click else _VERB[self.button], effects.element)
        if effects.element is not None and self.button == "left" and not (self.double_click or self.modifiers):
            out.say(_unmoved(tab, effects, effects.element))


class BrowserHover(ElementTool):
    """Move the pointer over an element."""

    async def run(self, tab: Tab, out: Outcome) -> None:
        """See the class."""
        target = self.target()
        effects = await out.settle(tab, lambda: hover(tab, target))
        _say(out, "Hovered over", effects.element)


class BrowserType(ElementTool):
    """Type text into a field with real key events, after its content. Editors get a paste."""

    text: WithSecrets
    clear: bool = False
    """Replace the content."""
    submit: bool = False
    """Press Enter at the end."""
    slowly: bool = False
    """Key by key, also in editors: for suggestions and shortcuts."""

    async def run(self, tab: Tab, out: Outcome) -> None:
        """See the class."""
        target = self.target()
        limit = tab.limits.action + (len(self.text) * SLOW_KEY if self.slowly else 0)
        effects = await out.settle(
            tab,
            lambda: type_text(tab, target, self.text, clear=self.clear, submit=self.submit, slowly=self.slowly),
            limit,
        )
        found, entered = effects.element, effects.result
        if found is None:
            return
        _say(out, f"Typed {spoken(found.info, self.text)}{' and Enter' if self.submit else ''} into", found)
        if entered is not None and entered.differs and not effects.navigated:
            out.say(_changed(entered.value or ""))
        elif entered is not None and entered.before is not None:
            out.say(self._kept(effects, found, entered.before))

    def _kept(self, effects: Effects[object], found: Found, before: str) -> str:
        """Return a remark on a field that does not show the text typed into it, or ""."""
        if self.submit or set("\n\t") & set(self.text) or effects.navigated:
            return ""
        now = _shown_instead(effects, found, f"{before}{self.text}")
        return f"But {found} shows {quote(clip(now))} now." if now is not None else ""


class BrowserPressKey(TabTool):
    """Press a key or a combination on the focused element."""

    key: str
    """A character or a name: Enter, Tab, Escape, ArrowDown, Control+a."""
    repeat: Annotated[int, Field(ge=1, le=MAX_REPEAT)] = 1
    """How many times."""

    async def run(self, tab: Tab, out: Outcome) -> None:
        """See the class."""
        effects = await out.settle(tab, press(tab, self.key, self.repeat))
        out.tells_focus = True
        out.say(f"Pressed {self.key}{f' {self.repeat} times' if self.repeat > 1 else ''}.")
        if effects.snapshot is not None and shows_no_change(tab, effects):
            out.say(self._without_effect(tab, effects.snapshot))

    def _without_effect(self, tab: Tab, snapshot: Snapshot) -> str:
        """Return a remark on a key that has changed nothing: which element received it, or ""."""
        focused = next((row for row in reversed(snapshot.rows) if row.props.get("active")), None)
        if focused is None:
            return "Nothing on the page has the focus."
        if len(self.key) > 1 or focused.role not in _TEXT_FIELDS or focused.props.get("value") == MASK:
            return ""
        ref = f"{tab.shared.ref_prefix}{focused.ref}" if focused.ref else ""
        field = describe({"role": focused.role, "name": focused.name, "ref": ref})
        return f"The text of {field} is the same as before."


class BrowserSelectOption(ElementTool):
    """Select options of a <select>."""

    values: list[str]
    """Values or labels; several where the list takes several."""

    async def run(self, tab: Tab, out: Outcome) -> None:
        """See the class."""
        target = self.target()
        effects = await out.settle(tab, lambda: select(tab, target, self.values))
        chosen = effects.result.chosen if effects.result is not None else []
        _say(out, f"Selected {', '.join(map(quote, chosen)) or 'nothing'} in", effects.element)
        if effects.element is not None and effects.result is not None:
            out.say(_deselected(effects, effects.element, effects.result))


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
    value: Annotated[str | bool | float, SECRETS]
    """Text, an option's label, or true/false for a checkbox."""


class BrowserFillForm(TabTool):
    """Fill several fields at once: text, checkboxes, radio buttons, selects, dates, sliders."""

    fields: list[FormField]

    async def run(self, tab: Tab, out: Outcome) -> None:
        """See the class."""
        targets = [Target.parse(field.ref, field.selector, field.name) for field in self.fields]
        filled: list[Filled] = []

        async def perform() -> None:
            for field, target in zip(self.fields, targets, strict=True):
                try:
                    filled.append(await (await fill(tab, target, field.value)).perform())
                except ToolError as error:
                    if not filled:
                        raise
                    # Earlier fields stay filled: the agent must know where to continue, and what has changed.
                    out.failure = error.spelled(self.toolset.names)
                    break
                _say(out, f"Filled {spoken(filled[-1].element.info, filled[-1].value)} into", filled[-1].element)

        effects = await out.settle(
            tab, Action(perform, scripts_only=not any(isinstance(field.value, bool) for field in self.fields))
        )
        for each in filled:
            out.say(_reverted(effects, each))
        out.say(out.failure)


_VERB = {"left": "Clicked", "right": "Right-clicked", "middle": "Middle-clicked"}


def _say(out: Outcome, what: str, found: Found | None) -> None:
    if found is not None:
        out.say(f"{what} {found}.", found.note)


def _reverted(effects: Effects[object], filled: Filled) -> str:
    """Return a remark on a field that no longer has the value that was filled in, or ""."""
    found = filled.element
    if filled.differs and not effects.navigated:
        return _changed(filled.value)
    row = _row(effects, found)
    if row is not None and row.role in _CHECKED:
        is_checked = row.props.get("checked") is True
        wrong = is_checked != (filled.value == "checked")
        return f"But {found} is {'checked' if is_checked else 'not checked'} now." if wrong else ""
    # A slider may show its number in its own form, "40 %".
    now = None if filled.is_compared else _shown_instead(effects, found, filled.value)
    if now is None:
        return ""
    return f"But {found} shows {quote(clip(now))} now. It may want an option to be chosen, or a key such as Enter."


def _changed(held: str) -> str:
    """Return a remark on an editor that changed the entered text to another."""
    return f"But the editor changed the text: it holds {quote(clip(held, MAX_HELD))} now."


def _unmoved(tab: Tab, effects: Effects[object], found: Found) -> str:
    """Return a remark on a control whose state the click should have changed but did not, or ""."""
    row = _row(effects, found)
    if row is None:
        return ""
    before = found.info["props"]
    if row.role in _CHECKED and before.get("checked") == row.props.get("checked"):
        if row.role in _ONE_OF and row.props.get("checked") is True:
            return ""
        return f"But {found} is still {'checked' if row.props.get('checked') is True else 'not checked'}."
    selected = before.get("selected") or row.props.get("selected")
    if row.role in _SELECTED and not selected and shows_no_change(tab, effects):
        return f"But {found} is not selected."
    return ""


def shows_no_change(tab: Tab, effects: Effects[object]) -> bool:
    """Whether the page shows the same after an action as before."""
    seen, now = tab.view.seen, effects.snapshot
    return seen is not None and now is not None and not effects.navigated and seen.shows_what(now)


def _deselected(effects: Effects[object], found: Found, done: Chosen) -> str:
    """Return a remark on a ``<select>`` whose selection the page has undone, or ""."""
    if sorted(done.selected) != sorted(done.chosen):
        return f"But {found} has {', '.join(map(quote, done.selected)) or 'nothing'} selected now."
    now = _shown_instead(effects, found, done.chosen[0]) if len(done.chosen) == 1 else None
    return f"But {found} has {quote(clip(now))} selected now." if now is not None else ""


def _row(effects: Effects[object], found: Found) -> Row | None:
    """Return the row of an element in the snapshot after the action, or None if the element is gone."""
    ref = str(found.info.get("ref") or "").rpartition(":")[2]
    if effects.snapshot is None or effects.navigated:
        return None
    return effects.snapshot.by_ref.get(ref)


def _shown_instead(effects: Effects[object], found: Found, value: str) -> str | None:
    """Return the value that a field shows in the snapshot if it is not the expected one, else None."""
    row = _row(effects, found)
    if row is None:
        return None
    now = row.props.get("value", "" if found.info.get("tag") in _INPUTS and row.role in _TEXT_FIELDS else None)
    return now if isinstance(now, str) and now.split() != value.split() and now != MASK else None
