"""Process of a browser or driver, run by the guard so that nothing outlives us."""

from __future__ import annotations

import math
import os
import re
import shutil
import signal
import subprocess
import sys
from collections import deque
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import trio

from drivers.folders import remove
from drivers.sockets import send_at_once

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import psutil

GUARD = Path(__file__).with_name("guard.py")

END_SECONDS = 4.0
"""Timeout for the guard to end all processes, in seconds; then we end them ourselves. It usually takes 0.1 s."""

LOOK_SECONDS = 0.3
"""Interval between two polls of the command's children, in seconds. Each poll takes some milliseconds."""

READ_REST_SECONDS = 0.5
"""Timeout for the remaining output after all processes have ended, in seconds."""

TAIL_LINES = 40
LINE_LENGTH = 500

NOISE = re.compile(
    r"dbus/\w+\.cc|unexpected operator|running in headless mode|^Starting ChromeDriver|^Only local connections"
    r"|^Please see https://chromedriver|was started successfully|^DevTools listening|^WebDriver BiDi listening"
    r"|RemoteAgent\s+INFO|RenderCompositorSWGL"
)
"""Output of healthy browsers and drivers: no system bus in a container, Debian's wrapper script, greetings."""


class EndedEarlyError(Exception):
    """The process ended, or closed its output, before it printed the expected line."""


class GuardedProcess:
    """A command run by `drivers/guard.py`; its output (stdout and stderr merged) is read while it lives."""

    def __init__(self, process: trio.Process, folders: Sequence[Path]) -> None:
        """Use `start_guarded`."""
        assert process.stdin is not None
        assert process.stdout is not None
        self._process = process
        self._lifeline = process.stdin
        self._output = process.stdout
        self.folders = tuple(folders)
        self._unfinished_line = b""
        self._tail: deque[str] = deque(maxlen=TAIL_LINES)
        self._all_read = trio.Event()
        self._reading_on = False

    @property
    def pid(self) -> int:
        """The guard's process id."""
        return self._process.pid

    @property
    def running(self) -> bool:
        """Whether the guard, and with it the command, still runs."""
        return self._process.poll() is None

    async def read_until(self, pattern: re.Pattern[str]) -> re.Match[str]:
        """Return the first match of `pattern` in a line of output; later output only goes to the log tail.

        Raises EndedEarlyError if the output ends without a match.
        """
        while chunk := await self._output.receive_some(65536):
            for match in filter(None, map(pattern.search, self._take(chunk))):
                # Keep reading while the browser lives: a full pipe would block it.
                self.read_on()
                return match
        raise EndedEarlyError

    def read_on(self) -> None:
        """Keep the output for the log tail, of a program that prints nothing to wait for."""
        self._reading_on = True
        trio.lowlevel.spawn_system_task(self._read_on, name=f"output of browser {self.pid}")

    async def _read_on(self) -> None:
        try:
            while chunk := await self._output.receive_some(65536):
                self._take(chunk)
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            pass
        finally:
            self._all_read.set()

    def _take(self, chunk: bytes | bytearray) -> list[str]:
        *complete, self._unfinished_line = (self._unfinished_line + chunk).split(b"\n")
        self._unfinished_line = self._unfinished_line[-65536:]
        lines = [line.decode(errors="replace").rstrip() for line in complete]
        self._tail.extend(line[:LINE_LENGTH] for line in lines if line and not NOISE.search(line))
        return lines

    def log_tail(self) -> str:
        """Return the last lines of output, without the noise that healthy browsers make."""
        return "\n".join(self._tail)

    async def wait_child_ended(self, gone_after: float = math.inf) -> None:
        """Wait until a child of the command has ended.

        The status of a child tells it until the command has collected its exit status. A command that does so at once
        is without children then: for ``gone_after`` seconds, since it needs some time to start one.
        """
        last_seen = trio.current_time()
        while True:
            has_ended, is_there = await trio.to_thread.run_sync(self._look_at_children)
            if has_ended:
                return
            if is_there:
                last_seen = trio.current_time()
            elif trio.current_time() > last_seen + gone_after:
                return
            await trio.sleep(LOOK_SECONDS)

    def _look_at_children(self) -> tuple[bool, bool]:
        """Return whether a child of the command has ended, and whether there is any."""
        import psutil

        with suppress(psutil.Error):
            statuses = [child.status() for child in self._children()]
            return psutil.STATUS_ZOMBIE in statuses, bool(statuses)
        return False, False

    async def variable_of_child(self, name: str) -> str:
        """Return an environment variable of the command's child; "" if there is none."""
        import psutil

        def read() -> str:
            with suppress(psutil.Error):
                return next((found for child in self._children() if (found := child.environ().get(name))), "")
            return ""

        return await trio.to_thread.run_sync(read)

    async def send_at_once(self, port: int) -> int:
        """Let the connections of the command and its children at a port not wait: see `sockets.send_at_once`."""
        import psutil

        def change() -> int:
            with suppress(psutil.Error):
                commands = psutil.Process(self.pid).children()
                return sum(send_at_once(each.pid, port) for each in [*commands, *self._children()])
            return 0

        return await trio.to_thread.run_sync(change)

    def _children(self) -> list[psutil.Process]:
        import psutil

        # The guard's other children are orphans, which it adopted later.
        commands = sorted(psutil.Process(self.pid).children(), key=psutil.Process.create_time)
        return [child for command in commands[:1] for child in command.children()]

    async def wait_exited(self) -> int:
        """Wait for the end and return the exit code of the command (128 + number if a signal ended it)."""
        return await self._process.wait()

    async def aclose(self) -> None:
        """End the command with all its descendants and remove its folders; idempotent, shielded, bounded."""
        with trio.CancelScope(shield=True):
            await self._lifeline.aclose()
            with trio.move_on_after(END_SECONDS):
                await self._process.wait()
            if self.running or any(folder.exists() for folder in self.folders):
                await trio.to_thread.run_sync(self._sweep)
                await self._process.wait()
            with trio.move_on_after(READ_REST_SECONDS):
                await (self._all_read.wait() if self._reading_on else self._read_on())
            await self._output.aclose()
            for folder in self.folders:
                remove(folder)

    def _sweep(self) -> None:
        """Do the work of a guard that was killed or stopped."""
        import psutil

        family: list[psutil.Process] = []
        with suppress(psutil.NoSuchProcess):
            guard = psutil.Process(self.pid)
            family = [*guard.children(recursive=True), guard] if self.running else []
        for member in family:
            with suppress(psutil.Error):
                member.kill()
        if sys.platform != "win32":
            # The guard leads a process group, so its id is not reused while a process of the group is alive.
            with suppress(OSError):
                os.killpg(self.pid, signal.SIGKILL)
        for folder in self.folders:
            shutil.rmtree(folder, ignore_errors=True)


async def start_guarded(
    command: Sequence[str], *, folders: Sequence[Path] = (), environment: Mapping[str, str] | None = None
) -> GuardedProcess:
    """Start `command` under the guard, which removes `folders` at its end; `environment` is added to our variables."""
    named = [part for folder in folders for part in ("--remove", str(folder))]
    guarded = [sys.executable, "-I", "-S", str(GUARD), *named, "--", *command]
    variables = {**os.environ, **(environment or {})}
    pipe, merge = subprocess.PIPE, subprocess.STDOUT
    start = trio.lowlevel.open_process
    try:
        if sys.platform == "win32":
            window = subprocess.CREATE_NO_WINDOW
            process = await start(guarded, stdin=pipe, stdout=pipe, stderr=merge, env=variables, creationflags=window)
        else:
            # A separate session: Ctrl-C in a terminal must reach only the server, which then closes its browsers.
            process = await start(guarded, stdin=pipe, stdout=pipe, stderr=merge, env=variables, start_new_session=True)
    except BaseException:
        for folder in folders:
            remove(folder)
        raise
    return GuardedProcess(process, folders)
