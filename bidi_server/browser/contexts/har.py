"""Recorded requests as an HTTP Archive 1.2.

http://www.softwareishard.com/blog/har-12-spec/
"""

import base64
import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, urlsplit

from bidi_server import __version__
from bidi_server.browser.contexts.bodies import as_text, body
from bidi_server.browser.network.requests import Request, header
from bidi_server.browser.network.timings import clock, phases

if TYPE_CHECKING:
    from bidi_server.bidi.network import Header
    from bidi_server.browser.contexts.context import Context, Host
    from bidi_server.browser.tab.tab import Tab

Bodies = Mapping[int, tuple[bytes | None, bytes | None]]
"""The bodies of requests and of their responses, by the number of the request."""


async def export(context: "Context", *, bodies: bool) -> tuple[str, int]:
    """Return an archive of the active tab's requests as text, and their number. Pending requests are left out."""
    tab = await context.tab()
    requests = [request for request in tab.requests.all if not request.pending]
    kept: dict[int, tuple[bytes | None, bytes | None]] = {}
    for request in requests if bodies else []:
        kept[request.number] = await body(context, request, "request"), await body(context, request, "response")
    text = json.dumps(archive(context.browser, tab, requests, kept), ensure_ascii=False, indent=1)
    return text, len(requests)


def archive(browser: "Host", tab: "Tab", requests: Sequence[Request], bodies: Bodies) -> dict[str, object]:
    """Return an archive of requests of a tab. Pending requests are left out: HAR has no representation for them."""
    pages: list[dict[str, object]] = []
    entries: list[dict[str, object]] = []
    for request in requests:
        if request.navigation is not None and request.frame == tab.context and request.kind == "document":
            pages.append(_page(len(pages) + 1, request))
        if not request.pending:
            entry = _entry(request, *bodies.get(request.number, (None, None)))
            entries.append({**({"pageref": pages[-1]["id"]} if pages else {}), **entry})
    return {
        "log": {
            "version": "1.2",
            "creator": {"name": "bidi-server", "version": __version__},
            "browser": {"name": browser.name, "version": browser.version},
            "pages": pages,
            "entries": entries,
        }
    }


def _page(number: int, request: Request) -> dict[str, object]:
    return {
        "startedDateTime": clock(request.started),
        "id": f"page_{number}",
        "title": request.url,
        "pageTimings": {},
    }


def _entry(request: Request, sent: bytes | None, got: bytes | None) -> dict[str, object]:
    times = phases(request)
    timings = {"send": 0.0, "wait": 0.0, "receive": 0.0, **times}
    entry: dict[str, object] = {
        "startedDateTime": clock(request.started),
        "time": round(sum(time for name, time in timings.items() if name != "ssl"), 3),
        "request": _request(request, sent),
        "response": _response(request, got),
        "cache": {},
        "timings": {name: round(time, 3) for name, time in timings.items()},
    }
    entry |= {"_resourceType": request.kind} if request.kind else {}
    entry |= {"_servedFrom": request.source} if request.source else {}
    entry |= {"_error": request.failure} if request.failure else {}
    return entry


def _request(request: Request, body: bytes | None) -> dict[str, object]:
    headers = request.request_headers
    found: dict[str, object] = {
        "method": request.method,
        "url": request.url,
        "httpVersion": _version(request),
        "cookies": [
            {"name": cookie.name, "value": str(cookie.value)}
            for cookie in (request.sent.cookies if request.sent is not None else [])
        ],
        "headers": _headers(headers),
        "queryString": [
            {"name": name, "value": value}
            for name, value in parse_qsl(urlsplit(request.url).query, keep_blank_values=True)
        ],
        "headersSize": _size(request.sent.headers_size if request.sent else None),
        "bodySize": len(body) if body is not None else _size(request.sent.body_size if request.sent else None),
    }
    if body:
        kind = header(headers, "content-type") or "application/octet-stream"
        found["postData"] = {"mimeType": kind, "text": body.decode("utf-8", "replace")}
    return found


def _response(request: Request, body: bytes | None) -> dict[str, object]:
    received = request.received
    headers = request.response_headers
    content: dict[str, object] = {
        "size": len(body) if body is not None else _size(received.content.size if received else None, 0),
        "mimeType": request.mime_type or "x-unknown",
    }
    if body is not None:
        text = as_text(body, request.mime_type)
        content |= (
            {"text": text} if text is not None else {"text": base64.b64encode(body).decode(), "encoding": "base64"}
        )
    return {
        "status": max(0, request.status),
        "statusText": request.status_text,
        "httpVersion": _version(request),
        "cookies": [_set_cookie(str(each.value)) for each in headers if each.name.lower() == "set-cookie"],
        "headers": _headers(headers),
        "content": content,
        "redirectURL": header(headers, "location"),
        "headersSize": _size(received.headers_size if received else None),
        "bodySize": _size(received.body_size if received else None),
    }


def _version(request: Request) -> str:
    protocol = request.received.protocol if request.received is not None else ""
    return {"h2": "HTTP/2.0", "h3": "HTTP/3.0", "": "unknown"}.get(protocol, protocol.upper())


def _headers(headers: "Sequence[Header]") -> list[dict[str, str]]:
    return [{"name": header.name, "value": str(header.value)} for header in headers]


def _set_cookie(text: str) -> dict[str, object]:
    name, _, value = text.partition(";")[0].partition("=")
    return {"name": name.strip(), "value": value.strip()}


def _size(size: int | None, unknown: int = -1) -> int:
    return unknown if size is None or size < 0 else size
