"""Fixtures every test may use."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.world import Agent, World

# Neither options nor proxies of whoever runs the tests may change what they see.
for variable in list(os.environ):
    if variable.startswith("BIDI_SERVER_") or variable.lower().endswith("_proxy"):
        del os.environ[variable]


def pytest_itemcollected(item: pytest.Item) -> None:
    """Mark tests that need a browser by the fixtures that give them one."""
    if {"browser_name", "browser"}.intersection(getattr(item, "fixturenames", ())):
        item.add_marker("browser")


@pytest.fixture(scope="session")
def browser_name() -> str:
    """Which browser to test: BIDI_TEST_BROWSER is chromium or firefox; without it the test is skipped."""
    name = os.environ.get("BIDI_TEST_BROWSER")
    if name is None:
        pytest.skip("needs a browser: set BIDI_TEST_BROWSER to chromium or firefox")
    return name


@pytest.fixture(scope="session")
def world(browser_name: str) -> Iterator[World]:
    """The product with a browser and a site, for all tests."""
    world = World(browser_name)
    world.start()
    yield world
    world.stop()


@pytest.fixture
def make_agent(world: World, tmp_path: Path) -> Iterator[Callable[..., Agent]]:
    """Connect clients with options of their own."""
    agents: list[Agent] = []

    def make(**options: object) -> Agent:
        agents.append(world.agent(tmp_path / "shots", **options))
        return agents[-1]

    yield make
    for agent in agents:
        agent.close()


@pytest.fixture
def agent(make_agent: Callable[..., Agent]) -> Agent:
    """A client with a session of its own."""
    return make_agent()
