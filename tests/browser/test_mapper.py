"""The page that ChromeDriver keeps in Chromium for itself, seen from there by the DevTools protocol."""

import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import cast

import pytest
import trio

from bidi_server.bidi.cdp import SendCommand
from bidi_server.browser.engine.chromium.mapper import TITLE, prepare_mapper
from bidi_server.browser.pages.evaluate import evaluate
from bidi_server.browser.pages.navigate import navigate
from bidi_server.browser.sessions.registry import open_sessions
from bidi_server.browser.settling.settle import settle
from bidi_server.browser.tab.tab import Tab
from bidi_server.config import Config

ASK = "document.title = document.getElementById('logs') ? 'it shows' : 'it does not show'"


@asynccontextmanager
async def open_tab(browser: str, folder: Path, **options: object) -> AsyncGenerator[Tab]:
    if browser == "firefox":
        pytest.skip("Firefox speaks WebDriver BiDi itself")
    config = Config.model_validate({"browser": browser, "output_dir": folder, **options})
    async with open_sessions(config) as sessions:
        yield await sessions.get(("owner", "default")).tab()


async def targets(tab: Tab) -> dict[str, str]:
    """Return the titles of all pages by their target."""
    found = (await tab.connection.send(SendCommand(cdp_method="Target.getTargets"))).result["targetInfos"]
    pages = cast("list[dict[str, str]]", found)
    return {page["targetId"]: page["title"] for page in pages if page["type"] in {"page", "other"}}


@pytest.mark.parametrize("options", [{}, {"user_data_dir": "profile"}], ids=["headless shell", "whole Chromium"])
async def test_the_mapper_shows_nothing_of_what_passes_through_it(
    browser_name: str, tmp_path: Path, options: dict[str, str]
) -> None:
    """In the whole Chromium it is a hidden tab."""
    places = {name: tmp_path / place for name, place in options.items()}
    async with open_tab(browser_name, tmp_path, **places) as tab:
        [mapper] = [target for target, title in (await targets(tab)).items() if title == TITLE]
        attach = SendCommand(cdp_method="Target.attachToTarget", params={"targetId": mapper, "flatten": False})
        session = (await tab.connection.send(attach)).result["sessionId"]
        question = json.dumps({"id": 1, "method": "Runtime.evaluate", "params": {"expression": ASK}})
        ask = SendCommand(cdp_method="Target.sendMessageToTarget", params={"sessionId": session, "message": question})
        with trio.fail_after(10):
            while (await targets(tab))[mapper] != "it does not show":
                await tab.connection.send(ask)


async def test_a_page_of_the_same_name_is_left_alone(browser_name: str, tmp_path: Path) -> None:
    async with open_tab(browser_name, tmp_path) as tab:
        await settle(tab, navigate(tab, f"data:text/html,<title>{TITLE}</title><p id=logs>Mine</p>"))
        with trio.fail_after(10):
            while list((await targets(tab)).values()).count(TITLE) < 2:  # the mapper's and this one
                pass
        await prepare_mapper(tab.connection)
        assert await evaluate(tab, "document.body.innerText") == "Mine"
