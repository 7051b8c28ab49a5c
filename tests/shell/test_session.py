"""Sessions of the shell, as an agent uses them: real processes, a real browser."""

import json
import os
import signal
import stat
import subprocess
import sys
import tempfile
import uuid
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import trio

from tests.drivers.conftest import marked, until

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes are told apart by /proc")

ROOT = Path(__file__).parents[2]
FORM = "data:text/html,<title>Form</title><h1>Here</h1><input aria-label=Name><button onclick='alert(1)'>Ask</button>"
DEADLINE = 120.0


class Shell:
    """A shell in a folder of its own, whose sessions nothing else sees."""

    def __init__(self, folder: Path, temporary: Path, browser: str) -> None:
        self.folder, self.temporary, self.browser = folder, temporary, browser
        self.mark = uuid.uuid4().hex
        self.environment = {
            **os.environ,
            "PYTHONPATH": str(ROOT),
            "BIDI_TEST_MARK": self.mark,
            "BIDI_SERVER_BROWSER": browser,
            "TMPDIR": str(temporary),
            "XDG_CACHE_HOME": str(folder / "cache"),
        }
        self.environment.pop("XDG_RUNTIME_DIR", None)

    @property
    def command(self) -> list[str]:
        return [sys.executable, "-m", "bidi_server"]

    async def run(self, *words: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
        """Run a command to its end."""
        with trio.fail_after(DEADLINE):
            done = await trio.run_process(
                [*self.command, *words],
                cwd=cwd or self.folder,
                env=self.environment,
                capture_stdout=True,
                capture_stderr=True,
                check=False,
            )
        return subprocess.CompletedProcess(done.args, done.returncode, done.stdout.decode(), done.stderr.decode())

    async def says(self, *words: str) -> str:
        """Return the answer of a command that works."""
        done = await self.run(*words)
        assert (done.returncode, done.stderr) == (0, "")
        return done.stdout

    async def fails(self, *words: str, code: int = 1) -> str:
        """Return the message of a command that fails."""
        done = await self.run(*words)
        assert (done.returncode, done.stdout) == (code, "")
        return done.stderr

    def daemons(self) -> list[int]:
        """Return the processes of sessions."""
        return [pid for pid, command in marked(self.mark).items() if " session " in command]

    async def wait_ended(self) -> None:
        """Wait until no process is left, and only logs."""
        await until(lambda: not marked(self.mark), seconds=15)
        assert {path.suffix for path in self.temporary.rglob("*") if path.is_file()} <= {".log"}


@pytest.fixture
async def shell(browser_name: str, tmp_path: Path) -> AsyncIterator[Shell]:
    with tempfile.TemporaryDirectory(prefix="test-", dir="/tmp") as temporary:  # a short path, for sockets
        shell = Shell(tmp_path, Path(temporary), browser_name)
        yield shell
        for pid in shell.daemons():
            os.kill(pid, signal.SIGKILL)
        await until(lambda: not marked(shell.mark), seconds=15)


async def test_a_session_goes_on_between_commands(shell: Shell) -> None:
    assert 'button "Ask"' in await shell.says("open", FORM)
    assert "Typed" in await shell.says("type", "role=textbox", "Bob")
    assert 'textbox "Name"' in await shell.says("find", "Name")
    assert await shell.says("eval", "el => el.value", "input") == "Bob\n"
    assert json.loads(await shell.says("--json", "eval", "document.title")) == {"failed": False, "text": "Form"}
    asked = await shell.says("click", "text=Ask")
    assert '"1"' in asked
    assert "`bidi-server handle-dialog`" in asked
    assert "default" in await shell.says("sessions")
    assert "accepted" in await shell.says("dialog-accept")
    picture = (await shell.says("screenshot", "--filename", "a.png")).split()[-1]
    assert (shell.folder / picture).is_file()
    missed = await shell.fails("click", "e9z9z")
    assert "e9z9z" in missed
    failed = await shell.run("--json", "click", "e9z9z")
    assert (failed.returncode, json.loads(failed.stdout)) == (1, {"failed": True, "text": missed.rstrip("\n")})
    assert "Did you mean click?" in await shell.fails("clik", "e1a2b", code=2)
    assert await shell.says("close") == "Closed.\n"
    await shell.wait_ended()
    assert await shell.says("sessions") == "No session is open.\n"
    assert f"no session is open in {shell.folder}. Open one: bidi-server open URL" in await shell.fails(
        "snapshot", code=2
    )


async def test_sessions_have_names_and_folders(shell: Shell) -> None:
    other = shell.folder / "other"
    other.mkdir()
    async with trio.open_nursery() as nursery:
        for words in (["open", FORM], ["-s", "two", "open"], ["-s", "two", "open"]):
            nursery.start_soon(shell.says, *words)
    assert len(shell.daemons()) == 2
    assert "no session is open" in (await shell.run("snapshot", cwd=other)).stderr
    assert "no session 'three' is open" in await shell.fails("-s", "three", "snapshot", code=2)
    listed = json.loads(await shell.says("--json", "sessions"))
    assert [(each["name"], each["folder"]) for each in listed] == [
        ("default", str(shell.folder)),
        ("two", str(shell.folder)),
    ]
    assert "data:text/html" in listed[0]["page"]
    wrong = await shell.fails("open", "--viewport", "800x600", code=2)
    assert "The session was opened with no options. Close it first" in wrong
    assert (await shell.says("close", "--all")).splitlines() == ["Closed.", "Closed."]
    await shell.wait_ended()


async def test_options_go_to_the_browser(shell: Shell) -> None:
    await shell.says("open", FORM, "--viewport", "640x480", "--locale", "de-DE")
    assert await shell.says("eval", "[innerWidth, navigator.language].join()") == "640,de-DE\n"
    assert "Here" in await shell.says("open", "--viewport=640x480", "--locale=de-DE", FORM)
    assert "800" in await shell.says("resize", "800", "600")


async def test_a_session_ends_with_its_browser(shell: Shell) -> None:
    await shell.says("open", FORM)
    [daemon] = shell.daemons()
    guards = [pid for pid, command in marked(shell.mark).items() if "guard.py" in command]
    for pid in guards:
        os.kill(pid, signal.SIGTERM)
    await until(lambda: daemon not in marked(shell.mark), seconds=15)
    await shell.wait_ended()
    assert "no session is open" in await shell.fails("snapshot", code=2)


async def test_a_session_that_nobody_uses_ends(shell: Shell) -> None:
    await shell.says("open", FORM, "--idle-timeout", "0.5")
    await shell.wait_ended()


async def test_a_session_whose_process_was_killed(shell: Shell) -> None:
    await shell.says("open", FORM)
    [daemon] = shell.daemons()
    os.kill(daemon, signal.SIGKILL)
    await until(lambda: not marked(shell.mark), seconds=15)
    assert "no session is open" in await shell.fails("snapshot", code=2)
    assert "Here" in await shell.says("open", FORM)
    await shell.says("close")
    await shell.wait_ended()


async def test_a_command_that_is_interrupted_ends_its_call_only(shell: Shell) -> None:
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        pytest.skip("SIGINT is ignored, as for commands that a shell runs in the background")
    await shell.says("open", FORM)
    process = await trio.lowlevel.open_process(
        [*shell.command, "wait-for", "--time", "300"],
        cwd=shell.folder,
        env=shell.environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        listed = ""
        with trio.fail_after(DEADLINE):
            while "(busy)" not in listed:
                listed = await shell.says("sessions")
        process.send_signal(signal.SIGINT)
        assert await process.wait() == 130
    finally:
        process.kill()
        await process.wait()
    assert await shell.says("eval", "1 + 1") == "2\n"


async def test_a_browser_that_does_not_start_leaves_no_session(shell: Shell) -> None:
    assert "/no/browser" in await shell.fails("open", FORM, "--executable", "/no/browser")
    await shell.wait_ended()
    assert "--viewport" in await shell.fails("open", "--viewport", "wide", code=2)
    assert "--brwser: there is no such option" in await shell.fails("open", "--brwser", "x", code=2)
    assert not shell.daemons()


async def test_nobody_else_reaches_a_session(shell: Shell) -> None:
    await shell.says("open", FORM)
    records = shell.temporary / f"bidi-server-{os.getuid()}"
    assert stat.S_IMODE(records.stat().st_mode) == 0o700
    [socket] = records.glob("*.sock")
    stream = await trio.open_unix_socket(str(socket))
    async with stream:
        await stream.send_all(b'{"token": "guess", "words": ["snapshot"]}\n')
        assert await stream.receive_some() == b""
    stream = await trio.open_unix_socket(str(socket))
    async with stream:
        await stream.send_all(b"\xff\n")
        assert await stream.receive_some() == b""
    records.chmod(0o755)
    assert "is not yours alone" in await shell.fails("snapshot")
    records.chmod(0o700)
    assert "Here" in await shell.says("snapshot")


async def test_a_working_folder_that_is_gone(shell: Shell) -> None:
    gone = shell.folder / "gone"
    gone.mkdir()
    done = await trio.run_process(
        ["/bin/sh", "-c", f"rmdir {gone}; exec {sys.executable} -P -m bidi_server snapshot"],
        cwd=gone,
        env=shell.environment,
        capture_stderr=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (1, b"bidi-server: The working folder is gone. Change to another one.\n")


async def test_help_needs_no_session(shell: Shell) -> None:
    assert "usage: bidi-server click [TARGET]" in await shell.says("click", "--help")
    assert "usage: bidi-server open" in await shell.says("open", "--help")
    assert "bidi-server snapshot" in await shell.says("help")
