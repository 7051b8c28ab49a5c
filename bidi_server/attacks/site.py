"""A hostile site on 127.0.0.1."""

import mimetypes
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from urllib.parse import parse_qs, quote, urlsplit

import h11
import trio

from bidi_server.attacks.tcp import open_tcp

PAGES = Path(__file__).parent / "pages"

MAX_RECEIVED = 65_536
"""Maximum number of bytes to receive at once."""


@dataclass(frozen=True, slots=True)
class Resource:
    """The response to a request."""

    body: bytes
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass
class HostileSite:
    """A site whose pages attack: the files of `PAGES`, ``/redirect?to=URL&code=302``, and pages that are added."""

    port: int
    resources: dict[str, Resource] = field(default_factory=dict[str, Resource])
    """Responses by path."""

    @property
    def origin(self) -> str:
        """The origin of the site."""
        return f"http://127.0.0.1:{self.port}"

    def page(self, body: str, *, headers: Mapping[str, str] | None = None) -> str:
        """Add a page with this body and return its URL."""
        path = f"/page/{len(self.resources) + 1}"
        text = (
            f'<!doctype html>\n<html lang="en">\n<head><meta charset="utf-8"><title>Attack</title>'
            f'<link rel="icon" href="data:,"></head>\n<body>{body}</body>\n</html>\n'
        )
        kind = {"Content-Type": "text/html; charset=utf-8", **(headers or {})}
        self.resources[path] = Resource(text.encode(errors="surrogatepass"), 200, kind)
        return self.origin + path

    def redirect(self, url: str, code: int = 302) -> str:
        """Return a URL of the site that redirects to another URL."""
        return f"{self.origin}/redirect?code={code}&to={quote(url, safe='')}"

    def response(self, target: str) -> Resource:
        """Return the response to a request for a path and a query."""
        parts = urlsplit(target)
        if parts.path == "/redirect":
            query = parse_qs(parts.query)
            return Resource(b"", int(query.get("code", ["302"])[0]), {"Location": query.get("to", ["/"])[0]})
        if added := self.resources.get(parts.path):
            return added
        path = PAGES / parts.path.removeprefix("/")
        if path.parent != PAGES or not path.is_file():
            return Resource(b"", 404)
        kind = mimetypes.guess_type(path.name)[0] or "application/octet-stream"
        return Resource(path.read_bytes(), 200, {"Content-Type": f"{kind}; charset=utf-8"})


@asynccontextmanager
async def open_hostile_site() -> AsyncGenerator[HostileSite]:
    """Start the site on a free port."""
    site = HostileSite(0)
    async with open_tcp(partial(_answer, site)) as site.port:
        yield site


async def _answer(site: HostileSite, stream: trio.SocketStream) -> None:
    """Answer the first request of a connection, and close it."""
    connection = h11.Connection(h11.SERVER)
    request: h11.Request | None = None
    try:
        while not isinstance(event := connection.next_event(), h11.EndOfMessage):
            if event is h11.NEED_DATA:
                connection.receive_data(await stream.receive_some(MAX_RECEIVED))
            elif isinstance(event, h11.Request):
                request = event
            elif not isinstance(event, h11.Data):
                return
    except h11.RemoteProtocolError:
        return
    if request is None:
        return
    found = site.response(request.target.decode("latin-1"))
    headers = {**found.headers, "Content-Length": str(len(found.body)), "Connection": "close"}
    head = connection.send(h11.Response(status_code=found.status, headers=list(headers.items())))
    is_without_body = request.method == b"HEAD"
    await stream.send_all((head or b"") + (b"" if is_without_body else found.body))
