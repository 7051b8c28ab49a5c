"""Requests: listing, recording, blocking and answering them (seed 004, section 6)."""

import base64
from typing import Annotated, ClassVar, Literal

from pydantic import Field
from pydantic.alias_generators import to_camel

from bidi_server.browser.contexts.bodies import as_text, body
from bidi_server.browser.contexts.context import Context
from bidi_server.browser.contexts.har import export
from bidi_server.browser.files.outputs import timestamp
from bidi_server.browser.network.requests import Request
from bidi_server.browser.network.rules import Rule, check_header
from bidi_server.browser.pages.performance import measure
from bidi_server.browser.pattern import Pattern
from bidi_server.browser.sessions.session import Session
from bidi_server.browser.tab.tab import Tab
from bidi_server.secret.parameters import SECRETS, WithSecrets
from bidi_server.secret.text import check_origins
from bidi_server.tools.extract.base import CamelResult, Part, Result, SessionQuery, TabQuery
from bidi_server.tools.outcome import Outcome


class Filter(Part):
    """Which requests."""

    url_pattern: str | None = None
    """Regular expression."""
    method: Literal["GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS"] | None = None
    resource_type: str | None = None
    """xhr, fetch, document, image, script, style, font …"""


class RequestInfo(Part):
    """A request; ``status`` is null while there is no answer."""

    url: str
    method: str
    status: int | None
    resourceType: str  # noqa: N815 - the seed's word
    error: str | None = None
    request_body: str | None = None
    response_body: str | None = None
    """Text, or base64 of what is none; null where it was not recorded."""
    response_body_encoding: Literal["base64"] | None = None


class Requests(Result):
    """Requests, oldest first."""

    sparse: ClassVar[bool] = True

    requests: list[RequestInfo]
    note: str | None = None


class Interception(Result):
    """What is intercepted."""

    status: Literal["enabled", "disabled"]
    pattern: str | None


class Exported(Result):
    """A file."""

    path: str
    requests: int


class Metrics(CamelResult):
    """How the page performed. Times are in milliseconds since its navigation began."""

    timings: dict[str, float]
    requests: int
    transferred_bytes: int
    long_tasks: int | None
    """Over 50 ms; null where the browser does not tell."""
    layout_shift: float | None


class GetNetworkRequests(SessionQuery):
    """Get the tab's requests."""

    read_only = True

    filter: Filter = Filter()
    include_response_body: bool = False

    async def answer(self, session: Session, out: Outcome) -> Requests:
        """See the class."""
        pattern = Pattern(self.filter.url_pattern) if self.filter.url_pattern is not None else None
        context = await session.context()
        tab = await context.tab()
        chosen = [request for request in tab.requests.all if self._fits(request, pattern)]
        note = None
        if self.include_response_body and context.collector is None:
            await context.keep_bodies()
            note = "Bodies are recorded from now on. For earlier ones: enable_request_interception before navigate."
        found = [
            await _told(context, request, bodies=self.include_response_body or _is_recorded(session, request))
            for request in chosen
        ]
        return Requests(requests=found, note=note)

    def _fits(self, request: Request, pattern: Pattern | None) -> bool:
        wanted = self.filter
        return (
            (pattern is None or pattern.found_in(request.url))
            and wanted.method in (None, request.method)
            and (wanted.resource_type is None or wanted.resource_type.lower() == request.kind)
        )


def _is_recorded(session: Session, request: Request) -> bool:
    return any(pattern.found_in(request.url) for pattern in session.recorded)


async def _told(context: Context, request: Request, *, bodies: bool) -> RequestInfo:
    sent = received = None
    encoding = None
    if bodies:
        raw = await body(context, request, "response")
        received = as_text(raw, request.mime_type) if raw is not None else None
        if raw and received is None:
            received, encoding = base64.b64encode(raw).decode(), "base64"
        raw = await body(context, request, "request")
        sent = raw.decode(errors="replace") if raw else None
    more = {
        "error": request.failure or None,
        "request_body": sent,
        "response_body": received,
        "response_body_encoding": encoding,
    }
    told = {
        "url": request.url,
        "method": request.method,
        "status": request.status or None,
        "resourceType": request.kind,
    }
    return RequestInfo.model_validate({**told, **{name: value for name, value in more.items() if value is not None}})


class EnableRequestInterception(SessionQuery):
    """Record matching requests with their bodies, or block or answer them. Must be called before navigate."""

    url_pattern: str
    """Regular expression."""
    action: Literal["record", "block", "answer"] = "record"
    status: Annotated[int, Field(ge=200, le=599)] = 200
    """Of the answer."""
    headers: Annotated[dict[str, str], SECRETS] = Field(default_factory=dict[str, str])
    body: WithSecrets = ""

    async def answer(self, session: Session, out: Outcome) -> Interception:
        """See the class."""
        pattern = Pattern(self.url_pattern)
        # A regular expression may match URLs of any origin.
        check_origins([self.body, *self.headers.values()], "", "in an interception by a regular expression")
        for name, value in self.headers.items():
            check_header(name, value)
        context = await session.context()
        if self.action == "record":
            session.recorded.append(pattern)
            await context.keep_bodies()
        else:
            rule = Rule(pattern, self.action, self.status, dict(self.headers), self.body.encode())
            context.shared.interception.rules.append(rule)
            await context.browser.intercept()
        return Interception(status="enabled", pattern=self.url_pattern)


class DisableRequestInterception(SessionQuery):
    """Stop intercepting requests."""

    async def answer(self, session: Session, out: Outcome) -> Interception:
        """See the class."""
        context = await session.context()
        session.recorded.clear()
        context.shared.interception.rules.clear()
        await context.browser.intercept()
        return Interception(status="disabled", pattern=None)


class ExportHar(SessionQuery):
    """Write the tab's requests to a HAR file."""

    read_only = True

    path: str | None = None
    """File within the output folder."""
    include_bodies: bool = False

    async def answer(self, session: Session, out: Outcome) -> Exported:
        """See the class."""
        context = await session.context()
        text, count = await export(context, bodies=self.include_bodies)
        path = await session.outputs.save(text.encode(errors="replace"), self.path or f"network-{timestamp()}.har")
        out.files.append(path)
        return Exported(path=str(path.absolute()), requests=count)


class GetPerformanceMetrics(TabQuery):
    """Measure how the page loaded."""

    read_only = True

    async def answer(self, tab: Tab, out: Outcome) -> Metrics:
        """See the class."""
        found = await measure(tab)
        return Metrics(
            timings={to_camel(name.lower().replace(" ", "_")): time for name, time in found.milestones.items()},
            requests=found.requests,
            transferred_bytes=found.transferred,
            long_tasks=None if found.tasks is None else len(found.tasks),
            layout_shift=found.shift,
        )
