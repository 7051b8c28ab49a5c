"""The mapper: the page that ChromeDriver opens to translate between WebDriver BiDi and the DevTools protocol.

https://github.com/GoogleChromeLabs/chromium-bidi
"""

import json
import logging
from contextlib import suppress
from typing import cast

from bidi_server.bidi.cdp import GetSession, SendCommand
from bidi_server.bidi.connection import Connection
from bidi_server.bidi.errors import BidiError, ConnectionLostError

logger = logging.getLogger(__name__)

TITLE = "BiDi-CDP Mapper"

_WITHOUT_LOG = "'onBidiMessage' in window && document.getElementById('logs')?.remove()"
"""Leaves other pages with the mapper's title as they are."""


async def stop_log(connection: Connection) -> None:
    """Stop the mapper's page from logging each message into its document.

    The hidden page is laid out and painted, which costs 10 to 15 ms of processor time for each command and delays its
    reply by 4 ms (Chromium 156). The log would also contain all typed text.
    """

    async def send(method: str, **params: object) -> dict[str, object]:
        return (await connection.send(SendCommand(cdp_method=method, params=params))).result

    try:
        targets = cast("list[dict[str, object]]", (await send("Target.getTargets")).get("targetInfos", []))
        for target in targets:
            if target.get("title") == TITLE and target.get("type") == "page":
                # The mapper has no DevTools session of its own page: the command goes inside a message to its target.
                attached = await send("Target.attachToTarget", targetId=target["targetId"], flatten=False)
                evaluate = {"id": 1, "method": "Runtime.evaluate", "params": {"expression": _WITHOUT_LOG}}
                session = attached["sessionId"]
                await send("Target.sendMessageToTarget", sessionId=session, message=json.dumps(evaluate))
                await send("Target.detachFromTarget", sessionId=session)
    except (BidiError, ConnectionLostError, KeyError) as error:
        logger.info("the mapper goes on with its log: %s", error)


async def unblock(connection: Connection, context: str) -> None:
    """Make a popup answer: ChromeDriver 156 misses the realm of a ``window.open`` page until it is reported again."""
    with suppress(BidiError, ConnectionLostError):
        found = await connection.send(GetSession(context=context))
        for method in ("Runtime.disable", "Runtime.enable"):
            await connection.send(SendCommand(cdp_method=method, session=found.session))
