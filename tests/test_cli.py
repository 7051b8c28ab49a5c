"""The command line, as a person at a terminal and a script use it."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from mcp.client import Client
from rich.console import Console

from bidi_server.browser.engine.pool import launch_options
from bidi_server.cli import joined, make_parser, prepare, run
from bidi_server.commands import UsageError
from bidi_server.commands.call import parse_calls
from bidi_server.commands.demo import provide
from bidi_server.commands.doctor import doctor
from bidi_server.commands.install import ask
from bidi_server.commands.options import GROUPS, options
from bidi_server.commands.terminal import ERR, Steps, seconds
from bidi_server.config import Config, load_config
from bidi_server.server import make_server
from docs.generate import EXCERPT, README, transcript
from tests.support.machines import program

ROOT = Path(__file__).parents[1]


def bidi_server(*arguments: str, cwd: Path, text: str = "") -> subprocess.CompletedProcess[str]:
    """Run the program as a shell would."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "bidi_server", *arguments]
    return subprocess.run(
        command, cwd=cwd, env=environment, input=text, capture_output=True, text=True, timeout=180, check=False
    )


class Terminal:
    """A pseudo-terminal: what programs take for a screen and a keyboard."""

    def __init__(self) -> None:
        self._master, slave = os.openpty()
        self.screen = os.fdopen(slave, "w")
        self.keyboard = os.fdopen(os.dup(slave))

    def type(self, text: str) -> None:
        os.write(self._master, text.encode())

    def shown(self) -> str:
        """Return what was printed so far: the system brings it over piece by piece."""
        print("<end>", file=self.screen, flush=True)
        shown = b""
        while not shown.endswith(b"<end>\r\n"):
            shown += os.read(self._master, 65536)
        return shown.decode().removesuffix("<end>\r\n")

    def close(self) -> None:
        self.screen.close()
        self.keyboard.close()
        os.close(self._master)


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Iterator[Terminal]:
    if sys.platform == "win32":
        pytest.skip("there are no pseudo-terminals")
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    terminal = Terminal()
    yield terminal
    terminal.close()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--brwser", "firefox"], "--brwser: there is no such option. Did you mean --browser?"),
        (["call", "--vieport=1x1", "browser_tabs"], "--vieport=1x1: there is no such option. Did you mean --viewport?"),
        (["--colour"], "--colour: there is no such option. See: bidi-server --help"),
        (["dmo"], "There is no command 'dmo'. Did you mean demo?"),
        (["demo", "quickly"], "quickly: bidi-server demo does not use it. See: bidi-server demo --help"),
        (["--browser", "safari"], "--browser: it must be one of 'chromium', 'firefox' or 'webkit', not 'safari'."),
        (["demo", "--viewport", "big"], "--viewport: it must be WIDTHxHEIGHT in pixels"),
        (["--config", "none.toml"], "--config none.toml: it can't be read: No such file or directory"),
        (["--browser"], "argument --browser: expected one argument. See: bidi-server --help"),
        (["call"], "the following arguments are required: TOOL JSON. See: bidi-server call --help"),
        (["call", '{"url": "x"}'], "these arguments follow no tool"),
        (["call", "browser_navigate", "{"], "browser_navigate: its arguments are not JSON: "),
        (["call", "browser_navigate", "[1]"], "browser_navigate: its arguments must be an object"),
        (["install", "safari"], "install: 'safari' is none of chromium, firefox, webkit, axe."),
        (["--headed", "install"], "install takes none of the server's options"),
    ],
)
def test_a_wrong_command_line_is_one_line_that_says_what_fits(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("bidi-server: ")
    assert said in err
    assert err.count("\n") == 1


def test_help_names_every_option_and_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        run(["--help"])
    assert ended.value.code == 0
    shown = capsys.readouterr().out
    for option in options():
        assert f"\n  {option.flag} {option.values}".rstrip() in shown
        assert option.text.split()[0] in shown
    for command in ("demo", "call", "install", "doctor", "tools"):
        assert f"\n    {command} " in shown
        with pytest.raises(SystemExit):
            run([command, "--help"])
        assert f"usage: bidi-server {command}" in capsys.readouterr().out


@pytest.mark.parametrize(
    "arguments",
    [
        ["--transport", "http", "--caps", "pdf", "tools"],
        ["tools", "--caps=pdf", "--transport", "stdio", "--transport=http"],
        ["--transport=http", "tools", "--caps", "pdf"],
    ],
)
def test_options_stand_before_or_after_a_command(arguments: list[str]) -> None:
    command = prepare(arguments)
    assert isinstance(command, partial)
    assert command.args == (Config(transport="http", caps=("pdf",)),)


def test_calls_are_read_in_order() -> None:
    assert parse_calls(["browser_tabs", '{"action": "list"}', "browser_snapshot", "browser_close", "{}"]) == [
        ("browser_tabs", {"action": "list"}),
        ("browser_snapshot", {}),
        ("browser_close", {}),
    ]
    with pytest.raises(UsageError):
        parse_calls(["browser_tabs", '{"action": "list"}', '{"action": "list"}'])


def test_the_version(tmp_path: Path) -> None:
    done = bidi_server("--version", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert re.fullmatch(r"bidi-server \d+\.\d+\.\d+\n", done.stdout)


def test_a_terminal_that_cannot_show_everything(tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "ascii"}
    command = [sys.executable, "-m", "bidi_server", "tools"]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"() => { ? }" in done.stdout


@pytest.mark.parametrize("arguments", [["tools"], ["doctor", "--quick"]])
def test_output_that_nobody_reads_any_more(arguments: list[str], tmp_path: Path) -> None:
    """As in `bidi-server tools | head -1`."""
    read, write = os.pipe()
    os.close(read)
    command = [sys.executable, "-m", "bidi_server", *arguments]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, stdout=write, stderr=subprocess.PIPE, cwd=tmp_path, env=environment, check=False)
    os.close(write)
    assert (done.returncode, done.stderr) == (1, b"")


@pytest.mark.parametrize("size", [1024, 1024 * 1024])
def test_output_that_nobody_reads_any_more_and_a_buffer(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """How much fits before the pipe is met is the system's choice."""
    read, write = os.pipe()
    os.close(read)
    with open(write, "w", buffering=size) as nobody:  # noqa: PTH123 (a number, not a path)
        monkeypatch.setattr(sys, "stdout", nobody)
        assert run(["tools"]) == 1


async def test_tools_are_described_as_clients_see_them(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["tools", "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    async with Client(make_server(Config())) as client:
        listed = await client.list_tools()
    assert printed["tools"] == [tool.model_dump(by_alias=True, exclude_none=True) for tool in listed.tools]
    assert run(["tools", "--toolset", "extract"]) == 0
    extract = capsys.readouterr().out
    assert "### `create_browser_session`" in extract
    assert "`browser_click`" not in extract
    assert "Answers {url: string, title: string, status: integer or null, events?: list of string}" in extract
    assert run(["tools"]) == 0
    reference = capsys.readouterr().out
    assert "Every tool in a session takes `tab`" in reference
    for tool in listed.tools:
        section = reference.partition(f"### `{tool.name}`\n")[2].partition("\n### ")[0]
        for name in {*tool.input_schema["properties"]} - {"tab"}:
            assert f"| `{name}` |" in section


def test_installing_what_is_there_changes_nothing(bare_machine: Path, capsys: pytest.CaptureFixture[str]) -> None:
    program(bare_machine / "firefox", "#!/bin/sh\necho Mozilla Firefox 140.0\n")
    assert run(["install", "firefox"]) == 0
    assert capsys.readouterr().err == f"Already there: {bare_machine / 'firefox'} (140.0)\n"


def test_installing_says_what_it_changes(apt_get: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["install", "--yes", "firefox"]) == 0
    lines = capsys.readouterr().err.splitlines()
    changes = "apt-get update && apt-get install -y firefox-esr"
    assert lines[0] == f"To install firefox, this changes the system: {changes}"
    assert lines[-1] == f"Installed: {apt_get.parent / 'firefox-esr'} (140.7)"


@pytest.fixture
def nobody(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No person to ask."""
    with Path(os.devnull).open() as nothing:
        monkeypatch.setattr(sys, "stdin", nothing)
        yield


@pytest.mark.usefixtures("nobody")
async def test_the_demo_gets_the_browser_that_is_missing_when_agreed_to(
    apt_get: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert not await provide(Config(browser="firefox"), agreed=False)
    out, err = capsys.readouterr()
    assert out.startswith("bidi-server install firefox installs the browser that is missing: ")
    assert out.endswith("To agree beforehand: bidi-server demo --yes\n")
    assert not err
    assert not (apt_get.parent / "firefox-esr").exists()
    assert await provide(Config(browser="firefox"), agreed=True)
    assert "this changes the system: apt-get update && apt-get install -y firefox-esr\n" in capsys.readouterr().err
    assert (apt_get.parent / "firefox-esr").exists()


@pytest.mark.parametrize("command", ["demo", "call", "doctor", "tools"])
def test_the_help_of_a_command_shows_what_it_uses(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        run([command, "--help"])
    said = capsys.readouterr().out
    assert f"\nexample: bidi-server {command} " in said
    assert "--keyfile" not in said
    assert ("--executable" in said) == (command != "tools")


def test_every_option_is_in_one_group_of_the_help() -> None:
    assert sorted(name for names in GROUPS.values() for name in names) == sorted(Config.model_fields)


def test_an_option_that_a_command_does_not_use(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["doctor", "--port", "80"]) == 2
    expected = "bidi-server: --port: bidi-server doctor does not use it. See: bidi-server doctor --help\n"
    assert capsys.readouterr().err == expected


def test_arguments_and_preferences_of_the_browser() -> None:
    given = joined(["call", "--browser-arg", "--lang=de", "--browser-arg=--disable-features=A,B", "browser_close"])
    parsed = vars(make_parser().parse_args([*given, "--browser-pref", "a.b=true", "--browser-pref=c=7"]))
    assert parsed["calls"] == ["browser_close"]
    values = {name: parsed[name] for name in ("browser_arg", "browser_pref")}
    options = launch_options(load_config(values, {}))
    assert options.arguments == ("--lang=de", "--disable-features=A,B")
    assert options.preferences == (("a.b", True), ("c", 7))
    environment = {"BIDI_SERVER_BROWSER_ARG": "--lang=de '--x=a b'", "BIDI_SERVER_BROWSER_PREF": "d=x=y"}
    options = launch_options(load_config({}, environment))
    assert (options.arguments, options.preferences) == (("--lang=de", "--x=a b"), (("d", "x=y"),))


def test_environment_of_the_browser() -> None:
    """It may hold secrets."""
    options = launch_options(load_config({"browser_env": ["TZ=UTC", "KEY=a=b"]}, {}))
    assert options.environment == (("TZ", "UTC"), ("KEY", "a=b"))
    assert "a=b" not in repr(options)
    assert launch_options(load_config({}, {"BIDI_SERVER_BROWSER_ENV": "A=1 'B=2 3'"})).environment == (
        ("A", "1"),
        ("B", "2 3"),
    )


@pytest.mark.usefixtures("nobody")
def test_nobody_to_ask_means_no(capsys: pytest.CaptureFixture[str]) -> None:
    assert not ask()
    assert "--yes" in capsys.readouterr().err


@pytest.mark.parametrize(("typed", "agreed"), [("y\n", True), ("Yes\n", True), ("n\n", False), ("\n", False)])
def test_a_person_is_asked(typed: str, *, agreed: bool, terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", terminal.keyboard)
    terminal.type(typed)
    assert ask() == agreed


def test_progress_is_a_bar_on_a_terminal(terminal: Terminal) -> None:
    steps = Steps(Console(file=terminal.screen, no_color=True))
    steps.show("apt-get install: Unpacking [a]", 0.5)
    steps.show("apt-get install: Setting up [b]", 1.0)
    steps.show("Downloading", None)
    steps.close()
    shown = terminal.shown()
    assert re.search(r"━{15}.*  50% apt-get install: Unpacking \[a\]", shown)
    assert re.search(r"━{30}.* 100% apt-get install: Setting up \[b\]\s*\r\n", shown)
    assert "Downloading" in shown.rpartition("Setting up")[2]


def test_progress_is_a_line_for_each_step_elsewhere(capsys: pytest.CaptureFixture[str]) -> None:
    steps = Steps(ERR)
    for message in ("apt-get install: Unpacking [a]", "apt-get install: Setting up", "Downloading"):
        steps.show(message, 0.5)
    steps.close()
    assert capsys.readouterr().err == "apt-get install: Unpacking [a]\nDownloading\n"


def test_durations() -> None:
    assert [seconds(0.0004), seconds(0.034), seconds(1.25)] == ["0 ms", "34 ms", "1.2 s"]


async def test_a_machine_without_browsers(bare_machine: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert await doctor(Config(), quick=False) == 1
    report = capsys.readouterr().out
    assert "Run: bidi-server install chromium" in report
    assert "Run: bidi-server install firefox" in report
    assert report.endswith("\nNo browser to work with. Run: bidi-server install chromium\n")


async def test_a_chromium_without_its_driver(bare_machine: Path, capsys: pytest.CaptureFixture[str]) -> None:
    program(bare_machine / "chromium", "#!/bin/sh\necho Chromium 140.0\n")
    for quick in (True, False):
        assert await doctor(Config(), quick=quick) == 1
        report = capsys.readouterr().out
        assert f"{bare_machine / 'chromium'} 140.0 (system)" in report
        assert "Run" in report.partition("chromium 140.0")[2]


def test_the_doctor_starts_the_browser(browser_name: str, tmp_path: Path) -> None:
    done = bidi_server("doctor", "--browser", browser_name, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    protocol, least = ("classic WebDriver", 35) if browser_name == "webkit" else ("WebDriver BiDi", 40)
    assert re.search(rf"starts +in .*: [\w-]+ [\d.]+, over {protocol}", done.stdout)
    known = re.search(r"knows +(\d+) of (\d+) commands", done.stdout)
    assert known
    assert int(known[1]) > least
    assert done.stdout.endswith(f"\nbidi-server works with {browser_name}.\n")


def test_the_doctor_of_an_executable_that_is_none(tmp_path: Path) -> None:
    done = bidi_server("doctor", "--executable", str(tmp_path / "none"), cwd=tmp_path)
    assert done.returncode == 1
    assert f"{tmp_path / 'none'} is not a program" in done.stdout


def test_answers_go_to_stdout_and_the_rest_to_stderr(browser_name: str, tmp_path: Path) -> None:
    page = "data:text/html,<title>T</title><button>Press</button>"
    calls = ["browser_navigate", "-", "browser_evaluate", '{"function": "1 + 1"}', "browser_take_screenshot"]
    done = bidi_server(
        *("call", "--browser", browser_name, "--image-responses", "inline", *calls),
        cwd=tmp_path,
        text=json.dumps({"url": page}),
    )
    assert done.returncode == 0
    assert 'button "Press"' in done.stdout
    assert "\n2\n" in done.stdout
    assert re.search(r"\n\(image/jpeg, \d+ kB\)\n", done.stdout)
    assert [line.split()[0] for line in done.stderr.splitlines() if "browser_" in line] == [
        "browser_navigate",
        "browser_evaluate",
        "browser_take_screenshot",
    ]
    assert len(list((tmp_path / ".bidi-server-screenshots").glob("*.png"))) == 1


def test_a_call_that_fails_does_not_keep_the_next_from_running(tmp_path: Path) -> None:
    done = bidi_server("call", "browser_nvigate", "browser_navigate", "browser_close", cwd=tmp_path)
    assert done.returncode == 1
    assert "Unknown tool: browser_nvigate. Did you mean browser_navigate?" in done.stderr
    assert done.stdout.splitlines() == ["browser_navigate needs the parameter 'url'.", "No page is open."]


def told(lines: list[str]) -> list[str]:
    """Return the calls of a transcript and the beginnings of their answers, without what differs from run to run."""
    found: list[str] = []
    for line, following in zip(lines, [*lines[1:], ""], strict=True):
        if line.startswith("browser_"):
            found += [line, following]
    text = re.sub(r"127\.0\.0\.1:\d+", "HOST", "\n".join(found))
    return re.sub(r"\d{4}-\d\d-\d\d", "DAY", text).splitlines()


def test_the_demo_goes_as_the_readme_shows_and_leaves_a_picture(browser_name: str, tmp_path: Path) -> None:
    done = bidi_server("--browser", browser_name, "demo", "--no-headed", "--viewport", "1100x700", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    assert f"Starting: bidi-server --browser={browser_name} --no-headed --viewport=1100x700 --caps dev\n" in done.stdout
    assert "\n15 calls in " in done.stdout
    shown = README.read_text("utf-8").partition("<!-- demo -->\n")[2].partition("<!-- /demo -->")[0].splitlines()
    assert len(told(shown)) == 2 * len(EXCERPT)
    assert told(list(transcript(done.stdout))) == told(shown), "run: python -m docs.generate --demo"
    picture = Path(done.stdout.splitlines()[-1].removeprefix("The screenshot is "))
    assert picture.parent == tmp_path / ".bidi-server-screenshots"
    assert picture.exists()
