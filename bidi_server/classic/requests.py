"""Events of requests, from what the recorder in the page has noted."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from drivers.json_values import Json, items

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from bidi_server.classic.contexts import BrowsingContext

_REASONS = {
    "Error resolving": "ERR_NAME_NOT_RESOLVED",
    "Connection refused": "ERR_CONNECTION_REFUSED",
    "Could not connect": "ERR_CONNECTION_REFUSED",
    "Connection terminated": "ERR_EMPTY_RESPONSE",
    "Connection reset": "ERR_CONNECTION_RESET",
    "TLS": "ERR_CERT_INVALID",
    "certificate": "ERR_CERT_INVALID",
    "timed out": "ERR_CONNECTION_TIMED_OUT",
    "redirections": "ERR_TOO_MANY_REDIRECTS",
    "restricted network port": "ERR_UNSAFE_PORT",
    "URL can\u2019t be shown": "ERR_UNKNOWN_URL_SCHEME",
}
"""Errors of WebKitGTK's network library, libsoup, and Chromium's names for them, which our explanations know."""


_CORS = ("Access-Control-", "access control", "Cross-Origin", "Cross-origin", "Preflight")
"""Signs of a failure by https://fetch.spec.whatwg.org/#http-cors-protocol."""


def named(reason: str) -> str:
    """Return the reason of a failure, with Chromium's name for it if it has one."""
    if any(sign in reason for sign in _CORS):
        return f"CORS: {reason}"
    code = next((code for sign, code in _REASONS.items() if sign in reason), "")
    return f"net::{code} ({reason})" if code else reason


_STEPS = "redirectStart redirectEnd fetchStart dnsStart dnsEnd connectStart connectEnd tlsStart"
TIMINGS = f"timeOrigin requestTime {_STEPS} requestStart responseStart responseEnd".split()
"""Members of https://w3c.github.io/webdriver-bidi/#type-network-FetchTimingInfo."""


def request_events(context: BrowsingContext, event: Json) -> Iterator[tuple[str, Json]]:
    """Yield the events of a request that was noted: method and parameters.

    The Performance timeline of WebKit 2.50 has the status of a response, but no method and no header. Such a request is
    reported when it has ended.
    """
    moment = number(event.get("time")) or time.time() * 1000
    match event.get("kind"):
        case "request":
            context.requests[str(event["id"])] = {**event, "start": moment}
            yield "network.beforeRequestSent", {**_base(context, event, moment), "initiator": {"type": "other"}}
        case "response":
            known = {**context.requests.pop(str(event["id"]), {}), **event}
            yield from _response(context, known, moment)
        case "failed":
            known = {**context.requests.pop(str(event["id"]), {}), **event}
            yield "network.fetchError", {**_base(context, known, moment), "errorText": str(event.get("text"))}
        case "resource":
            start, end = number(event.get("start")), number(event.get("end"))
            yield "network.beforeRequestSent", {**_base(context, event, start), "initiator": {"type": "other"}}
            yield from _response(context, event, end)
        case "document":
            known = {**event, "id": f"document-{context.navigation}", "type": "document"}
            base = {**_base(context, known, moment), "navigation": context.navigation}
            yield "network.beforeRequestSent", {**base, "initiator": {"type": "other"}}
            if "error" in event:
                yield "network.fetchError", {**base, "errorText": str(event["error"])}
            else:
                for method, parameters in _response(context, known, moment):
                    yield method, {**parameters, "navigation": context.navigation}
        case _:
            pass


def number(value: object) -> float:
    """Return a number; 0 for what is none."""
    return float(value) if isinstance(value, int | float) else 0.0


def headers_of(pairs: Iterable[tuple[str, object]]) -> list[Json]:
    """Return headers of https://w3c.github.io/webdriver-bidi/#type-network-Header."""
    return [{"name": name, "value": {"type": "string", "value": str(value)}} for name, value in pairs]


def _base(context: BrowsingContext, event: Json, moment: float, *, is_complete: bool = False) -> Json:
    kind = str(event.get("type", "other"))
    timings = dict.fromkeys(TIMINGS, 0.0)
    timings["timeOrigin"] = timings["requestTime"] = number(event.get("start")) or moment
    if is_complete:
        timings["responseEnd"] = moment
    return {
        "context": context.id,
        "userContext": context.user_context,
        "navigation": None,
        "isBlocked": False,
        "redirectCount": 0,
        "timestamp": moment,
        "request": {
            "request": str(event["id"]),
            "url": str(event.get("url")),
            "method": str(event.get("method", "GET")),
            "headers": [],
            "cookies": [],
            "headersSize": None,
            "bodySize": None,
            "destination": "" if kind in {"fetch", "xmlhttprequest"} else kind,
            "initiatorType": kind,
            "timings": timings,
        },
    }


def _response(context: BrowsingContext, event: Json, moment: float) -> Iterator[tuple[str, Json]]:
    given = [(str(pair[0]), str(pair[1])) for pair in map(items, items(event.get("headers"))) if pair]
    kinds = [value for name, value in given if name.lower() == "content-type"]
    size = int(number(event.get("size")))
    response: Json = {
        "url": str(event.get("url")),
        "protocol": str(event.get("protocol") or ""),
        "status": int(number(event.get("status"))),
        "statusText": str(event.get("statusText", "")),
        "fromCache": event.get("cached") is True,
        "headers": headers_of(given),
        "mimeType": kinds[0].partition(";")[0] if kinds else "",
        "bytesReceived": size,
        "headersSize": None,
        "bodySize": size,
        "content": {"size": size},
    }
    told = {**_base(context, event, moment, is_complete=True), "response": response}
    yield "network.responseStarted", told
    yield "network.responseCompleted", told
