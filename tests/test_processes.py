"""The real server over stdio: it is there soon, it works, and whatever ends it, nothing of it is left."""

import json
import os
import signal
import sys
import tempfile
import uuid
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from subprocess import PIPE
from typing import cast

import pytest
import trio
from mcp import StdioServerParameters
from mcp.client import Client

from tests.drivers.conftest import marked, until

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes are told apart by /proc")

ROOT = Path(__file__).parents[1]
PAGE = "data:text/html,<title>Here</title><button>Press</button>"
DEADLINE = 120.0
START_SECONDS = 20.0
"""It takes about half of one on an idle machine; tests run on others too."""


class Program:
    """``bidi-server`` with arguments; its processes and what is temporary can be told from all others."""

    def __init__(self, folder: Path, *arguments: str) -> None:
        self.temporary = folder / "t"
        self.temporary.mkdir(exist_ok=True)
        self.mark = uuid.uuid4().hex
        self.command = [sys.executable, "-m", "bidi_server", *arguments]
        self.environment = {
            **os.environ,
            "PYTHONPATH": str(ROOT),
            "BIDI_TEST_MARK": self.mark,
            "TMPDIR": str(self.temporary),
            "XDG_CACHE_HOME": str(folder / "cache"),
        }
        self.folder = folder

    @asynccontextmanager
    async def open(self) -> AsyncGenerator[trio.Process]:
        """Run it with pipes."""
        process = await trio.lowlevel.open_process(
            self.command, stdin=PIPE, stdout=PIPE, stderr=PIPE, env=self.environment, cwd=self.folder
        )
        try:
            with trio.fail_after(DEADLINE):
                yield process
        finally:
            process.kill()
            for pipe in (process.stdin, process.stdout, process.stderr):
                if pipe is not None:
                    await trio.aclose_forcefully(pipe)
            await process.wait()

    def left(self) -> list[str]:
        """Return what is still there."""
        return [*marked(self.mark).values(), *map(str, self.temporary.iterdir())]

    async def wait_gone(self) -> None:
        """Wait until nothing is left, at most 5 seconds."""
        try:
            await until(lambda: not self.left(), seconds=5)
        except trio.TooSlowError:
            pytest.fail(f"left behind: {self.left()}")


class Peer:
    """The other end of the server's pipes. Whatever is on stdout has to be a message."""

    def __init__(self, process: trio.Process) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self.process = process
        self.stdin = process.stdin
        self._stdout = process.stdout
        self._buffer = b""
        self._id = 0
        self.progress: list[object] = []

    async def send(self, method: str, parameters: Mapping[str, object]) -> int:
        self._id += 1
        message = {"jsonrpc": "2.0", "id": self._id, "method": method, "params": parameters}
        await self.stdin.send_all(json.dumps(message).encode() + b"\n")
        return self._id

    async def ask(self, method: str, parameters: Mapping[str, object]) -> dict[str, object]:
        """Send a request and return its result."""
        wanted = await self.send(method, parameters)
        while True:
            while b"\n" not in self._buffer:
                chunk = await self._stdout.receive_some()
                assert chunk, f"the server has ended: {await self.complaints()}"
                self._buffer += chunk
            line, _, self._buffer = self._buffer.partition(b"\n")
            message = cast("dict[str, object]", json.loads(line))
            assert message["jsonrpc"] == "2.0"
            if message.get("method") == "notifications/progress":
                self.progress.append(message["params"])
            if message.get("id") == wanted:
                return cast("dict[str, object]", message["result"])

    async def initialize(self) -> None:
        client = {"name": "test", "version": "1"}
        parameters = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client}
        answer = await self.ask("initialize", parameters)
        assert cast("dict[str, object]", answer["serverInfo"])["name"] == "bidi-server"
        await self.stdin.send_all(b'{"jsonrpc": "2.0", "method": "notifications/initialized"}\n')

    async def call(self, tool: str, arguments: Mapping[str, object]) -> str:
        answer = await self.ask("tools/call", {"name": tool, "arguments": arguments})
        return json.dumps(answer, ensure_ascii=False)

    async def end(self, how: signal.Signals | None) -> int:
        """End the server by a signal, or by closing its stdin, and return its exit code."""
        if how is None:
            await self.stdin.aclose()
        else:
            self.process.send_signal(how)
        return await self.process.wait()

    async def complaints(self) -> str:
        """Return what there is on stderr, to its end."""
        assert self.process.stderr is not None
        return b"".join([chunk async for chunk in self.process.stderr]).decode()


ENDINGS = {
    "stdin is closed": None,
    "SIGTERM": signal.SIGTERM,
    "Ctrl-C": signal.SIGINT,
    "SIGKILL": signal.SIGKILL,
    "a crash": signal.SIGABRT,
}
every_ending = pytest.mark.parametrize("how", ENDINGS.values(), ids=ENDINGS.keys())


def in_order(how: signal.Signals | None) -> bool:
    return how in (None, signal.SIGTERM, signal.SIGINT)


@every_ending
async def test_a_server_without_a_browser(how: signal.Signals | None, tmp_path: Path) -> None:
    program = Program(tmp_path)
    async with program.open() as process:
        peer = Peer(process)
        with trio.fail_after(START_SECONDS):
            await peer.initialize()
        tools = cast("list[object]", (await peer.ask("tools/list", {}))["tools"])
        assert len(tools) > 10
        code = await peer.end(how)
        if in_order(how):
            assert (code, await peer.complaints()) == (0, "")
        await program.wait_gone()


@pytest.mark.parametrize("closed", ["<&-", ">&-"])
async def test_a_server_that_has_nobody_to_talk_to(closed: str, tmp_path: Path) -> None:
    program = Program(tmp_path)
    program.command = ["/bin/sh", "-c", f'exec "$0" "$@" {closed}', *program.command]
    async with program.open() as process:
        assert await process.wait() == 1
        assert (
            await Peer(process).complaints()
            == "bidi-server speaks MCP on stdin and stdout, and one of them is closed.\n"
        )


@pytest.mark.parametrize("how", [None, signal.SIGTERM, signal.SIGKILL])
async def test_a_server_with_a_browser(how: signal.Signals | None, browser_name: str, tmp_path: Path) -> None:
    program = Program(tmp_path, "--browser", browser_name)
    async with program.open() as process:
        peer = Peer(process)
        await peer.initialize()
        assert "Press" in await peer.call("browser_navigate", {"url": PAGE})
        assert len(program.left()) > 3
        code = await peer.end(how)
        if in_order(how):
            assert (code, await peer.complaints()) == (0, "")
        await program.wait_gone()


@pytest.mark.parametrize("how", [None, signal.SIGTERM])
async def test_a_server_whose_answers_nobody_reads(
    how: signal.Signals | None, browser_name: str, tmp_path: Path
) -> None:
    program = Program(tmp_path, "--browser", browser_name)
    async with program.open() as process:
        peer = Peer(process)
        await peer.initialize()
        await peer.call("browser_navigate", {"url": PAGE})
        for _ in range(10):
            await peer.send("tools/call", {"name": "browser_evaluate", "arguments": {"function": "'x'.repeat(3e5)"}})
        assert process.stdout is not None
        assert await process.stdout.receive_some(1) == b"{"
        assert await peer.end(how) == 0
        await program.wait_gone()


@pytest.mark.parametrize("how", [None, signal.SIGTERM, signal.SIGKILL])
async def test_a_server_whose_browser_is_starting(
    how: signal.Signals | None, browser_name: str, tmp_path: Path
) -> None:
    program = Program(tmp_path, "--browser", browser_name)
    async with program.open() as process:
        peer = Peer(process)
        await peer.initialize()
        await peer.send("tools/call", {"name": "browser_navigate", "arguments": {"url": PAGE}})
        await until(lambda: len(marked(program.mark)) > 2, seconds=60)
        code = await peer.end(how)
        if in_order(how):
            assert (code, await peer.complaints()) == (0, "")
        await program.wait_gone()


async def test_a_client_hears_of_the_progress_that_it_asks_for(browser_name: str, tmp_path: Path) -> None:
    async with Program(tmp_path, "--browser", browser_name).open() as process:
        peer = Peer(process)
        await peer.initialize()
        await peer.ask("tools/call", {"name": "browser_navigate", "arguments": {"url": PAGE}})
        wait = {"name": "browser_wait_for", "arguments": {"time": 1.5}}
        await peer.ask("tools/call", wait)
        assert peer.progress == []
        await peer.ask("tools/call", {**wait, "_meta": {"progressToken": 7}})
        assert peer.progress[0] == {"progressToken": 7, "progress": 0.001, "message": "running for 1 s"}


async def test_a_browser_that_is_there_before_it_is_needed(browser_name: str, tmp_path: Path) -> None:
    program = Program(tmp_path, "--browser", browser_name, "--prelaunch")
    async with program.open() as process:
        await until(lambda: len(marked(program.mark)) > 3, seconds=60)
        peer = Peer(process)
        await peer.initialize()
        assert "Press" in await peer.call("browser_navigate", {"url": PAGE})
        assert "Closed" in await peer.call("browser_close", {})
        assert len(marked(program.mark)) > 3
        assert "Press" in await peer.call("browser_navigate", {"url": PAGE})
        assert (await peer.end(None), await peer.complaints()) == (0, "")
        await program.wait_gone()


@pytest.mark.parametrize("how", [None, signal.SIGTERM, signal.SIGKILL])
async def test_a_server_that_ends_while_its_browser_starts_beforehand(
    how: signal.Signals | None, browser_name: str, tmp_path: Path
) -> None:
    program = Program(tmp_path, "--browser", browser_name, "--prelaunch")
    async with program.open() as process:
        # Not any child will do: trio's import runs ldconfig, before there is a handler for signals.
        await until(lambda: any("guard.py" in command for command in marked(program.mark).values()), seconds=60)
        code = await Peer(process).end(how)
        if in_order(how):
            assert (code, await Peer(process).complaints()) == (0, "")
        await program.wait_gone()


async def test_a_browser_that_cannot_start_beforehand(browser_name: str, tmp_path: Path) -> None:
    program = Program(tmp_path, "--browser", browser_name, "--prelaunch", "--executable", "/no/browser")
    async with program.open() as process:
        peer = Peer(process)
        await peer.initialize()
        assert "/no/browser" in await peer.call("browser_navigate", {"url": PAGE})
        assert await peer.end(None) == 0
        assert "the browser could not be started beforehand" in await peer.complaints()


@pytest.mark.parametrize("how", [None, signal.SIGTERM], ids=["stdin is closed", "SIGTERM"])
async def test_a_server_in_the_middle_of_a_call(how: signal.Signals | None, browser_name: str, tmp_path: Path) -> None:
    program = Program(tmp_path, "--browser", browser_name)
    async with program.open() as process:
        peer = Peer(process)
        await peer.initialize()
        await peer.call("browser_navigate", {"url": PAGE})
        await peer.send("tools/call", {"name": "browser_wait_for", "arguments": {"time": 300}})
        with trio.fail_after(15):
            assert await peer.end(how) == 0
        await program.wait_gone()


async def test_a_client_that_is_cancelled(browser_name: str, tmp_path: Path) -> None:
    """The SDK's own client, which closes stdin, waits for 2 seconds and then kills."""
    program = Program(tmp_path, "--browser", browser_name)
    python, *arguments = program.command
    server = StdioServerParameters(command=python, args=arguments, env=program.environment, cwd=tmp_path)

    async def use(*, task_status: trio.TaskStatus[None]) -> None:
        async with Client(server) as client:
            answer = await client.call_tool("browser_navigate", {"url": PAGE})
            assert not answer.is_error
            task_status.started()
            await client.call_tool("browser_wait_for", {"time": 300})

    with trio.fail_after(DEADLINE):
        async with trio.open_nursery() as nursery:
            await nursery.start(use)
            assert len(program.left()) > 3
            nursery.cancel_scope.cancel()
        await program.wait_gone()


def run_folders(program: Program) -> set[Path]:
    """Return the folders of browsers: a short TMPDIR is needed for them to be there."""
    return set(program.temporary.glob("bidi-server-*"))


async def test_folders_of_servers_that_were_killed_with_their_guards(browser_name: str) -> None:
    with tempfile.TemporaryDirectory(dir="/tmp") as short:
        living = Program(Path(short), "--browser", browser_name)
        killed = Program(Path(short), "--browser", browser_name)
        async with living.open() as process:
            peer = Peer(process)
            await peer.initialize()
            await peer.call("browser_navigate", {"url": PAGE})
            kept = run_folders(living)
            async with killed.open() as other:
                await Peer(other).initialize()
                await Peer(other).call("browser_navigate", {"url": PAGE})
                [abandoned] = run_folders(killed) - kept
                guards = [pid for pid, command in marked(killed.mark).items() if "guard.py" in command]
                for pid in (other.pid, *guards):
                    os.kill(pid, signal.SIGKILL)
                await until(lambda: not marked(killed.mark), seconds=20)
            assert abandoned.exists()
            async with Program(Path(short), "--browser", browser_name).open() as third:
                await Peer(third).initialize()
                assert "Press" in await Peer(third).call("browser_navigate", {"url": PAGE})
                assert not abandoned.exists()
                assert kept < run_folders(living)
                assert await Peer(third).end(None) == 0
            assert "Press" in await peer.call("browser_navigate", {"url": PAGE})
            assert await peer.end(None) == 0
        await living.wait_gone()


async def test_a_temporary_folder_without_room(browser_name: str, tmp_path: Path) -> None:
    if browser_name == "chromium":
        pytest.skip("Chromium gets no file from us, and ends by SIGXFSZ")
    program = Program(tmp_path, "--browser", browser_name)
    # Blocks of 512 bytes: less than our settings for Firefox. Unlike a full disk it needs no root.
    program.command = ["/bin/sh", "-c", 'ulimit -f 1; exec "$0" "$@"', *program.command]
    async with program.open() as process:
        peer = Peer(process)
        await peer.initialize()
        answer = await peer.call("browser_navigate", {"url": PAGE})
        assert "The browser can't use the folder /tmp: File too large. Free some space there, or name another" in answer
        assert (await peer.end(None), await peer.complaints()) == (0, "")
        await program.wait_gone()


async def test_ctrl_c_ends_a_command_in_order(browser_name: str, tmp_path: Path) -> None:
    wait = ["browser_wait_for", '{"time": 300}']
    program = Program(tmp_path, "call", "--browser", browser_name, "browser_navigate", json.dumps({"url": PAGE}), *wait)
    async with program.open() as process:
        assert process.stdout is not None
        shown = b""
        while b"Press" not in shown:
            chunk = await process.stdout.receive_some()
            assert chunk, "it has ended"
            shown += chunk
        process.send_signal(signal.SIGINT)
        with trio.fail_after(15):
            assert await process.wait() == 130
        assert "Traceback" not in await Peer(process).complaints()
        await program.wait_gone()
