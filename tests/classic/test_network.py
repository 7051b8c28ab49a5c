"""Requests that WebKit's inspector server reports, and that wait for answers."""

from base64 import b64decode, b64encode
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, cast

import pytest
import trio
import trio.testing

from bidi_server.bidi.errors import NoSuchNetworkDataError, NoSuchRequestError
from bidi_server.classic.commands import HANDLERS
from bidi_server.classic.contexts import BrowsingContext
from bidi_server.classic.inspected import Inspected
from bidi_server.classic.inspector import Setting
from bidi_server.classic.tracker import Tracker
from bidi_server.classic.transport import ClassicTransport
from drivers.classic import ClassicSession
from drivers.json_values import Json, fields, objects
from tests.classic.inspector_server import Server

if TYPE_CHECKING:
    from bidi_server.classic.session import Session
    from drivers.classic import ClassicDrivers

ORIGIN = "http://shop.test"


@dataclass
class Wiring:
    """A session with one tab, whose browser is a server of ours."""

    server: Server
    inspected: Inspected
    tab: BrowsingContext
    tracker: Tracker
    events: list[tuple[str, Json]] = field(default_factory=list[tuple[str, Json]])
    left: list[BrowsingContext] = field(default_factory=list[BrowsingContext])
    """Contexts whose navigation has ended without a document."""

    async def request(self, path: str, kind: str = "Fetch", **more: object) -> str:
        """Let the page send a request. Return our id of it."""
        sent: Json = {"url": f"{ORIGIN}{path}", "method": "GET", "headers": {"Accept": "*/*"}, **more}
        told: Json = {"requestId": path, "frameId": "main", "loaderId": f"loader of {path}", "request": sent}
        await self.server.tell(
            "Network.requestWillBeSent", {**told, "type": kind, "timestamp": 2.0, "walltime": 1002.0}
        )
        return str(fields(self.events[-1][1]["request"])["request"])

    async def respond(self, path: str, status: int = 200, **more: object) -> None:
        """Let the server of the page respond."""
        response: Json = {"url": f"{ORIGIN}{path}", "status": status, "headers": {"A": "b"}, **more}
        told: Json = {"requestId": path, "frameId": "main", "timestamp": 3.0, "response": response}
        await self.server.tell("Network.responseReceived", told)
        await self.server.tell("Network.loadingFinished", {"requestId": path, "timestamp": 4.0, "metrics": METRICS})

    async def leave(self) -> None:
        """Let the page go to another one."""
        await self.request("/next", "Document")

    def methods(self) -> list[str]:
        """Return the methods of the events since the last call."""
        found = [method.partition(".")[2] for method, _ in self.events]
        self.events.clear()
        return found

    def commands(self) -> list[tuple[str, Json]]:
        """Return the commands about requests that the page got since the last call."""
        found = [(method.partition(".")[2], given) for _, method, given in self.server.told if "ntercept" in method]
        self.server.told.clear()
        return found


METRICS: Json = {
    "protocol": "h2",
    "requestHeaders": {"Cookie": "a=b"},
    "responseHeaderBytesReceived": 100,
    "responseBodyBytesReceived": 50,
    "responseBodyDecodedSize": 70,
}


@pytest.fixture
async def wiring(nursery: trio.Nursery) -> Wiring:
    ours, theirs = trio.testing.memory_stream_pair()
    server = Server(theirs)
    server.results["Page.getResourceTree"] = {"frameTree": {"frame": {"id": "main"}}}
    events: list[tuple[str, Json]] = []
    left: list[BrowsingContext] = []

    def emit(method: str, parameters: Json) -> None:
        events.append((method, parameters))

    async def look(_: BrowsingContext) -> None:
        """Look at a document, whose state is known."""

    def leave(context: BrowsingContext, may_be_download: bool) -> None:
        assert not may_be_download
        left.append(context)

    tracker = Tracker(emit)
    inspected = Inspected(ours, tracker, nursery, emit, look, leave)
    nursery.start_soon(inspected.inspector.run)
    nursery.start_soon(server.run)
    await inspected.inspector.begin(1)
    tab = BrowsingContext("window", "default")
    tab.stamp = "stamp"
    tracker.add(tab)
    inspected.link(1, tab)
    events.clear()
    server.told.clear()
    return Wiring(server, inspected, tab, tracker, events, left)


async def test_a_request_from_its_start_to_its_end(wiring: Wiring) -> None:
    await wiring.request("/a", method="POST")
    timing: Json = {"fetchStart": 2.0, "domainLookupStart": 1, "domainLookupEnd": 2, "responseStart": 7}
    await wiring.respond("/a", 404, mimeType="text/html", source="network", timing=timing)
    assert [method for method, _ in wiring.events] == [
        "network.beforeRequestSent",
        "network.responseStarted",
        "network.responseCompleted",
    ]
    told = wiring.events[-1][1]
    request, response = fields(told["request"]), fields(told["response"])
    assert (told["context"], told["isBlocked"], told["timestamp"]) == (wiring.tab.id, False, 1_004_000.0)
    assert (request["method"], request["url"], request["initiatorType"]) == ("POST", f"{ORIGIN}/a", "fetch")
    assert [each["name"] for each in objects(request["headers"])] == ["Cookie"]
    timings = fields(request["timings"])
    assert (timings["dnsStart"], timings["responseStart"], timings["tlsStart"]) == (1_002_001.0, 1_002_007.0, 0.0)
    assert (response["status"], response["bytesReceived"], response["protocol"]) == (404, 150, "h2")
    assert (response["fromCache"], response["content"]) == (False, {"size": 70})


async def test_a_redirect_is_a_request_of_its_own(wiring: Wiring) -> None:
    await wiring.request("/a")
    again: Json = {"requestId": "/a", "frameId": "main", "type": "Fetch", "timestamp": 2.5, "walltime": 1002.5}
    redirect: Json = {"redirectResponse": {"status": 302}, "request": {"url": f"{ORIGIN}/b", "method": "GET"}}
    await wiring.server.tell("Network.requestWillBeSent", {**again, **redirect})
    assert [told["redirectCount"] for _, told in wiring.events] == [0, 0, 0, 1]
    assert wiring.methods() == ["beforeRequestSent", "responseStarted", "responseCompleted", "beforeRequestSent"]


async def test_failures(wiring: Wiring) -> None:
    await wiring.request("/a")
    failed: Json = {"requestId": "/a", "timestamp": 3.0, "errorText": "Connection refused", "canceled": False}
    await wiring.server.tell("Network.loadingFailed", failed)
    assert wiring.events[-1][1]["errorText"] == "net::ERR_CONNECTION_REFUSED (Connection refused)"
    await wiring.request("/b")
    text = "Origin http://a is not allowed by Access-Control-Allow-Origin."
    await wiring.server.tell("Network.loadingFailed", {**failed, "requestId": "/b", "errorText": text})
    assert wiring.events[-1][1]["errorText"] == f"CORS: {text}"
    await wiring.request("/c")
    await wiring.server.tell("Network.loadingFailed", {**failed, "requestId": "/c", "canceled": True})
    assert wiring.events[-1][1]["errorText"] == "net::ERR_ABORTED"
    assert not wiring.left


async def test_a_document_belongs_to_the_navigation_under_way(wiring: Wiring) -> None:
    navigation = wiring.tracker.start(wiring.tab, f"{ORIGIN}/a")
    await wiring.request("/a", "Document")
    assert wiring.events[-1][1]["navigation"] == navigation
    # A page that goes on to another one.
    await wiring.request("/b", "Document")
    (started, told), (_, sent) = wiring.events[-2:]
    assert started == "browsingContext.navigationStarted"
    assert told["navigation"] == sent["navigation"] != navigation
    await wiring.server.tell("Network.loadingFailed", {"requestId": "/b", "timestamp": 3.0, "canceled": True})
    assert wiring.left == [wiring.tab]


async def test_what_needs_no_request(wiring: Wiring) -> None:
    resource: Json = {"url": f"{ORIGIN}/a.png", "type": "Image", "response": {"status": 200}}
    told: Json = {"requestId": "1", "frameId": "main", "timestamp": 2.0, "resource": resource}
    await wiring.server.tell("Network.requestServedFromMemoryCache", told)
    assert fields(wiring.events[-1][1]["response"])["fromCache"]
    assert wiring.methods() == ["beforeRequestSent", "responseStarted", "responseCompleted"]
    sent: Json = {"requestId": "2", "frameId": "main", "type": "Image", "timestamp": 2.0, "walltime": 1002.0}
    await wiring.server.tell("Network.requestWillBeSent", {**sent, "request": {"url": "data:,"}})
    assert wiring.methods() == []


async def test_a_websocket(wiring: Wiring) -> None:
    await wiring.inspected.network.intercept("1", frozenset())
    await wiring.server.tell("Network.webSocketCreated", {"requestId": "1", "timestamp": 2.0, "url": "ws://a/"})
    assert not wiring.events[-1][1]["isBlocked"]
    shaken: Json = {"requestId": "1", "timestamp": 2.0, "response": {"status": 101}}
    await wiring.server.tell("Network.webSocketHandshakeResponseReceived", shaken)
    await wiring.server.tell("Network.webSocketClosed", {"requestId": "1", "timestamp": 3.0})
    assert wiring.methods() == ["beforeRequestSent", "responseStarted", "responseCompleted"]


async def test_the_frames_of_requests(wiring: Wiring) -> None:
    frames: list[Json] = [{"frame": {"id": name}} for name in ("one", "two")]
    wiring.server.results["Page.getResourceTree"] = {"frameTree": {"frame": {"id": "main"}, "childFrames": frames}}
    wiring.server.results["Runtime.evaluate"] = {"result": {"value": '["stamp", [7, 4]]'}}
    told: Json = {"requestId": "1", "type": "Document", "timestamp": 2.0, "walltime": 1002.0, "loaderId": "1"}
    await wiring.server.tell("Network.requestWillBeSent", {**told, "frameId": "two", "request": {"url": f"{ORIGIN}/"}})
    assert wiring.tab.children.keys() == {7, 4}
    assert wiring.events[-1][1]["context"] == wiring.tab.children[4].id
    # One that is not there any more counts as the tab, whose navigation it is not.
    await wiring.server.tell("Network.requestWillBeSent", {**told, "frameId": "gone", "request": {"url": f"{ORIGIN}/"}})
    assert wiring.events[-1][1]["context"] == wiring.tab.id
    assert wiring.events[-1][1]["navigation"] is not None
    assert wiring.tab.navigation is None


ANSWERS: list[tuple[str, Json, str, Json]] = [
    ("continueRequest", {}, "interceptContinue", {"stage": "request"}),
    ("failRequest", {}, "interceptRequestWithError", {"errorType": "General"}),
    (
        "continueRequest",
        {"headers": [{"name": "A", "value": {"type": "string", "value": "b"}}], "method": "PUT"},
        "interceptWithRequest",
        {"headers": {"A": "b"}, "method": "PUT"},
    ),
    (
        "continueRequest",
        {"cookies": [{"name": "a", "value": {"type": "string", "value": "b"}}], "body": {"value": "hi"}},
        "interceptWithRequest",
        {"headers": {"Accept": "*/*", "Cookie": "a=b"}, "postData": b64encode(b"hi").decode()},
    ),
    (
        "provideResponse",
        {
            "statusCode": 203,
            "reasonPhrase": "Fine",
            "headers": [{"name": "content-type", "value": {"type": "string", "value": "text/html; charset=utf-8"}}],
            "body": {"type": "base64", "value": "aGk="},
        },
        "interceptRequestWithResponse",
        {
            "status": 203,
            "statusText": "Fine",
            "headers": {"content-type": "text/html; charset=utf-8"},
            "mimeType": "text/html; charset=utf-8",
            "content": "aGk=",
            "base64Encoded": True,
        },
    ),
]


@pytest.mark.parametrize(("method", "parameters", "command", "given"), ANSWERS)
@pytest.mark.parametrize("is_early", [True, False])
async def test_answers(
    wiring: Wiring, method: str, parameters: Json, command: str, given: Json, *, is_early: bool
) -> None:
    network = wiring.inspected.network
    await network.intercept("1", frozenset())
    wiring.commands()
    id_ = await wiring.request("/a")
    assert (wiring.events[-1][1]["isBlocked"], wiring.events[-1][1]["intercepts"]) == (True, ["1"])
    if not is_early:
        await wiring.server.tell("Network.requestIntercepted", {"requestId": "/a"})
    network.answer(id_, f"network.{method}", parameters)
    if is_early:
        await wiring.server.tell("Network.requestIntercepted", {"requestId": "/a"})
    await trio.testing.wait_all_tasks_blocked()
    assert wiring.commands() == [(command, {"requestId": "/a", **given})]
    with pytest.raises(NoSuchRequestError):
        network.answer(id_, f"network.{method}", parameters)


async def test_the_type_and_the_charset_of_a_provided_document(wiring: Wiring) -> None:
    network = wiring.inspected.network
    await network.intercept("1", frozenset())
    id_ = await wiring.request("/a", "Document")
    network.answer(id_, *("network.provideResponse", ANSWERS[-1][1]))
    wiring.commands()
    await wiring.server.tell("Network.requestIntercepted", {"requestId": "/a"})
    [(_, given)] = wiring.commands()
    assert (given["mimeType"], b64decode(str(given["content"]))) == ("text/html", b"\xef\xbb\xbfhi")


async def test_the_answer_for_a_redirect_takes_the_place_of_its_response(wiring: Wiring) -> None:
    network = wiring.inspected.network
    await network.intercept("1", frozenset())
    id_ = await wiring.request("/a")
    network.answer(id_, "network.continueRequest", {})
    await wiring.server.tell("Network.requestIntercepted", {"requestId": "/a"})
    again: Json = {"requestId": "/a", "frameId": "main", "type": "Fetch", "timestamp": 2.5, "walltime": 1002.5}
    redirect: Json = {"redirectResponse": {"status": 302}, "request": {"url": f"{ORIGIN}/b", "method": "GET"}}
    await wiring.server.tell("Network.requestWillBeSent", {**again, **redirect})
    assert wiring.events[-1][1]["isBlocked"]
    network.answer(id_, "network.failRequest", {})
    wiring.commands()
    await wiring.server.tell("Network.responseIntercepted", {"requestId": "/a"})
    [(command, given)] = wiring.commands()
    assert (command, given["status"], given["content"]) == ("interceptWithResponse", 403, "")


async def test_who_waits(wiring: Wiring) -> None:
    network = wiring.inspected.network
    await network.intercept("1", frozenset({"another tab"}))
    await wiring.request("/a")
    assert not wiring.events[-1][1]["isBlocked"]
    wiring.commands()
    await wiring.server.tell("Network.requestIntercepted", {"requestId": "/a"})
    assert wiring.commands() == [("interceptContinue", {"requestId": "/a", "stage": "request"})]
    await network.intercept("2", frozenset({wiring.tab.id}))
    await wiring.request("/b")
    await wiring.server.tell("Network.requestIntercepted", {"requestId": "/b"})
    assert wiring.commands() == []
    await network.remove_intercept("1")
    assert wiring.commands() == []
    await network.remove_intercept("2")
    assert wiring.commands()[:2] == [
        ("interceptContinue", {"requestId": "/b", "stage": "request"}),
        ("setInterceptionEnabled", {"enabled": False}),
    ]


async def test_a_document_that_was_requested_before_its_window_was_known(wiring: Wiring) -> None:
    network = wiring.inspected.network
    await network.intercept("1", frozenset())
    told: Json = {"requestId": "/a", "response": {"url": f"{ORIGIN}/a"}}
    wiring.commands()
    await wiring.server.tell("Network.responseIntercepted", told)
    assert wiring.methods() == ["navigationStarted", "beforeRequestSent"]
    assert wiring.commands() == []
    # A request of a page that is there is sent without a word.
    wiring.tab.url = f"{ORIGIN}/"
    await wiring.server.tell("Network.responseIntercepted", {**told, "requestId": "/b"})
    assert wiring.methods() == []
    assert wiring.commands() == [("interceptContinue", {"requestId": "/b", "stage": "response"})]


async def test_bodies(wiring: Wiring) -> None:
    network = wiring.inspected.network
    network.keep_bodies(1000)
    wiring.server.results["Network.getResponseBody"] = {"body": "hello", "base64Encoded": False}
    id_ = await wiring.request("/a", postData="sent")
    assert await network.data(id_, "request") == {"type": "string", "value": "sent"}
    await wiring.respond("/a")
    picture = await wiring.request("/b", "Image")
    await wiring.respond("/b")
    await wiring.leave()
    wiring.server.results["Network.getResponseBody"] = {}
    assert await network.data(id_, "response") == {"type": "string", "value": "hello"}
    with pytest.raises(NoSuchNetworkDataError):
        await network.data(picture, "response")
    with pytest.raises(NoSuchNetworkDataError):
        await network.data(picture, "request")
    with pytest.raises(NoSuchNetworkDataError):
        await network.data("none", "response")


async def test_a_body_that_is_too_large_is_not_asked_for(wiring: Wiring) -> None:
    network = wiring.inspected.network
    network.keep_bodies(69)
    wiring.server.results["Network.getResponseBody"] = {"body": "hello"}
    id_ = await wiring.request("/a")
    await wiring.respond("/a")
    with pytest.raises(NoSuchNetworkDataError):
        await network.data(id_, "response")
    assert not any(method == "Network.getResponseBody" for _, method, _ in wiring.server.told)


async def test_requests_are_forgotten_at_some_time(wiring: Wiring, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bidi_server.classic.network.MOST_REQUESTS", 2)
    ids: list[str] = []
    for number in range(5):
        ids.append(await wiring.request(f"/{number}"))
        await wiring.respond(f"/{number}")
    assert [wiring.inspected.network.owns(id_) for id_ in ids] == [False, False, True, True, True]


async def test_an_event_that_nobody_understands_ends_nothing(
    wiring: Wiring, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise TypeError("unheard of")

    with monkeypatch.context() as patched:
        patched.setattr(wiring.inspected.network, "take", fail)
        await wiring.server.tell("Network.requestWillBeSent", {"requestId": "1"})
    assert "a message was not understood" in caplog.text
    await wiring.request("/a")
    assert wiring.methods() == ["beforeRequestSent"]


async def test_the_cache_is_that_of_the_session_whose_tab_is_named(nursery: trio.Nursery) -> None:
    told: list[tuple[str, Setting]] = []

    class Recorded:
        """A session that records the settings that it gets."""

        def __init__(self, name: str) -> None:
            self._name = name

        async def set(self, settings: Iterable[Setting]) -> None:
            """Record settings."""
            told.extend((self._name, each) for each in settings)

    first = ClassicSession("http://127.0.0.1:1", "unused", {}, trio.lowlevel.checkpoint, inspector="127.0.0.1:2")
    transport = ClassicTransport(cast("ClassicDrivers", None), first, nursery, HANDLERS)
    for name in ("default", "mine"):
        transport.wishes[name] = {}
        transport.sessions[name] = cast("Session", Recorded(name))
    tab = BrowsingContext("window", "mine")
    transport.tracker.add(tab)
    bypass = Setting("Network.setResourceCachingDisabled", {"disabled": True})
    parameters: Json = {"cacheBehavior": "bypass", "contexts": [tab.id]}
    await HANDLERS["network.setCacheBehavior"](transport, parameters)
    assert told == [("mine", bypass)]
    told.clear()
    await HANDLERS["network.setCacheBehavior"](transport, {"cacheBehavior": "bypass"})
    assert told == [("default", bypass), ("mine", bypass)]
