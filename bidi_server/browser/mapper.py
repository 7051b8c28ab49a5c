"""The page inside Chromium that translates between WebDriver BiDi and the DevTools protocol; ChromeDriver opens it.

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
"""A page that only has the mapper's title keeps its content."""


async def stop_log(connection: Connection) -> None:
    """Have the mapper's page no longer show each message that passes through it.

    Nobody sees that page, but it is laid out and painted: 10 to 15 ms of a processor for each command, and 4 until its
    answer. What agents type would also stay there.
    """

    async def send(method: str, **params: object) -> dict[str, object]:
        return (await connection.send(SendCommand(cdp_method=method, params=params))).result

    try:
        targets = cast("list[dict[str, object]]", (await send("Target.getTargets")).get("targetInfos", []))
        for target in targets:
            if target.get("title") == TITLE and target.get("type") == "page":
                # The mapper knows no DevTools session of its own page: what it would send there goes inside a message.
                attached = await send("Target.attachToTarget", targetId=target["targetId"], flatten=False)
                evaluate = {"id": 1, "method": "Runtime.evaluate", "params": {"expression": _WITHOUT_LOG}}
                session = attached["sessionId"]
                await send("Target.sendMessageToTarget", sessionId=session, message=json.dumps(evaluate))
                await send("Target.detachFromTarget", sessionId=session)
    except (BidiError, ConnectionLostError, KeyError) as error:
        logger.info("the mapper goes on with its log: %s", error)


async def unblock(connection: Connection, context: str) -> None:
    """Let a popup answer: ChromeDriver 156 misses the realm of what ``window.open`` opens until it is told anew."""
    with suppress(BidiError, ConnectionLostError):
        found = await connection.send(GetSession(context=context))
        for method in ("Runtime.disable", "Runtime.enable"):
            await connection.send(SendCommand(cdp_method=method, session=found.session))
