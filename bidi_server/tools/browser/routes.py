"""Answering, blocking and changing the requests of pages: ``--caps network``."""

import json
from collections.abc import Sequence
from mimetypes import guess_type
from typing import Annotated, Literal

import trio
from pydantic import Field

from bidi_server.browser.contexts.context import MAX_BODY
from bidi_server.browser.disk import read
from bidi_server.browser.network.rules import Rule, check_header
from bidi_server.browser.pattern import Pattern
from bidi_server.browser.sessions.session import Session
from bidi_server.browser.words import clip
from bidi_server.config import File
from bidi_server.errors import InvalidParametersError
from bidi_server.escapes import quote
from bidi_server.secret.parameters import SECRETS
from bidi_server.secret.text import check_pattern
from bidi_server.tools.base import SessionTool
from bidi_server.tools.browser.network import go_offline
from bidi_server.tools.outcome import Outcome

MAX_SHOWN = 80
"""Maximum length of a body in a list of routes, in characters."""


class BrowserRoute(SessionTool):
    """Answer, block, delay or change the context's requests to some URLs. Of several routes that match, the last wins.

    Without status, body, file and abort the requests are sent, with the headers and after the delay.
    """

    capabilities = ("network",)
    ignores_dialog = True

    pattern: Annotated[str, Field(min_length=1)]
    """Whole URL as a glob: https://api.example.com/**, **/*.{png,jpg}, or /api/users of any host."""
    method: str | None = None
    """Only GET, POST …"""
    status: Annotated[int, Field(ge=200, le=599)] | None = None
    """Of the answer."""
    body: Annotated[str | None, SECRETS] = None
    file: File | None = None
    """With the body of the answer."""
    content_type: str | None = None
    headers: Annotated[list[str], SECRETS] = Field(default_factory=list[str])
    """"Name: Value", of the answer, or of a request that is sent."""
    remove_headers: str | None = None
    """Headers to send the request without: names, separated by commas."""
    abort: bool = False
    """Fail the request."""
    delay: Annotated[float, Field(ge=0, le=600_000)] = 0
    """Milliseconds to wait before that."""

    async def run(self, session: Session, out: Outcome) -> None:
        """See the class."""
        rule = await self._rule(session)
        context = await session.context()
        context.shared.interception.rules.append(rule)
        await context.browser.intercept()
        out.say(f"Route: {_line(rule)}")

    async def _rule(self, session: Session) -> Rule:
        """Return the rule. Raises `InvalidParametersError` for parameters that contradict each other."""
        check_pattern([self.body, *self.headers], self.pattern)
        answers = self.file is not None or any(
            given is not None for given in (self.status, self.body, self.content_type)
        )
        removed = frozenset(name.strip().lower() for name in (self.remove_headers or "").split(",") if name.strip())
        if self.body is not None and self.file is not None:
            raise InvalidParametersError("The answer has one body only.", "Pass body or file.")
        if self.abort and (answers or self.headers or removed):
            raise InvalidParametersError("abort leaves nothing to answer or to send.", "Pass abort alone.")
        if answers and removed:
            raise InvalidParametersError("removeHeaders is for requests that are sent.", "Leave it out.")
        if not (answers or self.headers or removed or self.abort or self.delay):
            raise InvalidParametersError(
                "The route does nothing.", "Pass status, body, file, abort, headers, removeHeaders or delay."
            )
        headers = dict(map(_header, self.headers))
        body = b""
        if answers:
            body = await self._body(session)
            headers = {"Content-Type": self._type(body)} | headers
        return Rule(
            Pattern.of_glob(self.pattern),
            "block" if self.abort else "answer" if answers else "send",
            self.status or 200,
            headers,
            body,
            (self.method or "").upper(),
            removed,
            self.delay / 1000,
        )

    async def _body(self, session: Session) -> bytes:
        if self.file is None:
            return (self.body or "").encode(errors="replace")
        path = await session.files.readable(self.file)
        try:
            return await trio.to_thread.run_sync(read, path, MAX_BODY)
        except OSError as error:
            raise InvalidParametersError(f"{path} can't be read: {error.strerror}.", "Check file.") from error

    def _type(self, body: bytes) -> str:
        """Return the media type of the answer: that given, that of the file's name, or that of what the body is."""
        if self.content_type is not None:
            return self.content_type
        if self.file is not None:
            return guess_type(self.file.name)[0] or "application/octet-stream"
        text = body.lstrip()
        if text.startswith(b"<"):
            return "text/html; charset=utf-8"
        return "application/json" if text.startswith((b"{", b"[")) and _is_json(text) else "text/plain; charset=utf-8"


class BrowserRouteList(SessionTool):
    """List the routes of the context."""

    capabilities = ("network",)
    read_only = True
    ignores_dialog = True

    async def run(self, session: Session, out: Outcome) -> None:
        """See the class."""
        rules = (await session.context()).shared.interception.rules
        for number, rule in enumerate(rules, 1):
            out.say(f"{number}. {_line(rule)}, {rule.count} request{'' if rule.count == 1 else 's'} so far")
        if not rules:
            out.say("No routes.")


class BrowserUnroute(SessionTool):
    """Remove the routes of a pattern, or all."""

    capabilities = ("network",)
    ignores_dialog = True

    pattern: str | None = None

    async def run(self, session: Session, out: Outcome) -> None:
        """See the class."""
        context = await session.context()
        rules = context.shared.interception.rules
        kept = [rule for rule in rules if self.pattern not in (None, rule.pattern.text)]
        removed = len(rules) - len(kept)
        if self.pattern is not None and not removed:
            raise InvalidParametersError(f"There is no route {clip(self.pattern)!r}.", "See browser_route_list.")
        rules[:] = kept
        await context.browser.intercept()
        out.say(f"Removed {removed} route{'' if removed == 1 else 's'}.")


class BrowserNetworkStateSet(SessionTool):
    """Take the pages and workers of the context offline, or online again. Caches keep working."""

    capabilities = ("network",)

    state: Literal["online", "offline"]

    async def run(self, session: Session, out: Outcome) -> None:
        """See the class."""
        await go_offline(session, out, offline=self.state == "offline")


def _header(text: str) -> tuple[str, str]:
    name, colon, value = text.partition(":")
    if not colon:
        raise InvalidParametersError(f"{clip(text)!r} is not a header.", 'Pass "Name: Value".')
    check_header(name.strip(), value.strip())
    return name.strip(), value.strip()


def _is_json(text: bytes) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def _line(rule: Rule) -> str:
    """Return a route on one line: which requests, and what happens to them."""
    which = f"{clip(rule.method)} {clip(rule.pattern.text)}".strip()
    match rule.action:
        case "block":
            what = ["fails"]
        case "answer":
            text = rule.body.decode(errors="replace")
            what = [f"is answered with {rule.status}", *_pairs(rule), quote(clip(text, MAX_SHOWN)) if text else ""]
        case "send":
            gone = [f"without {clip(name)}" for name in sorted(rule.removed)]
            what = ["is sent", *_pairs(rule), *gone]
    after = f" after {rule.delay * 1000:g} ms" if rule.delay else ""
    return f"{which} {', '.join(filter(None, what))}{after}"


def _pairs(rule: Rule) -> Sequence[str]:
    return [clip(f"{name}: {value}") for name, value in rule.headers.items()]
