"""Network tools for developers (seed 001)."""

import re
from collections.abc import Callable
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from bidi_server.browser.actions.action import Action
from bidi_server.browser.contexts.bodies import as_text, body, readable
from bidi_server.browser.contexts.conditions import Throttle
from bidi_server.browser.contexts.har import export
from bidi_server.browser.files.outputs import timestamp
from bidi_server.browser.network.requests import Request, header
from bidi_server.browser.network.timings import clock, phases
from bidi_server.browser.pages.service_workers import registrations
from bidi_server.browser.sessions.session import Session
from bidi_server.browser.tab.tab import Tab
from bidi_server.browser.words import clip
from bidi_server.errors import InvalidParametersError
from bidi_server.escapes import indented, one_line
from bidi_server.tools.base import SessionTool, TabTool
from bidi_server.tools.outcome import Outcome

if TYPE_CHECKING:
    from bidi_server.bidi.network import DataType

MAX_LINE = 500
"""Maximum length of a line of a body that was searched for, in characters."""

MAX_URL = 300
"""Maximum length of a URL in a list, in characters."""


class BrowserRecentNetworkRequests(SessionTool):
    """List the tab's network requests, newest first, over all of its pages and workers."""

    capabilities = ("dev", "network")
    read_only = True
    ignores_dialog = True

    url: str | None = None
    """Part of the URL, or a pattern with *."""
    method: str | None = None
    type: str | None = None
    """document, script, style, image, font, fetch, xhr, websocket …"""
    status: str | None = None
    """404, 4xx, failed or pending."""
    limit: Annotated[int, Field(ge=1, le=1000)] = 100

    async def run(self, session: Session, out: Outcome) -> None:
        """See the class."""
        fits = self._filter()
        tab = await session.tab()
        found = [request for request in list(tab.requests.all)[::-1] if fits(request)][: self.limit]
        text = "\n".join(one_line(_line(request)) for request in found)
        await out.say_or_save(session.outputs, text or "No requests.", "network")

    def _filter(self) -> Callable[[Request], bool]:
        status = _status(self.status)
        url = self.url or ""

        def fits(request: Request) -> bool:
            return (
                (fnmatchcase(request.url, url) if "*" in url else url in request.url)
                and (self.method is None or request.method == self.method.upper())
                and (self.type is None or request.kind == self.type.lower())
                and status(request)
            )

        return fits


class BrowserNetworkRequest(SessionTool):
    """Show one network request in full: headers, times, initiator, bodies."""

    capabilities = ("dev", "network")
    read_only = True
    ignores_dialog = True

    number: int
    """As browser_recent_network_requests lists it."""
    bodies: bool = False
    """Include request and response bodies."""
    search: str | None = None
    """Show only the lines of the bodies with this text, in any case."""

    async def run(self, session: Session, out: Outcome) -> None:
        """See the class."""
        context = await session.context()
        request = _numbered(await context.tab(), self.number)
        lines = [one_line(line) for line in (_line(request), *_details(request))]
        parts: tuple[DataType, ...] = ("request", "response") if self.bodies or self.search else ()
        for part in parts:
            data = await body(context, request, part)
            kind = header(request.request_headers, "content-type") if part == "request" else request.mime_type
            text = None if data is None else as_text(data, kind)
            if text is not None:
                lines += [f"{part.capitalize()} body:", indented(_found(text, self.search))]
            elif data:
                path = await session.outputs.save(data, f"{part}-{self.number}-{timestamp()}.bin")
                out.links.append(path)
                lines.append(f"{part.capitalize()} body: {len(data)} bytes, written to {path}")
            elif part == "response" or request.method in {"POST", "PUT", "PATCH"}:
                lines.append(f"{part.capitalize()} body: {_why_none(data, request)}")
        await out.say_or_save(session.outputs, "\n".join(lines), f"request-{self.number}")


def _found(text: str, wanted: str | None) -> str:
    """Return the lines of a body that contain a text, with their numbers; all of it if none is wanted."""
    if not wanted:
        return readable(text)
    lines = readable(text, by_line=True).split("\n")
    found = [number for number, line in enumerate(lines, 1) if wanted.lower() in line.lower()]
    return "\n".join(f"{number}: {clip(lines[number - 1], MAX_LINE)}" for number in found) or "(no such text)"


def _why_none(data: bytes | None, request: Request) -> str:
    if data is not None:
        return "empty"
    return "not there yet" if request.pending else "not kept by the browser"


class BrowserClearNetworkRequests(TabTool):
    """Clear the tab's network requests."""

    capabilities = ("dev", "network")
    read_only = True
    ignores_dialog = True
    is_step = False

    async def run(self, tab: Tab, out: Outcome) -> None:
        """See the class."""
        count = len(tab.requests.all)
        tab.requests.all.clear()
        out.say(f"Forgot {count} requests.")


class BrowserExportHar(SessionTool):
    """Write the tab's network requests to a file as HTTP Archive (HAR 1.2)."""

    capabilities = ("dev", "network")
    read_only = True
    ignores_dialog = True

    filename: str | None = None
    """Default: network-TIME.har."""
    bodies: bool = False
    """Include request and response bodies."""

    async def run(self, session: Session, out: Outcome) -> None:
        """See the class."""
        context = await session.context()
        text, count = await export(context, bodies=self.bodies)
        path = await session.outputs.save(text.encode(errors="replace"), self.filename or f"network-{timestamp()}.har")
        out.links.append(path)
        out.say(f"{count} requests written to {path}")


class BrowserSetOffline(SessionTool):
    """Take the pages and workers of the context offline, or online again. Caches keep working."""

    capabilities = ("dev", "emulate")

    offline: bool = True

    async def run(self, session: Session, out: Outcome) -> None:
        """See the class."""
        await go_offline(session, out, offline=self.offline)


class BrowserThrottleNetwork(SessionTool):
    """Throttle the context's network; without parameters, stop throttling."""

    capabilities = ("dev", "emulate")

    latency: Annotated[float, Field(ge=0)] = 0
    """Milliseconds added to each request."""
    download: Annotated[float, Field(gt=0)] | None = None
    """Kilobits per second."""
    upload: Annotated[float, Field(gt=0)] | None = None

    async def run(self, session: Session, out: Outcome) -> None:
        """See the class."""
        context = await session.context()
        await context.tab()
        wanted = Throttle(self.latency, self.download, self.upload)
        await context.conditions.set_throttle(None if wanted == Throttle() else wanted)
        limits = [f"{wanted.latency:g} ms latency"] if wanted.latency else []
        limits += [f"{wanted.download:g} kbit/s down"] if wanted.download else []
        limits += [f"{wanted.upload:g} kbit/s up"] if wanted.upload else []
        out.say(f"The network has {', '.join(limits)}." if limits else "The network is not slowed down.")


async def go_offline(session: Session, out: Outcome, *, offline: bool) -> None:
    """Take the active context offline, or online again."""
    context = await session.context()
    tab = await context.tab()
    await out.settle(tab, Action(lambda: context.conditions.set_offline(offline=offline)))
    out.say("The browser is offline." if offline else "The browser is online.")
    if offline and not context.conditions.complete and await registrations(tab):
        out.say(
            f"But {context.browser.name} leaves service workers online: what this page's worker fetches still "
            "comes from the network. Use Chromium to test the worker."
        )


def _status(wanted: str | None) -> Callable[[Request], bool]:
    text = (wanted or "").strip().lower()
    if not text:
        return lambda _: True
    if text == "failed":
        return lambda request: bool(request.failure)
    if text == "pending":
        return lambda request: request.pending
    if not re.fullmatch(r"[1-5](\d\d|xx)", text):
        raise InvalidParametersError(f"{wanted!r} is not a status.", "Pass one such as 404 or 4xx, failed or pending.")
    return lambda request: str(request.status).startswith(text.rstrip("x"))


def _numbered(tab: Tab, number: int) -> Request:
    request = tab.requests.find(number)
    if request is None:
        raise InvalidParametersError(f"There is no request {number}.", "See browser_recent_network_requests.")
    return request


def _line(request: Request) -> str:
    parts = [
        request.result,
        request.mime_type.partition(";")[0],
        request.kind,
        f"{request.size} B" if request.received else "",
        "" if request.duration is None else f"{request.duration * 1000:.0f} ms",
        f"from {request.source}" if request.source else "",
        "by a worker" if request.by_worker else "",
    ]
    return f"{request.number}. {request.method} {clip(request.url, MAX_URL)} → {', '.join(filter(None, parts))}"


def _details(request: Request) -> list[str]:
    lines: list[str] = []
    if len(request.url) > MAX_URL:
        lines.append(f"URL: {request.url}")
    lines.append(f"Started: {clock(request.started)}")
    if request.received is not None:
        lines.append(f"Protocol: {request.received.protocol}")
        content = request.received.content.size
        lines.append(f"Size: {request.size} B over the network" + (f", {content} B decoded" if content else ""))
    times = ", ".join(f"{name} {time:.1f}" for name, time in phases(request).items())
    lines.append(f"Times (ms): {times}")
    if request.initiator is not None and (by := _initiator(request)):
        lines.append(f"Initiator: {by}")
    for title, headers in (("Request", request.request_headers), ("Response", request.response_headers)):
        if headers:
            lines.append(f"{title} headers:")
            lines += [f"  {header.name}: {header.value}" for header in headers]
    return lines


def _initiator(request: Request) -> str:
    found = request.initiator
    if found is None:
        return ""
    frames = found.stack_trace.call_frames if found.stack_trace else []
    places = [f"{frame.function_name or '(anonymous)'} ({frame.url}:{frame.line_number + 1})" for frame in frames[:5]]
    if not places and found.line_number is not None:
        places = [f"line {found.line_number + 1}"]
    return f"{found.type or ''} {' < '.join(places)}".strip()
