"""The pytest plugin: the fixture ``agent_browser``.

pytest imports this module at its start, so it imports nothing of the product before a test needs a browser.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator
    from pathlib import Path

    from bidi_server.config import Config
    from bidi_server.testing.browser_thread import BrowserThread
    from bidi_server.testing.page import Page

BROWSERS = ("chromium", "firefox", "webkit")

OPTIONS = {
    "agent-browser": "browser to test in, chromium, firefox or webkit; separated by commas, the tests run once in each",
    "agent-headed": "show the window of the browser",
    "agent-baselines": "folder of the pictures that verify_screenshot compares with; default: baselines",
    "agent-base-url": "URL that the URLs of page.open() are relative to",
    "agent-output": "folder for screenshots and downloads; default: a temporary folder of pytest",
}
"""The command line options, with their help. The ini options have the same names with underscores."""

MAX_FOLDER = 80
"""Maximum length of the name of a test's folder."""

_PAGE = pytest.StashKey["Page"]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options."""
    group = parser.getgroup("bidi-server", "tests in browsers (bidi-server)")
    for name, text in OPTIONS.items():
        ini = name.replace("-", "_")
        match name:
            case "agent-browser":
                group.addoption(f"--{name}", action="append", default=[], metavar="NAME", help=f"{text}; repeatable")
                parser.addini(ini, text, type="args", default=[])
            case "agent-headed":
                group.addoption(f"--{name}", action="store_true", help=text)
                parser.addini(ini, text, type="bool", default=False)
            case _:
                group.addoption(f"--{name}", default="", help=text)
                parser.addini(ini, text, type="string", default="")


def pytest_configure(config: pytest.Config) -> None:
    """Check the names of the browsers."""
    for name in _browsers(config):
        if name not in BROWSERS:
            raise pytest.UsageError(f"--agent-browser: it must be chromium, firefox or webkit, not {name!r}.")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run the tests once in each browser if there are several."""
    names = _browsers(metafunc.config)
    if "agent_browser_name" in metafunc.fixturenames and len(names) > 1:
        metafunc.parametrize("agent_browser_name", names, indirect=True, scope="session")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Add the state of the page to the report of a failed test."""
    report = yield
    page = item.stash.get(_PAGE, None)
    if report.failed and page is not None:
        report.sections.append(("page of agent_browser", page.describe()))
    return report


@pytest.fixture(scope="session")
def agent_browser_options() -> dict[str, object]:
    """More options of bidi-server by their names, such as ``viewport`` or ``locale``. Override it in conftest.py."""
    return {}


@pytest.fixture(scope="session")
def agent_browser_name(request: pytest.FixtureRequest) -> str:
    """The name of the browser that the test runs in."""
    if hasattr(request, "param"):
        return str(request.param)
    from bidi_server.browser.engine.installation import default_browser

    return next(iter(_browsers(request.config)), "") or default_browser()


@pytest.fixture(scope="session")
def _agent_thread() -> Iterator[BrowserThread]:
    from bidi_server.testing.browser_thread import BrowserThread

    thread = BrowserThread()
    yield thread
    thread.stop()


@pytest.fixture(scope="session")
def _agent_config(
    pytestconfig: pytest.Config,
    agent_browser_name: str,
    agent_browser_options: dict[str, object],
    _agent_thread: BrowserThread,
) -> Iterator[Config]:
    """The options of the sessions. Their browser is running."""
    from bidi_server.config import ConfigError, load_config
    from bidi_server.errors import BrowserUnavailableError

    ours: dict[str, object] = {
        "browser": agent_browser_name,
        "baseline_dir": _folder(pytestconfig, "agent-baselines") or pytestconfig.rootpath / "baselines",
        **({"headed": True} if _value(pytestconfig, "agent-headed") else {}),
    }
    try:
        config = load_config({**ours, **agent_browser_options})
        if config.secrets is not None or config.secrets_command is not None:
            from bidi_server.secret.options import with_secrets

            config = with_secrets(config)
        _agent_thread.run(lambda: _agent_thread.keep_browser(config))
    except (ConfigError, BrowserUnavailableError) as error:
        pytest.fail(str(error), pytrace=False)
    yield config
    _agent_thread.run(_agent_thread.release_browser)


@pytest.fixture
def agent_browser(
    request: pytest.FixtureRequest,
    tmp_path_factory: pytest.TempPathFactory,
    _agent_config: Config,
    _agent_thread: BrowserThread,
) -> Iterator[Page]:
    """A page in a session of its own: a `bidi_server.testing.page.Page`."""
    from bidi_server.testing.page import Page

    node: pytest.Item = request.node
    outputs = _folder(request.config, "agent-output") or tmp_path_factory.getbasetemp() / "agent_browser"
    folder = outputs / re.sub(r"[^\w.-]+", "-", node.nodeid)[-MAX_FOLDER:].strip("-")
    config = _agent_config.model_copy(update={"output_dir": folder})
    client = _agent_thread.run(lambda: _agent_thread.client(config))
    page = node.stash[_PAGE] = Page(_agent_thread, client, str(_value(request.config, "agent-base-url")))
    yield page
    del node.stash[_PAGE]
    _agent_thread.run(client.aclose)


def _value(config: pytest.Config, name: str) -> object:
    """Return an option of the command line, or else of the ini file."""
    key = name.replace("-", "_")
    return config.getoption(key) or config.getini(key)


def _browsers(config: pytest.Config) -> list[str]:
    words: list[str] = config.getoption("agent_browser") or config.getini("agent_browser")
    names = [name.strip() for each in words for name in each.split(",")]
    return list(dict.fromkeys(filter(None, names)))


def _folder(config: pytest.Config, name: str) -> Path | None:
    """Return the folder that an option names: relative to the current one, or in an ini file to pytest's root."""
    if given := config.getoption(name.replace("-", "_")):
        return config.invocation_params.dir / given
    named = config.getini(name.replace("-", "_"))
    return config.rootpath / str(named) if named else None
