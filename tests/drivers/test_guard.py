"""The guard by itself: whatever ends, everything below it ends and its folders go."""

import os
import signal
import subprocess
import sys
import tempfile

import pytest
import trio

import drivers.process

from .conftest import left_behind, marked, until

GUARD = [sys.executable, "-I", "-S", str(drivers.process.GUARD)]

# One child that stays, one that leaves the session, and one that leaves session and parent.
FAMILY = "setsid sleep 300 & (setsid sleep 301 &) ; echo ready; exec sleep 302"


def sleepers(mark: str) -> int:
    return sum(command.startswith("sleep 30") for command in marked(mark).values())


async def start_family() -> trio.Process:
    folder = trio.Path(tempfile.mkdtemp())
    await (folder / "file").touch()
    return await trio.lowlevel.open_process(
        [*GUARD, "--remove", str(folder), "--", "sh", "-c", FAMILY], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL
    )


@pytest.mark.parametrize(
    ("command", "code"),
    [
        (["sh", "-c", "exit 0"], 0),
        (["sh", "-c", "exit 3"], 3),
        (["sh", "-c", "kill -TERM $$"], 128 + signal.SIGTERM),
        (["/nothing/here"], 127),
    ],
)
async def test_exit_code_is_the_commands(command: list[str], code: int) -> None:
    guard = await trio.lowlevel.open_process([*GUARD, "--", *command], stdin=subprocess.PIPE, stderr=subprocess.DEVNULL)
    assert await guard.wait() == code
    assert guard.stdin is not None
    await guard.stdin.aclose()


async def test_end_of_the_pipe_ends_everything(mark: str) -> None:
    guard = await start_family()
    await until(lambda: sleepers(mark) == 3)
    assert guard.stdin is not None
    await guard.stdin.aclose()
    with trio.fail_after(5):
        await guard.wait()
    assert left_behind(mark) == []


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
async def test_a_signal_ends_everything(mark: str, number: signal.Signals) -> None:
    guard = await start_family()
    await until(lambda: sleepers(mark) == 3)
    guard.send_signal(number)
    with trio.fail_after(5):
        await guard.wait()
    assert left_behind(mark) == []


async def test_the_commands_end_ends_what_it_left(mark: str) -> None:
    guard = await start_family()
    await until(lambda: sleepers(mark) == 3)
    head = next(pid for pid, command in marked(mark).items() if command.startswith("sleep 302"))
    os.kill(head, signal.SIGTERM)
    with trio.fail_after(5):
        assert await guard.wait() == 128 + signal.SIGTERM
    assert left_behind(mark) == []


async def test_the_head_of_the_tree_dies_with_a_killed_guard(mark: str) -> None:
    guard = await trio.lowlevel.open_process([*GUARD, "--", "sleep", "302"], stdin=subprocess.PIPE)
    await until(lambda: sleepers(mark) == 1)
    guard.kill()
    await until(lambda: not marked(mark))
    await guard.wait()


async def test_processes_that_keep_starting_others_are_ended(mark: str) -> None:
    busy = "while :; do setsid sleep 300 & sleep 0.001; done"
    guard = await trio.lowlevel.open_process([*GUARD, "--", "sh", "-c", busy], stdin=subprocess.PIPE)
    await until(lambda: sleepers(mark) >= 20, seconds=20)
    assert guard.stdin is not None
    await guard.stdin.aclose()
    with trio.fail_after(5):
        await guard.wait()
    assert left_behind(mark) == []
