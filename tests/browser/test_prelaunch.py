"""The session that --prelaunch makes for whoever comes first."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

from bidi_server.browser.actions.action import Action
from bidi_server.browser.pages.navigate import navigate
from bidi_server.browser.sessions.registry import Sessions, open_sessions
from bidi_server.browser.sessions.session import Session
from bidi_server.browser.settling.settle import settle
from bidi_server.browser.tab.downloads import Download
from bidi_server.browser.tab.tab import Tab
from bidi_server.config import Config
from tests.drivers.conftest import until

PAGE = "data:text/html,<a download=note.bin href='data:application/octet-stream;base64,AAEC/w=='>Get</a>"


@asynccontextmanager
async def ready(browser: str, folder: Path) -> AsyncGenerator[tuple[Sessions, Tab]]:
    """Open sessions, and wait for the tab that is opened beforehand."""
    config = Config.model_validate({"browser": browser, "output_dir": folder, "prelaunch": True})
    async with open_sessions(config) as sessions:
        await until(lambda: any(running.tabs for running in sessions.browsers.running), seconds=60)
        yield sessions, sessions.browsers.running[0].tabs[0]


async def tab_of(session: Session) -> Tab:
    """Return the session's tab, as a call has it."""

    async def tell(_done: float, _of: float | None, _what: str) -> None: ...

    async with session.call(tell):
        return await session.tab()


async def test_who_comes_first_has_a_tab_already(browser_name: str, tmp_path: Path) -> None:
    async with ready(browser_name, tmp_path) as (sessions, tab):
        assert len(sessions) == 0
        assert await tab_of(sessions.get(("one", "default"))) is tab
        assert await tab_of(sessions.get(("two", "default"))) is not tab


async def test_its_files_are_with_those_of_the_client_that_gets_it(browser_name: str, tmp_path: Path) -> None:
    """Over HTTP each token has a folder of its own."""
    async with ready(browser_name, tmp_path) as (sessions, tab):
        own = Config.model_validate({"browser": browser_name, "output_dir": tmp_path / "own", "prelaunch": True})
        session = sessions.get(("one", "default"), own)
        assert await tab_of(session) is tab
        assert await session.outputs.save_text("text", "note") in (tmp_path / "own").iterdir()
        await settle(tab, navigate(tab, PAGE))
        click = Action(lambda: tab.main.evaluate_function("() => { document.links[0].click() }"))
        effects = await settle(tab, click)
        assert [download.path for download in effects.of(Download)] == [
            str(tmp_path / "own" / "downloads" / "note.bin")
        ]


async def test_who_wants_another_kind_of_session_gets_it(browser_name: str, tmp_path: Path) -> None:
    async with ready(browser_name, tmp_path) as (sessions, tab):
        small = Config.model_validate({"browser": browser_name, "output_dir": tmp_path, "viewport": "400x300"})
        assert await tab_of(sessions.get(("one", "small"), small)) is not tab
        assert await tab_of(sessions.get(("one", "default"))) is tab


async def test_nobody_hears_of_a_browser_that_ended_before_it_was_needed(browser_name: str, tmp_path: Path) -> None:
    async with ready(browser_name, tmp_path) as (sessions, tab):
        sessions.browsers.running[0].connection.close()
        await tab.connection.closed.wait()
        session = sessions.get(("one", "default"))
        assert await tab_of(session) is not tab
        assert session.notices == sessions.browsers.running[-1].shortcomings
