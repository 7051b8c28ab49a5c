"""Sessions that begin or end while their browser does not answer, or while whoever does that is cancelled."""

import os
import signal
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil
import trio

from bidi_server.browser.contexts.storage_state import collect
from bidi_server.browser.engine.browser import Browser
from bidi_server.browser.network.proxy import Proxy
from bidi_server.browser.pages.navigate import navigate
from bidi_server.browser.sessions.registry import Sessions
from bidi_server.browser.sessions.session import Session
from bidi_server.browser.settling.settle import settle
from bidi_server.config import Config
from fixtures.proxy import open_proxy
from tests.drivers.conftest import until
from tests.support.world import Agent, World

MakeAgent = Callable[..., Agent]


@contextmanager
def frozen(browser: Browser) -> Generator[None]:
    """Stop all of a browser's processes but their guard; at the end they go on."""
    family = psutil.Process(browser.pid).children(recursive=True)
    for process in family:
        process.suspend()
    try:
        yield
    finally:
        for process in family:
            with suppress(psutil.NoSuchProcess):
                process.resume()


def agent_of_its_own(make_agent: MakeAgent) -> tuple[Agent, Browser]:
    """Return an agent whose session is idle soon, and the browser that nobody else uses."""
    agent = make_agent(isolation="process", allowed_urls=("127.0.0.1",), action_timeout=1, idle_timeout=0.3)
    agent.show("idle")
    return agent, agent.world.browsers.running[-1]


def test_a_session_whose_browser_is_frozen_is_reaped(make_agent: MakeAgent) -> None:
    agent, browser = agent_of_its_own(make_agent)

    async def reap() -> None:
        with frozen(browser):
            async with trio.open_nursery() as nursery:
                nursery.start_soon(agent.sessions.reap)
                await until(lambda: browser not in agent.world.browsers.running, seconds=8)
                nursery.cancel_scope.cancel()

    agent.world.run(reap)
    assert "The session was closed after 0.3 idle seconds" in agent("browser_tabs", action="list")


def test_reaping_outlives_a_browser_that_dies_meanwhile(make_agent: MakeAgent) -> None:
    agent, browser = agent_of_its_own(make_agent)

    async def reap() -> None:
        with frozen(browser):
            async with trio.open_nursery() as nursery:
                nursery.start_soon(agent.sessions.reap)
                sent = browser.connection.commands_sent
                # It has been told to remove the context, and to stop no requests any more.
                await until(lambda: browser.connection.commands_sent >= sent + 2, seconds=8)
                os.kill(browser.pid, signal.SIGKILL)
                await until(lambda: browser not in agent.world.browsers.running, seconds=8)
                nursery.cancel_scope.cancel()

    agent.world.run(reap)
    assert "again" in agent.show("again")


async def _tell_nobody(_done: float, _of: float | None, _what: str) -> None:
    pass


async def begin(session: Session) -> None:
    """Do what the first call of a session does."""
    async with session.call(_tell_nobody):
        await session.tab()


def test_a_close_that_is_cancelled_ends_the_browser(world: World, tmp_path: Path) -> None:
    config = Config.model_validate({"browser": world.browser, "output_dir": tmp_path, "isolation": "process"})

    async def close() -> None:
        sessions = Sessions(config, world.browsers)
        await begin(sessions.get(("me", "only")))
        browser = world.browsers.running[-1]
        with trio.CancelScope() as scope:
            scope.cancel()
            await sessions.close(("me", "only"))
        assert browser not in world.browsers.running
        assert browser.lost

    world.run(close)


def test_a_first_call_that_is_cancelled_leaves_the_profile_to_the_next(world: World, tmp_path: Path) -> None:
    options = {"browser": world.browser, "output_dir": tmp_path / "shots", "user_data_dir": tmp_path / "profile"}
    config = Config.model_validate(options)

    async def cancel() -> None:
        sessions = Sessions(config, world.browsers)
        await world.browsers.prelaunch(config)
        browser = world.browsers.running[-1]
        session = sessions.get(("me", "only"))
        with frozen(browser):
            async with trio.open_nursery() as nursery:
                sent = browser.connection.commands_sent
                nursery.start_soon(begin, session)
                await until(lambda: browser.connection.commands_sent > sent)
                nursery.cancel_scope.cancel()
        await begin(session)
        await session.aclose()
        await world.browsers.release(browser)

    world.run(cancel)


def test_a_context_that_is_cancelled_leaves_the_login_of_the_proxy_to_the_next(world: World, tmp_path: Path) -> None:
    config = Config.model_validate({"browser": world.browser, "output_dir": tmp_path, "isolation": "process"})

    async def cancel(proxy: Proxy) -> None:
        session = Sessions(config, world.browsers).get(("me", "only"))
        await begin(session)
        connection = world.browsers.running[-1].connection
        async with trio.open_nursery() as nursery:
            sent = connection.commands_sent
            nursery.start_soon(lambda: session.create_context("office", proxy=proxy))
            while connection.commands_sent < sent + 2:  # the context, and what tells us that a login is asked for
                await trio.lowlevel.checkpoint()
            nursery.cancel_scope.cancel()
        context, _ = await session.create_context("office", proxy=proxy)
        tab = await context.tab()
        await settle(tab, navigate(tab, "http://shop.test/links"))
        await session.aclose()

    with world.opened(open_proxy(to_port=world.site.port, login=("user", "pass"))) as http:
        world.run(lambda: cancel(Proxy.parse(http.address, "user", "pass")))
        assert "http://shop.test/links" in http.passed


def test_saving_of_storage_has_one_limit_for_all_origins(world: World, tmp_path: Path) -> None:
    options = {"browser": world.browser, "output_dir": tmp_path, "navigation_timeout": 1}

    async def save() -> None:
        session = Sessions(Config.model_validate(options), world.browsers).get(("me", "only"))
        await begin(session)
        context = await session.context()
        context.shared.origins.update(f"http://{number}.test" for number in range(5000))
        with trio.fail_after(20):
            _, silent = await collect(context)
        assert silent
        await session.aclose()

    world.run(save)
