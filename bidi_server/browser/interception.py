"""Requests that are stopped: for pages that must not be opened, and those that an agent wants blocked or answered."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

import trio

from bidi_server.bidi.network import (
    AddIntercept,
    BeforeRequestSent,
    ContinueRequest,
    FailRequest,
    Header,
    ProvideResponse,
    RemoveIntercept,
    StringValue,
)
from bidi_server.bidi.wire import Command, Event, Result
from bidi_server.browser.origin import origin_of
from bidi_server.browser.pattern import Pattern

if TYPE_CHECKING:
    from collections.abc import Callable

    from bidi_server.bidi.connection import Connection
    from bidi_server.browser.addresses import AllowList
    from bidi_server.browser.shared import Shared
    from bidi_server.browser.tab import Tab

NO_CONTENT = 204
"""Ends a navigation and leaves the page as it is: https://www.rfc-editor.org/rfc/rfc9110#name-204-no-content."""

_NEVER_KEPT = {"Cache-Control": "no-store"}
"""Chromium sends the request after all when an answer has neither headers nor a body."""


@dataclass(frozen=True, slots=True)
class Rule:
    """What happens to requests whose URL a pattern is found in."""

    pattern: Pattern
    action: Literal["block", "answer"]
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict[str, str])
    body: str = ""


class Interception:
    """The rules of one context. The last one that fits counts."""

    def __init__(self) -> None:
        self.allowed: AllowList | None = None
        self.rules: list[Rule] = []

    @property
    def needed(self) -> bool:
        """Whether requests have to be stopped at all, which costs each of them some time."""
        return self.allowed is not None or bool(self.rules)

    def rule(self, url: str) -> Rule | None:
        """Return the rule for a URL."""
        return next((rule for rule in reversed(self.rules) if rule.pattern.found_in(url)), None)

    def refuses(self, event: BeforeRequestSent) -> bool:
        """Whether the request is for a page that must not be opened."""
        return event.navigation is not None and self.allowed is not None and not self.allowed.allows(event.request.url)


class Interceptor:
    """Answers for every context of a browser.

    ``owner`` gives the interception of what sent a request, and the tab if it was a page. Every request that waits is
    answered, whichever intercept stopped it: between a command and the answer to it nobody knows their names.
    """

    def __init__(
        self, connection: "Connection", owner: "Callable[[BeforeRequestSent], tuple[Shared | None, Tab | None]]"
    ) -> None:
        self._connection = connection
        self._owner = owner
        self._intercept = ""
        self._listening = False
        self._switching = trio.Lock()
        self.exempt: set[str] = set()
        """Browsing contexts whose requests somebody else answers."""

    async def switch(self, *, on: bool) -> None:
        """Have the browser ask us about every request from now on, or no more."""
        async with self._switching:
            if on and not self._intercept:
                self.listen()
                self._intercept = (await self._connection.send(AddIntercept(phases=["beforeRequestSent"]))).intercept
            elif not on and self._intercept:
                # Whether or not the answer comes, we can't rely on it any more.
                intercept, self._intercept = self._intercept, ""
                await self._connection.send(RemoveIntercept(intercept=intercept))

    def listen(self) -> None:
        """Answer from now on, also for intercepts that are not ours."""
        if not self._listening:
            self._listening = True
            self._connection.add_listener(self._on_event)

    def _on_event(self, event: Event) -> None:
        if isinstance(event, BeforeRequestSent) and event.is_blocked and event.context not in self.exempt:
            self._connection.send_nowait(self._answer(event))

    def _answer(self, event: BeforeRequestSent) -> Command[Result]:
        request = event.request.request
        shared, tab = self._owner(event)
        if shared is None:
            return ContinueRequest(request=request)
        if shared.interception.refuses(event):
            if tab is not None:
                tab.on_refusal(event)
            return ProvideResponse(request=request, status_code=NO_CONTENT, headers=_headers(_NEVER_KEPT))
        rule = shared.interception.rule(event.request.url)
        if rule is None:
            return ContinueRequest(request=request)
        if rule.action == "block":
            return FailRequest(request=request)
        frame = tab.frames.get(event.context or "") if tab is not None else None
        return _answer(event, rule, origin_of(frame.url) if frame is not None else "")


def _answer(event: BeforeRequestSent, rule: Rule, asking: str) -> ProvideResponse:
    sent = {header.name.lower(): str(header.value) for header in event.request.headers}
    # Another origin's page may read a made-up answer, and its preflight is not for the agent to answer.
    # https://fetch.spec.whatwg.org/#http-cors-protocol
    said = _NEVER_KEPT | rule.headers
    # Chromium does not tell this header.
    if origin := sent.get("origin") or asking:
        said |= {"Access-Control-Allow-Origin": origin, "Access-Control-Allow-Credentials": "true"}
    status, body = rule.status, rule.body
    if event.request.method == "OPTIONS" and "access-control-request-method" in sent:
        said["Access-Control-Allow-Methods"] = sent["access-control-request-method"]
        said["Access-Control-Allow-Headers"] = sent.get("access-control-request-headers", "")
        status, body = NO_CONTENT, ""
    return ProvideResponse(
        request=event.request.request, status_code=status, headers=_headers(said), body=StringValue(value=body)
    )


def _headers(values: dict[str, str]) -> list[Header]:
    return [Header(name=name, value=StringValue(value=value)) for name, value in values.items()]
