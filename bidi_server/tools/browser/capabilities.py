"""More tools while a client is connected."""

from typing import Annotated

from pydantic import Field

from bidi_server.browser.sessions.client import Client
from bidi_server.config import Capability
from bidi_server.tools.base import ClientTool, offered
from bidi_server.tools.outcome import Outcome


class BrowserEnable(ClientTool):
    """Add tools to this list."""

    enables = True

    caps: Annotated[list[Capability], Field(min_length=1)]

    async def run(self, client: Client, out: Outcome) -> None:
        """See the class."""
        far = client.config.transport == "http"
        before = offered(["browser"], client.config.caps, far=far)
        await client.enable(self.caps)
        added = offered(["browser"], client.config.caps, far=far).keys() - before.keys()
        out.say(f"Enabled: {', '.join(sorted(added))}." if added else "All of these tools were enabled already.")
