"""A mistake in the mapper ends one command or one look. The server goes on."""

import json
import logging
from pathlib import Path
from typing import TYPE_CHECKING, cast

import pytest
import trio

from bidi_server.classic.downloads import Downloads
from bidi_server.classic.transport import ClassicTransport
from drivers.classic import ClassicSession
from drivers.json_values import Json

if TYPE_CHECKING:
    from bidi_server.classic.session import Session
    from drivers.classic import ClassicDrivers


async def test_a_command_that_fails_is_answered(nursery: trio.Nursery, caplog: pytest.LogCaptureFixture) -> None:
    async def fail(_: ClassicTransport, __: Json) -> Json:
        raise RuntimeError("our mistake")

    first = ClassicSession("http://127.0.0.1:1", "unused", {}, trio.lowlevel.checkpoint)
    transport = ClassicTransport(cast("ClassicDrivers", None), first, nursery, {"session.status": fail})
    with caplog.at_level(logging.CRITICAL):
        await transport.send(json.dumps({"id": 1, "method": "session.status", "params": {}}))
        answer = json.loads(await transport.receive())
    assert (answer["id"], answer["error"], answer["message"]) == (1, "unknown error", "RuntimeError('our mistake')")


async def test_a_folder_of_downloads_that_is_gone(tmp_path: Path) -> None:
    """A session may end during a look at its downloads."""
    downloads = Downloads(tmp_path / "gone", cast("Session", None), lambda _, __: None)
    assert await downloads.look("") is False
