"""The run of all attacks."""

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import trio

from bidi_server.attacks import files, hidden_text, page_voice, secrets
from bidi_server.attacks.findings import CannotRunError, Finding
from bidi_server.attacks.front import Front
from bidi_server.attacks.promises import attacked
from bidi_server.attacks.requests import run_redirects, run_spelled_hosts, run_ways_out
from bidi_server.attacks.site import open_hostile_site
from bidi_server.attacks.trap import open_trap
from bidi_server.browser.engine.pool import Browsers, launch_options
from bidi_server.config import Config
from bidi_server.errors import BrowserUnavailableError

Group = Callable[[Front], Awaitable[list[Finding]]]

GROUPS: dict[str, Group] = {
    "requests of a page": run_ways_out,
    "spelled hosts": run_spelled_hosts,
    "redirects": run_redirects,
    "text that speaks like the server": page_voice.run,
    "hidden text": hidden_text.run,
    "secrets in every encoding": secrets.run_encodings,
    "secrets by every channel": secrets.run_channels,
    "secrets of other origins": secrets.run_bound,
    "files, for clients over HTTP": files.run,
}
"""Groups of attacks by name."""


@dataclass
class Run:
    """A front that can be attacked, and notes about what differs from the configuration."""

    front: Front
    notes: list[str] = field(default_factory=list[str])

    async def findings(self) -> AsyncGenerator[tuple[str, list[Finding]]]:
        """Yield the name and the results of each group. Raises `CannotRunError`."""
        for name, group in GROUPS.items():
            yield name, await group(self.front)


@asynccontextmanager
async def open_run(config: Config, folder: Path) -> AsyncGenerator[Run]:
    """Start the site, the trap and the browser. Files are written into the folder. Raises `CannotRunError`."""
    async with open_hostile_site() as site, open_trap() as trap, trio.open_nursery() as nursery:
        used, notes = attacked(config, site.origin, folder)
        browsers = Browsers(nursery)
        front = Front(used, launch_options(used).browser, browsers, site, trap, folder)
        try:
            if used.isolation != "process":
                await _start(browsers, used)
            yield Run(front, notes)
        finally:
            with trio.CancelScope(shield=True):
                await browsers.aclose()
            nursery.cancel_scope.cancel()


async def _start(browsers: Browsers, config: Config) -> None:
    """Start the browser for all groups, which would otherwise each start their own. Raises `CannotRunError`."""
    try:
        await browsers.get(launch_options(config))
    except BrowserUnavailableError as error:
        raise CannotRunError(f"{error.message} {error.advice}") from None
