"""The page of a test: the tools of the toolset ``browser`` as synchronous methods."""

import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypedDict, TypeVar, Unpack
from urllib.parse import urljoin

from bidi_server.advice import Operation
from bidi_server.browser.actions.target import is_ref
from bidi_server.browser.console.messages import Message
from bidi_server.browser.loading.document_request import destination
from bidi_server.browser.network.requests import Request
from bidi_server.browser.sessions.client import Client
from bidi_server.browser.sessions.session import Session
from bidi_server.browser.settling import effects as settling
from bidi_server.browser.snapshot.render import render
from bidi_server.browser.tab.dialogs import Dialog
from bidi_server.browser.tab.downloads import Download
from bidi_server.browser.tab.tab import Opened, Tab
from bidi_server.browser.words import address
from bidi_server.calls import attempt
from bidi_server.errors import ToolError
from bidi_server.escapes import one_line, visible
from bidi_server.secret.redaction import redact
from bidi_server.testing.browser_thread import BrowserThread
from bidi_server.tools.base import Tool
from bidi_server.tools.browser.files import BrowserFileUpload
from bidi_server.tools.browser.find import BrowserFind
from bidi_server.tools.browser.inspection import BrowserEvaluate, BrowserSnapshot, BrowserTakeScreenshot
from bidi_server.tools.browser.interaction import (
    BrowserClick,
    BrowserFillForm,
    BrowserHover,
    BrowserPressKey,
    BrowserSelectOption,
    BrowserType,
)
from bidi_server.tools.browser.navigation import BrowserNavigate, BrowserNavigateBack, BrowserReload
from bidi_server.tools.browser.records import BrowserConsoleMessages
from bidi_server.tools.browser.tabs import BrowserHandleDialog, BrowserTabs
from bidi_server.tools.browser.verify import (
    BrowserVerifyElementVisible,
    BrowserVerifyListVisible,
    BrowserVerifyState,
    BrowserVerifyTextVisible,
)
from bidi_server.tools.browser.visual import BrowserVerifyScreenshot
from bidi_server.tools.outcome import Outcome, Reply
from bidi_server.tools.page_text import written
from bidi_server.tools.report import ASKED, report
from bidi_server.tools.toolset import Toolset

T = TypeVar("T")

ToolClass = type[Tool]
"""A class of tools; `Page.type` hides the builtin."""

# pytest leaves out the frames of this module in the tracebacks of failed tests, which end at the line of the test.
__tracebackhide__ = True


class PageError(Exception):
    """A method of the page failed; the message says what happened and what to do next."""


class _Methods(Toolset):
    """Answers that advise the methods of `Page`, and leave out notices: they go into the report of a failed test."""

    names: Mapping[Operation, str] = {
        Operation.NAVIGATE: "page.open()",
        Operation.SNAPSHOT: "page.snapshot()",
        Operation.CLICK: "page.click()",
        Operation.TYPE: "page.type()",
        Operation.SELECT_OPTION: "page.select()",
        Operation.FILE_UPLOAD: "page.upload()",
        Operation.HANDLE_DIALOG: "page.accept_dialog() or page.dismiss_dialog()",
        Operation.WAIT_FOR: "page.verify_text()",
        Operation.EVALUATE: "page.evaluate()",
        Operation.SCREENSHOT: "page.screenshot()",
        Operation.TABS: "page.select_tab()",
    }

    def reply(self, out: Outcome) -> Reply:
        """Return the answer to a call that raised no error."""
        said = report(out, self.names)
        page = written(said.page)
        return Reply(
            visible(written([*said.lines, *said.page])), page=visible(page), failed=bool(out.failure), view=said.view
        )


_METHODS = _Methods()


class _Excerpt(BrowserSnapshot):
    """A snapshot within the budget of an action's answer."""

    async def run(self, session: Session, out: Outcome) -> None:
        """See the class."""
        out.snapshot_budget //= ASKED
        await super().run(session, out)


@dataclass(frozen=True, slots=True)
class Effects:
    """The effects of an action."""

    text: str
    """The action and its effects, in the words of the tools."""
    diff: str
    """The lines of the snapshot that changed, or the new page."""
    navigated: tuple[str, ...] = ()
    """URLs that the page has navigated to."""
    dialog: Dialog | None = None
    """The dialog that is open now."""
    downloads: tuple[Download, ...] = ()
    new_tabs: tuple[str, ...] = ()
    """URLs of the tabs that it opened."""
    console_errors: tuple[str, ...] = ()
    closed: bool = False
    """Whether the tab was closed."""


class Conditions(TypedDict, total=False):
    """Conditions on an element, or on the page."""

    visible: bool
    checked: bool | Literal["mixed"]
    enabled: bool
    selected: bool
    expanded: bool
    editable: bool
    focused: bool
    count: int
    attribute: Mapping[str, str]
    text: str
    value: str
    url: str
    title: str
    no_console_errors: bool
    no_failed_requests: bool
    timeout: float


class Page:
    """The active tab of a test's own session.

    Elements are named by a ref of the snapshot or by a selector. Every action waits until its effects are over and
    returns them. Every method but the ``verify`` methods raises `PageError`; those raise `AssertionError`.
    """

    def __init__(self, thread: BrowserThread, client: Client, base_url: str = "") -> None:
        self._thread = thread
        self._client = client
        self._base_url = base_url
        self._notices: list[str] = []

    def open(self, url: str) -> Effects:
        """Go to a URL, which may be relative to ``--agent-base-url``."""
        return self._act(BrowserNavigate, url=urljoin(self._base_url, url) if self._base_url else url)

    def back(self) -> Effects:
        """Go back in the history."""
        return self._act(BrowserNavigateBack)

    def reload(self) -> Effects:
        """Load the page again."""
        return self._act(BrowserReload)

    def click(
        self, target: str, *, button: Literal["left", "right", "middle"] = "left", double: bool = False
    ) -> Effects:
        """Click an element."""
        return self._act(BrowserClick, **_element(target), button=button, double_click=double)

    def hover(self, target: str) -> Effects:
        """Move the pointer over an element."""
        return self._act(BrowserHover, **_element(target))

    def type(self, target: str, text: str, *, clear: bool = False, submit: bool = False) -> Effects:
        """Type into a field after its content, or with ``clear`` in its place; with ``submit`` press Enter then."""
        return self._act(BrowserType, **_element(target), text=text, clear=clear, submit=submit)

    def fill(self, values: Mapping[str, str | bool | float]) -> Effects:
        """Fill fields of any kind: a text, the label of an option, or a boolean for a checkbox."""
        return self._act(
            BrowserFillForm, fields=[{**_element(target), "value": value} for target, value in values.items()]
        )

    def select(self, target: str, *options: str) -> Effects:
        """Select the options of a ``<select>`` with these labels or values."""
        return self._act(BrowserSelectOption, **_element(target), values=list(options))

    def press(self, key: str, *, repeat: int = 1) -> Effects:
        """Press a key or a combination on the focused element: ``Enter``, ``Control+a``."""
        return self._act(BrowserPressKey, key=key, repeat=repeat)

    def upload(self, *paths: str | Path, target: str | None = None) -> Effects:
        """Give files to the open file chooser, or to a file input: the target, or else the only one of the page."""
        return self._act(BrowserFileUpload, **_element(target), paths=[str(path) for path in paths])

    def accept_dialog(self, text: str | None = None) -> Effects:
        """Accept the open dialog, or the next one if none is open; ``text`` is the input for a prompt."""
        return self._act(BrowserHandleDialog, accept=True, prompt_text=text)

    def dismiss_dialog(self) -> Effects:
        """Dismiss the open dialog, or the next one if none is open."""
        return self._act(BrowserHandleDialog, accept=False)

    def select_tab(self, index: int) -> Effects:
        """Make another tab the active one, counted from 0."""
        return self._act(BrowserTabs, action="select", index=index)

    def evaluate(self, function: str, target: str | None = None) -> Any:  # noqa: ANN401 - the page determines the type
        """Return the value of a JavaScript function or expression; an element becomes its first parameter."""
        return self._call(BrowserEvaluate, **_element(target), function=function)[0].value

    def snapshot(self, target: str | None = None) -> str:
        """Return the page, or the content of an element, as an accessibility tree with refs."""
        return self._call(BrowserSnapshot, **_element(target))[1].text

    def find(self, *, text: str | None = None, role: str | None = None, name: str | None = None) -> str:
        """Return the ref of the first element with this text, role and part of a name.

        An element that can be acted on precedes the others. Raises `PageError` if no such element has a ref.
        """
        out, reply = self._call(BrowserFind, text=text, role=role, name=name)
        assert out.snapshot is not None
        assert out.search is not None
        assert out.tab is not None
        prefix = out.tab.shared.ref_prefix
        lines = render(out.snapshot, all_refs=True, prefix=prefix, with_empty=True)
        found = [line for line in lines if out.search.finds(line)]
        ref = next((line.ref for line in found if line.ref), "") or next((line.way for line in found if line.way), "")
        if not ref:
            advice = "None of these has a ref. Pass a selector, such as getByText('…').\n" if found else ""
            raise PageError(f"{advice}{reply.text}")
        return ref

    def screenshot(self, path: str | Path | None = None, *, target: str | None = None, full_page: bool = False) -> Path:
        """Write a picture of the viewport, an element or the full page, and return its path.

        Without a path it is a new file in the folder for the files of the test.
        """
        name = Path(path).name if path is not None else None
        out, _ = self._call(BrowserTakeScreenshot, **_element(target), filename=name, full_page=full_page)
        return out.files[0] if path is None else Path(shutil.move(out.files[0], path))

    @property
    def url(self) -> str:
        """The URL of the page."""
        return self._read(lambda tab: tab.url)

    @property
    def title(self) -> str:
        """The title of the page."""
        snapshot = self._call(BrowserSnapshot)[0].snapshot
        return snapshot.title if snapshot is not None else ""

    @property
    def console(self) -> list[Message]:
        """The messages in the console since the page was loaded, oldest first."""
        return self._read(lambda tab: tab.console.at_level("debug", tab.page_start))

    @property
    def requests(self) -> list[Request]:
        """The requests since the page was loaded, oldest first."""
        return self._read(lambda tab: tab.requests.all.since(tab.page_start))

    def verify_text(self, text: str, *, timeout: float | None = None) -> None:
        """Verify that a text is visible, in any case."""
        self._verify(BrowserVerifyTextVisible, text=text, timeout=timeout)

    def verify_element(self, role: str, name: str = "", *, timeout: float | None = None) -> None:
        """Verify that an element of a role and a part of an accessible name is visible."""
        self._verify(BrowserVerifyElementVisible, role=role, accessible_name=name, timeout=timeout)

    def verify_list(self, target: str, items: Sequence[str], *, timeout: float | None = None) -> None:
        """Verify that a list shows all items, in any order."""
        self._verify(BrowserVerifyListVisible, **_element(target), items=list(items), timeout=timeout)

    def verify_value(self, target: str, value: str | bool, *, timeout: float | None = None) -> None:
        """Verify the value of a control; of a checkbox or radio button, whether it is checked."""
        condition = {"checked": value} if isinstance(value, bool) else {"value": value}
        self._verify(BrowserVerifyState, **_element(target), **condition, timeout=timeout)

    def verify_state(self, target: str | None = None, **conditions: Unpack[Conditions]) -> None:
        """Verify all conditions: on an element, on the page, or on both."""
        self._verify(BrowserVerifyState, **_element(target), **conditions)

    def verify_screenshot(
        self,
        name: str,
        target: str | None = None,
        *,
        full_page: bool = False,
        mask: Sequence[str] = (),
        threshold: float = 0,
        update: bool = False,
    ) -> None:
        """Compare a picture of the viewport, an element or the full page with its baseline; the first run writes it.

        ``mask`` are elements to cover, ``threshold`` is the share of the pixels that may differ, and ``update``
        replaces the baseline.
        """
        options = {"full_page": full_page, "mask": list(mask), "threshold": threshold, "update": update}
        self._verify(BrowserVerifyScreenshot, **_element(target), name=name, **options)

    def expect_no_errors(self) -> None:
        """Verify that the page has printed no errors and that no request has failed since it was loaded."""
        self.verify_state(no_console_errors=True, no_failed_requests=True)

    def describe(self) -> str:
        """Return the state of the page for the report of a failed test: URL, snapshot, console errors, a screenshot."""
        if self._client.opened() is None:
            return "\n".join([*self._notices, "The test has opened no page."])
        parts: list[str] = [f"URL: {address(self.url)}"]
        for tool, arguments in (
            (_Excerpt, {}),
            (BrowserConsoleMessages, {"level": "error"}),
            (BrowserTakeScreenshot, {"filename": "failure.png"}),
        ):
            try:
                parts.append(self._call(tool, **arguments)[1].text)
            except PageError as error:
                parts.append(str(error))
        # An open dialog is the answer to all three.
        return "\n".join(dict.fromkeys([*self._notices, *parts]))

    def _call(self, tool: ToolClass, **arguments: object) -> tuple[Outcome, Reply]:
        """Run a tool. Raises `PageError`."""
        out = Outcome()
        given = {name: value for name, value in arguments.items() if value is not None}
        answer = self._thread.run(lambda: attempt(tool, given, self._client, _METHODS, out))
        self._notices += map(one_line, out.notices)
        if isinstance(answer, ToolError):
            raise PageError(redact(visible(answer.spelled(_METHODS.names))))
        if answer.failed:
            raise PageError(redact(answer.text))
        return out, answer

    def _act(self, tool: ToolClass, **arguments: object) -> Effects:
        out, reply = self._call(tool, **arguments)
        caused: settling.Effects[object] = out.effects or settling.Effects(cursor=0, entries=())
        return Effects(
            reply.text,
            reply.page,
            tuple(caused.navigated),
            caused.dialog,
            tuple(caused.downloads),
            tuple(destination(each.tab) for each in caused.of(Opened)),
            tuple(each.headline(full=True) for each in caused.of(Message) if each.level == "error"),
            caused.closed,
        )

    def _verify(self, tool: ToolClass, **arguments: object) -> None:
        try:
            self._call(tool, **arguments)
        except PageError as error:
            raise AssertionError(str(error)) from None

    def _read(self, function: Callable[[Tab], T]) -> T:
        async def read() -> T | ToolError:
            try:
                return function(await self._client.session().tab())
            except ToolError as error:
                return error

        found = self._thread.run(read)
        if isinstance(found, ToolError):
            raise PageError(visible(found.spelled(_METHODS.names)))
        return found


def _element(target: str | None) -> dict[str, str]:
    """Return the parameters that name an element by its ref or a selector."""
    if target is None:
        return {}
    return {"ref": target} if is_ref(target.strip()) else {"selector": target}
