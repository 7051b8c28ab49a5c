"""A load balancer: each request goes to the next of several servers, whatever connection it came on."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from functools import partial
from itertools import count

import httpx2
import hypercorn.trio
import trio
from hypercorn.config import Config
from starlette.applications import Starlette
from starlette.background import BackgroundTask
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route

_OF_THE_CONNECTION = {b"connection", b"transfer-encoding", b"content-length", b"date"}
"""Headers that the next one in line says for itself."""


class Balancer:
    """``served`` counts the requests that each server has answered."""

    def __init__(self, servers: list[str], client: httpx2.AsyncClient) -> None:
        self.served = dict.fromkeys(servers, 0)
        self._client = client
        self._turns = count()

    async def forward(self, request: Request) -> Response:
        """Pass a request on; a server that is not there is passed over."""
        servers = list(self.served)
        first = next(self._turns)
        body = await request.body()
        for turn in range(len(servers)):
            server = servers[(first + turn) % len(servers)]
            headers = [(name, value) for name, value in request.headers.raw if name != b"host"]
            passed = self._client.build_request(request.method, server, headers=headers, content=body)
            try:
                answer = await self._client.send(passed, stream=True)
            except httpx2.ConnectError:
                continue
            self.served[server] += 1
            response = StreamingResponse(
                answer.aiter_raw(), answer.status_code, background=BackgroundTask(answer.aclose)
            )
            response.raw_headers = [pair for pair in answer.headers.raw if pair[0].lower() not in _OF_THE_CONNECTION]
            return response
        return PlainTextResponse("no server is there", 502)


@asynccontextmanager
async def open_balancer(*servers: str) -> AsyncGenerator[tuple[str, Balancer]]:
    """Serve on a free port; yields the address and the balancer."""
    limits = httpx2.Limits(max_keepalive_connections=0)
    async with httpx2.AsyncClient(timeout=60, limits=limits) as client, trio.open_nursery() as nursery:
        balancer = Balancer(list(servers), client)
        app = Starlette(routes=[Route("/mcp", balancer.forward, methods=["GET", "POST", "DELETE"])])
        config = Config()
        config.bind = ["127.0.0.1:0"]
        [address] = await nursery.start(partial(hypercorn.trio.serve, app, config))  # pyright: ignore
        yield f"{address}/mcp", balancer
        nursery.cancel_scope.cancel()
