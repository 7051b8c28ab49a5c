"""Page tools for developers (seed 001)."""

from typing import Annotated, Literal

from pydantic import Field

from bidi_server.bidi.values import from_remote
from bidi_server.browser.actions.action import Action
from bidi_server.browser.files import image_file
from bidi_server.browser.pages.evaluate import evaluate_raw, show
from bidi_server.browser.pages.performance import Performance, measure
from bidi_server.browser.pages.service_workers import change, registrations
from bidi_server.browser.pages.wait import wait_selector
from bidi_server.browser.sessions.session import Session
from bidi_server.browser.snapshot.frame import Question
from bidi_server.browser.tab.tab import Tab
from bidi_server.config import File
from bidi_server.errors import ToolError
from bidi_server.page.api import Registration, Worker
from bidi_server.tools.base import SessionTool, TabTool
from bidi_server.tools.outcome import Outcome, Picture


class BrowserEval(SessionTool):
    """Run a JavaScript expression in the page and return its value."""

    capabilities = ("dev",)

    expression: str
    wait: Annotated[bool, Field(alias="await")] = True
    """Wait for the value of a promise."""

    async def run(self, session: Session, out: Outcome) -> None:
        """See the class."""
        tab = await session.tab()
        tab.dialogs.check_none()
        leaving = Question(tab.main)

        async def perform() -> None:
            value = await evaluate_raw(tab, self.expression, await_promise=self.wait, leaving=leaving)
            await out.say_or_save(session.outputs, show(from_remote(value)), "eval")

        await out.settle(tab, Action(perform, leaving=leaving), until="load")


class BrowserWaitForSelector(TabTool):
    """Wait until a selector finds an element."""

    capabilities = ("dev",)
    read_only = True

    selector: str
    visible: bool = False
    """Also wait until it is visible."""
    timeout: Annotated[float, Field(ge=0, le=300)] = 30
    """Seconds."""

    async def run(self, tab: Tab, out: Outcome) -> None:
        """See the class."""

        async def wait() -> None:
            await wait_selector(tab, self.selector, visible=self.visible, limit=self.timeout)
            out.say(f"{self.selector!r} is {'visible' if self.visible else 'there'}.")

        await out.settle(tab, Action(wait, keeps_time=True))


class ReadImage(SessionTool):
    """Look at an image file on the disk: PNG, JPEG, GIF or WebP."""

    capabilities = ("dev",)
    read_only = True
    ignores_dialog = True

    path: File

    async def run(self, session: Session, out: Outcome) -> None:
        """See the class."""
        image = await image_file.read_image(await session.files.readable(self.path))
        size, shown = (f"{width}x{height}" for width, height in (image.size, image.shown))
        out.say(f"{self.path}: {size} pixels{'' if size == shown else f', shown as {shown}'}")
        out.pictures.append(Picture(image.data, image.mime_type))


class BrowserServiceWorkers(TabTool):
    """Show the service workers of the page's origin, unregister them, or update them."""

    capabilities = ("dev",)

    action: Literal["list", "unregister", "update"] = "list"
    scope: str | None = None
    """Only the registration with this scope."""

    async def run(self, tab: Tab, out: Outcome) -> None:
        """See the class."""
        if self.action != "list":
            changed = await change(tab, self.action, self.scope)
            if not changed:
                raise ToolError(f"There is nothing to {self.action}.", "See action list.")
            out.say(f"{'Unregistered' if self.action == 'unregister' else 'Updated'}: {', '.join(changed)}")
        found = await registrations(tab)
        if found is None:
            out.say("Pages here can't have service workers: they need https, or localhost.")
        elif not found:
            out.say("No service worker is registered.")
        else:
            for each in found:
                out.say(_registration(each))


class BrowserPerformance(TabTool):
    """Measure the page: loading, painting, long tasks, transferred bytes."""

    capabilities = ("dev",)
    read_only = True

    async def run(self, tab: Tab, out: Outcome) -> None:
        """See the class."""
        found = await measure(tab)
        for line in _performance(found):
            out.say(line)


def _registration(found: Registration) -> str:
    states = [
        f"{name} {_worker(worker)}"
        for name, worker in (("active", found.active), ("waiting", found.waiting), ("installing", found.installing))
        if worker is not None
    ]
    control = "controls this page" if found.controls else "does not control this page"
    return f"{found.scope}: registered, {', '.join(states) or 'no worker'}, {control}"


def _worker(worker: Worker) -> str:
    return f"{worker.url} ({worker.state})"


def _performance(found: Performance) -> list[str]:
    lines = [f"{name}: {time:.0f} ms" for name, time in found.milestones.items()]
    if found.tasks is None:
        lines.append("long tasks: this browser does not tell")
    else:
        times = ", ".join(f"{length:.0f} ms at {start:.0f}" for start, length in found.tasks[:10])
        lines.append(f"long tasks: {len(found.tasks)}{f' ({times})' if times else ''}")
    if found.shift is not None:
        lines.append(f"cumulative layout shift: {found.shift:.3f}")
    lines.append(f"requests: {found.requests}, {found.transferred} bytes over the network")
    return lines
