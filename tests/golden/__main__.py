"""Write golden files anew; read the diff before you commit it.

``python -m tests.golden`` writes the catalogues of tools, ``python -m tests.golden pages`` the pages as both browsers
see them. A page that they see in the same way has one file.
"""

import sys
from tempfile import TemporaryDirectory
from typing import get_args

from bidi_server.config import Toolset
from tests.support.world import World
from tests.tools import test_catalogue, test_golden_pages
from tests.tools.test_golden_pages import PAGES, seen


def write_catalogues() -> None:
    """Write the catalogue of each toolset."""
    for toolset in get_args(Toolset):
        (test_catalogue.GOLDEN / f"{toolset}.json").write_text(test_catalogue.written(toolset), "utf-8")


def write_pages() -> None:
    """Write each page as both browsers see it."""
    chromium, firefox = (seen_by(browser) for browser in ("chromium", "firefox"))
    folder = test_golden_pages.GOLDEN
    for file in folder.glob("*.txt"):
        file.unlink()
    for name, text in chromium.items():
        (folder / f"{name}.txt").write_text(f"{text}\n", "utf-8")
        if firefox[name] != text:
            (folder / f"{name}.firefox.txt").write_text(f"{firefox[name]}\n", "utf-8")


def seen_by(browser: str) -> dict[str, str]:
    """Return the answers of a browser, by the names of the pages."""
    world = World(browser)
    world.start()
    try:
        with TemporaryDirectory() as folder:
            found: dict[str, str] = {}
            for name, path in PAGES.items():
                # A new session each time, as in a test: the answer says nothing of an earlier page.
                agent = world.agent(output_dir=folder)
                found[name] = seen(agent, path)
                agent.close()
            return found
    finally:
        world.stop()


write_pages() if sys.argv[1:] == ["pages"] else write_catalogues()
