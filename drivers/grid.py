"""Requests to a Selenium Grid beyond WebDriver: files to and from its nodes, its queue and its sessions.

https://www.selenium.dev/documentation/grid/advanced_features/endpoints/
"""

from __future__ import annotations

import base64
import json
import re
import shutil
import zlib
from dataclasses import dataclass
from io import BytesIO
from secrets import token_hex
from typing import TYPE_CHECKING
from zipfile import ZIP_DEFLATED, BadZipFile, ZipFile

import trio

from drivers.address import is_local, reason_of, without_login
from drivers.errors import GridError
from drivers.json_values import Json, fields, objects
from drivers.options import WebDriverSession

if TYPE_CHECKING:
    from pathlib import Path

MAX_FILE = 100_000_000
"""Maximum size of a file to send or fetch, in bytes: it travels inside JSON, which both ends hold in memory."""

TIMEOUTS = (10.0, 120.0)
"""Timeouts to connect and between two chunks of a response, in seconds; a node packs a file before it sends any of it.
"""

_MOST_OF_AN_ANSWER = MAX_FILE * 3 // 2
"""Maximum size of a response, in bytes: base64 with line breaks, escaped in JSON, is 1.44 times as long as the file."""

_FOLDER = re.compile(r"in directory (?P<folder>.+?)\.?$")


@dataclass(frozen=True, slots=True)
class GridSession:
    """A session on a Grid, created by any process: its requests over HTTP instead of its WebSocket."""

    url: str
    """URL of the Grid, with user:password@ if it needs a login."""
    session_id: str

    async def send(self, file: Path) -> str:
        """Copy a file to the node, under the same name, and return its path there. Raises `GridError`, `OSError`."""

        def send() -> str:
            if file.stat().st_size > MAX_FILE:
                raise _too_large(file.name)
            packed = BytesIO()
            with ZipFile(packed, "w", ZIP_DEFLATED, strict_timestamps=False) as archive:
                archive.write(file, file.name)
            return str(self._ask("file", {"file": base64.b64encode(packed.getvalue()).decode()}))

        return await trio.to_thread.run_sync(send, abandon_on_cancel=True)

    async def fetch(self, name: str, target: Path) -> None:
        """Copy a file from the node's download folder to the new file `target`. Raises `GridError`."""

        def fetch() -> None:
            packed = fields(self._ask("files", {"name": name})).get("contents", "")
            try:
                with ZipFile(BytesIO(base64.b64decode(str(packed)))) as archive:
                    packed_file = archive.infolist()[0]
                    # Reading stops at this size, even if more data follows.
                    if packed_file.file_size > MAX_FILE:
                        raise _too_large("It")
                    target.parent.mkdir(parents=True, exist_ok=True)
                    with archive.open(packed_file) as source, target.open("xb") as file:
                        shutil.copyfileobj(source, file)
            except (BadZipFile, IndexError, OSError, ValueError, zlib.error) as error:
                target.unlink(missing_ok=True)
                raise GridError(f"It did not come whole: {error}.", "Download it again.") from error

        await trio.to_thread.run_sync(fetch, abandon_on_cancel=True)

    async def check_downloads(self) -> None:
        """Raise `GridError` if downloads cannot be fetched."""
        path = f"/session/{self.session_id}/se/files"
        await trio.to_thread.run_sync(_ask, self.url, "GET", path, abandon_on_cancel=True)

    async def downloads_folder(self) -> str:
        """Return the node's download folder. Raises `GridError` if there is none."""

        def ask() -> str:
            try:
                self._ask("files", {"name": token_hex(16)})
            except GridError as error:
                # Only this message contains the folder: ChromeDriver's capabilities lack the preference that Grid sets.
                if found := _FOLDER.search(error.message):
                    return found["folder"]
                raise
            raise GridError("The Grid does not say where it keeps downloads.", "Use another version of it.")

        return await trio.to_thread.run_sync(ask, abandon_on_cancel=True)

    async def why_lost(self) -> str:
        """Return the Grid's error for a browser or a node that has ended, or "" if it reports none.

        Asks for the list of windows, which drivers return even while a page hangs or has a dialog open.
        """

        def ask() -> str:
            try:
                _ask(self.url, "GET", f"/session/{self.session_id}/window/handles")
            except _RefusedError as error:
                return f"the Grid says: {error.said}"
            except GridError:
                pass
            return ""

        return await trio.to_thread.run_sync(ask, abandon_on_cancel=True)

    def _ask(self, what: str, parameters: dict[str, str]) -> object:
        return _ask(self.url, "POST", f"/session/{self.session_id}/se/{what}", parameters).get("value")


class _RefusedError(GridError):
    """The Grid, or the driver on its node, responded with an error; ``said`` is its reason."""

    def __init__(self, where: str, said: str) -> None:
        super().__init__(f"{where} refuses: {said}", "See what it logs.")
        self.said = said


async def keeps_downloads(url: str, browser_name: str) -> bool:
    """Whether downloads can be fetched from every slot of a Grid for this browser.

    Only then may they be requested: a request for downloads excludes the slots without them.
    """

    def ask() -> list[Json]:
        nodes = objects(fields(_ask(url, "GET", "/status").get("value")).get("nodes"))
        return [fields(slot.get("stereotype")) for node in nodes for slot in objects(node.get("slots"))]

    try:
        places = await trio.to_thread.run_sync(ask, abandon_on_cancel=True)
    except GridError:
        return False
    ours = [place for place in places if str(place.get("browserName")).lower() == browser_name.lower()]
    return bool(ours) and all(place.get("se:downloadsEnabled") is True for place in ours)


async def queue_length(url: str) -> int | None:
    """Return the number of session requests in a Grid's queue, or None if the Grid does not report it."""

    def ask() -> Json:
        return _ask(url, "POST", "/graphql", {"query": "{ grid { sessionQueueSize } }"})

    try:
        answer = await trio.to_thread.run_sync(ask, abandon_on_cancel=True)
    except GridError:
        return None
    length = fields(fields(answer.get("data")).get("grid")).get("sessionQueueSize")
    return length if isinstance(length, int) else None


@dataclass(frozen=True, slots=True)
class Running:
    """A session that a Grid reports. ``age`` is in seconds."""

    session: WebDriverSession
    name: str
    """Its ``se:name``."""
    age: float


async def sessions_of(url: str) -> list[Running]:
    """Return the named sessions of a Grid. Raises `GridError`."""
    query = "{ sessionsInfo { sessions { id capabilities sessionDurationMillis } } }"

    def ask() -> Json:
        return _ask(url, "POST", "/graphql", {"query": query})

    answer = await trio.to_thread.run_sync(ask, abandon_on_cancel=True)
    info = fields(fields(answer.get("data")).get("sessionsInfo"))
    try:
        found = [_running(each, without_login(url)) for each in objects(info.get("sessions"))]
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise GridError(
            f"The Grid at {without_login(url)} does not list its sessions: {error!r}.", "See what it logs."
        ) from None
    return [each for each in found if each.name]


def _running(told: Json, address: str) -> Running:
    capabilities = fields(json.loads(str(told["capabilities"])))
    session = WebDriverSession(str(told["id"]), str(capabilities.get("browserName")).lower(), address, "")
    return Running(session, str(capabilities.get("se:name", "")), int(str(told["sessionDurationMillis"])) / 1000)


def _ask(url: str, method: str, path: str, body: dict[str, str] | None = None) -> Json:
    """Send a request and return the response; blocks. Raises `GridError`.

    Uses requests, because selenium's connection reads a response of any length to its end.
    """
    import requests

    where = f"The Grid at {without_login(url)}"
    headers = {"Content-Type": "application/json; charset=utf-8"}
    content = bytearray()
    try:
        with requests.Session() as session:
            session.trust_env = not is_local(url)  # bypass the environment's proxies
            request = session.request(
                method, f"{url.rstrip('/')}{path}", json=body, headers=headers, stream=True, timeout=TIMEOUTS
            )
            with request as response:
                for piece in response.iter_content(2**20):
                    content += piece
                    if len(content) > _MOST_OF_AN_ANSWER:
                        raise _too_large("It")
    except requests.RequestException as error:
        raise GridError(f"{where} can't be reached: {reason_of(error)}.", "Check that it runs.") from None
    try:
        answer = fields(json.loads(content))
    except ValueError:
        raise GridError(f"{where} answered {response.status_code} without JSON.", "See what it logs.") from None
    if response.status_code >= 400:
        said = str(fields(answer.get("value")).get("message")).partition("\n")[0]
        raise _RefusedError(where, said)
    return answer


def _too_large(what: str) -> GridError:
    limit = f"{MAX_FILE // 10**6} MB"
    return GridError(
        f"{what} is larger than {limit}, the most that goes through a Grid.", "Use a local browser for it."
    )
