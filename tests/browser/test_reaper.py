"""What is found on a Grid that does not answer as it should is left to it: a site answers in its place."""

import json

import pytest

from bidi_server.browser.engine.grid.reaper import reap_grid
from fixtures.site import Site, open_site

CAPABILITIES = json.dumps({"browserName": "firefox", "se:name": "bidi-server host 1"})
LOST = {"id": "s", "capabilities": CAPABILITIES, "sessionDurationMillis": "100000"}


async def reap(site: Site, said: object) -> list[str]:
    """Look at a Grid that tells of these sessions; return what it was asked."""
    site.serve(json.dumps(said), path="/graphql", content_type="application/json")
    await reap_grid(site.url, 1, set)
    return [f"{request.method} {request.path}" for request in site.requests]


async def test_a_session_whose_browser_does_not_answer() -> None:
    async with open_site() as site:
        asked = await reap(site, {"data": {"sessionsInfo": {"sessions": [LOST]}}})
        assert "POST /graphql" in asked
        assert not any(request.startswith("DELETE") for request in asked)


ODD: list[object] = [
    None,
    [None],
    ["s"],
    [LOST | {"capabilities": "?"}],
    [LOST | {"sessionDurationMillis": None}],
]


@pytest.mark.parametrize("said", [{}, {"data": None}, *({"data": {"sessionsInfo": {"sessions": odd}}} for odd in ODD)])
async def test_what_is_no_list_of_sessions(said: object) -> None:
    async with open_site() as site:
        assert await reap(site, said) == ["POST /graphql"]
