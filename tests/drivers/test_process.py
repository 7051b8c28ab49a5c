"""Guarded processes from our side: output, ends, and guards that cannot do their work."""

import os
import re
import signal
import tempfile
from pathlib import Path

import pytest
import trio

from drivers.process import EndedEarlyError, GuardedProcess, start_guarded

from .conftest import left_behind, marked, until

READY = re.compile(r"^ready (\w+)")


async def start(script: str) -> GuardedProcess:
    return await start_guarded(["sh", "-c", script], folders=[Path(tempfile.mkdtemp())])


async def test_reads_until_the_line_it_waits_for(mark: str) -> None:
    process = await start("echo first; echo 'ready yes' >&2; echo then; exec sleep 300")
    assert (await process.read_until(READY))[1] == "yes"
    await until(lambda: process.log_tail() == "first\nready yes\nthen")
    await process.aclose()
    assert left_behind(mark) == []


async def test_says_when_the_line_will_not_come(mark: str) -> None:
    process = await start("echo never; exit 7")
    with pytest.raises(EndedEarlyError):
        await process.read_until(READY)
    assert process.log_tail() == "never"
    assert await process.wait_exited() == 7
    await process.aclose()


async def test_much_output_neither_stops_the_process_nor_fills_memory(mark: str) -> None:
    process = await start("echo ready go; seq 1 300000; echo not ended by a newline | tr -d '\\n'; exit 4")
    await process.read_until(READY)
    with trio.fail_after(20):
        assert await process.wait_exited() == 4
    await process.aclose()
    assert process.log_tail().splitlines()[-1] == "300000"
    assert len(process.log_tail()) < 1000


async def test_environment_reaches_the_process(mark: str) -> None:
    process = await start_guarded(["sh", "-c", "echo ready $COLOUR; exec sleep 300"], environment={"COLOUR": "blue"})
    assert (await process.read_until(READY))[1] == "blue"
    await process.aclose()


async def test_closing_twice_and_at_once(mark: str) -> None:
    process = await start("echo ready x; exec sleep 300")
    await process.read_until(READY)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(process.aclose)
        nursery.start_soon(process.aclose)
    await process.aclose()
    assert not process.running
    assert left_behind(mark) == []


async def test_closing_is_complete_although_cancelled(mark: str) -> None:
    process = await start("echo ready x; exec sleep 300")
    await process.read_until(READY)
    with trio.CancelScope() as scope:
        scope.cancel()
        await process.aclose()
    assert left_behind(mark) == []


async def test_closing_one_does_not_disturb_another(mark: str) -> None:
    """Nobody inherits the pipe of somebody else's guard: neither ends late, neither ends early."""
    first, second = await start("echo ready 1; exec sleep 300"), await start("echo ready 2; exec sleep 301")
    await first.read_until(READY)
    await second.read_until(READY)
    with trio.fail_after(5):
        await first.aclose()
    assert second.running
    assert [command for command in marked(mark).values() if command.startswith("sleep")] == ["sleep 301 "]
    await second.aclose()
    assert left_behind(mark) == []


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSTOP])
async def test_a_guard_that_cannot_work_is_replaced(mark: str, number: signal.Signals) -> None:
    process = await start("sleep 301 & sleep 302 & echo ready x; exec sleep 300")
    await process.read_until(READY)
    os.kill(process.pid, number)
    with trio.fail_after(6):
        await process.aclose()
    await until(lambda: left_behind(mark) == [])


async def test_a_start_that_fails_leaves_no_folder(mark: str, tmp_path: Path) -> None:
    folder = Path(tempfile.mkdtemp())
    with trio.CancelScope() as scope:
        scope.cancel()
        await start_guarded(["sleep", "300"], folders=[folder])
    assert scope.cancelled_caught
    assert left_behind(mark) == []


async def test_noise_of_healthy_browsers_is_left_out(mark: str) -> None:
    lines = "[1:2:ERROR:dbus/bus.cc:405] Failed to connect\nDevTools listening on ws://x\nready x\nwhat matters"
    process = await start_guarded(["printf", "%s\\n", lines], folders=[Path(tempfile.mkdtemp())])
    await process.read_until(READY)
    await process.aclose()
    assert process.log_tail() == "ready x\nwhat matters"
