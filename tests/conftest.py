"""Fixtures every test may use."""

import os
import sys
from collections.abc import Callable, Generator, Iterator
from pathlib import Path

import pytest
import trio

import drivers.find
from bidi_server.browser.sessions.registry import Sessions
from drivers.axe import install_axe, read_axe
from tests.expect import expected, gap_of
from tests.support.machines import program
from tests.support.silence import describe_machine, is_silence
from tests.support.world import Agent, World

# Neither options nor proxies of whoever runs the tests may change what they see.
for variable in list(os.environ):
    if variable.startswith("BIDI_SERVER_") or variable.lower().endswith("_proxy"):
        del os.environ[variable]


def pytest_xdist_auto_num_workers() -> int:
    """Return how many tests ``-n auto`` runs at a time.

    With three on two processors the seeds' tests in Firefox 153 take 7 % less time (185 s, 199 s), but one in 2,300
    fails because a browser that waits for a processor is silent for more than 5 s.
    """
    return os.cpu_count() or 1


def pytest_itemcollected(item: pytest.Item) -> None:
    """Mark tests that need a browser by the fixtures that give them one."""
    if {"browser_name", "browser"}.intersection(getattr(item, "fixturenames", ())):
        item.add_marker("browser")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Expect the failures that ``tests/expect`` lists for the browser."""
    browser = os.environ.get("BIDI_TEST_BROWSER")
    gaps = expected(browser) if browser else {}
    for item in items:
        if (gap := gap_of(item.nodeid, gaps)) is not None:
            if gap.without:
                item.add_marker(pytest.mark.needs_command(gap.without, gap.reason))
            else:
                item.add_marker(pytest.mark.xfail(reason=gap.reason, strict=not gap.may_pass))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Add the state of the machine to the report of a test in which a browser did not answer."""
    report = yield
    if report.failed and is_silence(report.longreprtext):
        report.sections.append(("machine", describe_machine()))
    return report


@pytest.fixture(scope="session")
def browser_name() -> str:
    """The browser that BIDI_TEST_BROWSER names: chromium, firefox or webkit. Without it the test is skipped."""
    name = os.environ.get("BIDI_TEST_BROWSER")
    if name is None:
        pytest.skip("needs a browser: set BIDI_TEST_BROWSER to chromium, firefox or webkit")
    return name


@pytest.fixture(scope="session")
def world(browser_name: str) -> Iterator[World]:
    """The product with a browser and a site, for all tests."""
    world = World(browser_name)
    world.start()
    yield world
    world.stop()


@pytest.fixture(autouse=True)
def gap_of_version(request: pytest.FixtureRequest) -> None:
    """Expect the failures that ``tests/expect`` lists for versions that do not know a command."""
    node: pytest.Item = request.node
    if (mark := node.get_closest_marker("needs_command")) is None:
        return
    command, reason = mark.args
    world: World = request.getfixturevalue("world")
    if not world.run(lambda: world.knows(command)):
        node.add_marker(pytest.mark.xfail(reason=reason, strict=True))


@pytest.fixture
def make_agent(world: World, tmp_path: Path) -> Iterator[Callable[..., Agent]]:
    """Connect clients with options of their own."""
    agents: list[Agent] = []

    def make(*, sessions: Sessions | None = None, **options: object) -> Agent:
        agents.append(
            world.agent(
                sessions=sessions,
                **{"output_dir": tmp_path / "shots", "baseline_dir": tmp_path / "baselines", **options},
            )
        )
        return agents[-1]

    yield make
    for agent in agents:
        agent.close()


@pytest.fixture
def agent(make_agent: Callable[..., Agent]) -> Agent:
    """A client with a session of its own."""
    return make_agent()


@pytest.fixture(scope="session")
def axe_core() -> None:
    """The axe-core of audits, in our cache: npm brings it once for all runs."""
    if read_axe() is None:
        trio.run(install_axe, _ignore)


def _ignore(_step: str, _fraction: float | None) -> None:
    pass


@pytest.fixture
def bare_machine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A machine without browsers, whose PATH is the returned folder, and with an empty cache."""
    programs = tmp_path / "bin"
    programs.mkdir()
    monkeypatch.setenv("PATH", str(programs))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(drivers.find, "ALSO_ON_PATH", ())
    monkeypatch.setattr(drivers.find, "PLACES", {})
    return programs


@pytest.fixture
def apt_get(bare_machine: Path) -> Path:
    """Debian's, which brings a Firefox."""
    if sys.platform != "linux" or os.geteuid() != 0:
        pytest.skip("packages are installed by root only")
    program(
        bare_machine / "apt-cache", "#!/bin/sh\nprintf 'firefox-esr:\\n  Installed: (none)\\n  Candidate: 140.7\\n'\n"
    )
    program(
        bare_machine / "apt-get",
        f"""#!/bin/sh
echo 'pmstatus:firefox-esr:60.0:Unpacking firefox-esr'
printf '#!/bin/sh\\necho Mozilla Firefox 140.7\\n' > {bare_machine}/firefox-esr
/bin/chmod +x {bare_machine}/firefox-esr
""",
    )
    return bare_machine / "apt-get"
