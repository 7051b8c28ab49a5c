"""Run a command and leave no process and no temporary folder behind.

    python -I -S guard.py [--remove FOLDER]... -- COMMAND [ARGUMENT]...

A browser is a tree of processes, and some of them leave their session and their parent. The guard is the parent that
outlives all of them. It ends the whole tree and removes the folders as soon as

* its standard input ends, which happens when the process that started it ends for any reason,
* it receives SIGTERM, SIGINT or SIGHUP,
* or the command ends by itself.

Exit code: that of the command, as a shell would report it. The guard uses only the standard library, is run by path
with ``-I -S`` and imports little, because its startup delays the startup of every browser. Linux: the guard is a "child
subreaper" and adopts orphans (https://man7.org/linux/man-pages/man2/PR_SET_CHILD_SUBREAPER.2const.html). macOS:
children that start their own session escape when their parent ends. Windows: a job object.
"""

import os
import sys
import time

# ruff: noqa: PTH123, PTH208 - no pathlib

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

GIVE_UP_SECONDS = 4.0
"""Timeout for ending all processes, in seconds: one that survives SIGKILL longer is stuck in the kernel."""

PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36  # <linux/prctl.h>


def main() -> int:
    """Guard the command given in `sys.argv`."""
    separator = sys.argv.index("--")
    folders, command = sys.argv[2:separator:2], sys.argv[separator + 1 :]
    lock(folders)
    exit_code = guard_windows(command) if sys.platform == "win32" else guard_posix(command)
    import shutil

    for folder in folders:
        shutil.rmtree(folder, ignore_errors=True)
    return exit_code


def lock(folders: list[str]) -> None:
    """Lock the folders while this process lives: later servers treat folders without a lock as abandoned.

    The command does not inherit the descriptors.
    """
    if sys.platform == "win32":
        return
    import fcntl

    for folder in folders:
        try:
            fcntl.flock(os.open(os.path.join(folder, "lock"), os.O_RDWR), fcntl.LOCK_SH)  # noqa: PTH118 - no pathlib
        except OSError:
            continue  # it has no lock file


def guard_posix(command: list[str]) -> int:
    """Run the command until it ends, standard input ends or a signal arrives; then end all its descendants."""
    import select
    import signal

    wake_read, wake_write = os.pipe()
    os.set_blocking(wake_write, False)
    signal.set_wakeup_fd(wake_write)
    for number in (signal.SIGCHLD, signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, wake_up)
    prctl = load_prctl()
    prctl(PR_SET_CHILD_SUBREAPER, 1)
    child = os.fork()
    if child == 0:
        become(command, prctl)

    poll = select.poll()
    poll.register(wake_read, select.POLLIN)
    poll.register(0, select.POLLIN | select.POLLHUP)
    statuses: dict[int, int] = {}
    ending = False
    while not ending:
        for descriptor, _ in poll.poll():
            data = os.read(descriptor, 4096)
            if descriptor == 0:
                ending = ending or not data
            else:
                ending = ending or any(number != signal.SIGCHLD for number in data)
        reap(statuses)
        ending = ending or child in statuses
    end_descendants(statuses)
    status = statuses.get(child, signal.SIGKILL)
    return 128 + os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)


def wake_up(number: int, frame: object) -> None:
    """Do nothing: signals are read from the wake-up pipe."""


def end_descendants(statuses: dict[int, int]) -> None:
    """Kill all descendants, repeatedly until none is left: they may start new processes meanwhile."""
    import signal

    give_up = time.monotonic() + GIVE_UP_SECONDS
    while time.monotonic() < give_up:
        family = descendants()
        for pid in family:
            try:
                os.kill(pid, signal.SIGKILL)
            except OSError:
                continue  # it has already ended
        if not reap(statuses) and not family:
            break
        time.sleep(0.002)


def become(command: list[str], prctl: "Callable[[int, int], int]") -> None:
    """Turn the forked child into the command; never returns."""
    import signal

    try:
        # If the guard itself is killed, at least the root of the tree is killed too. The signal is sent when the
        # forking thread ends; the guard has only one thread.
        prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        for number in (signal.SIGPIPE, signal.SIGXFSZ):  # Python ignores them, and exec keeps that setting
            signal.signal(number, signal.SIG_DFL)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.execvp(command[0], command)  # noqa: S606 - a shell would only be in the way
    except OSError as error:
        os.write(2, f"cannot run {command[0]}: {error.strerror}\n".encode())
    finally:
        os._exit(127)


def load_prctl() -> "Callable[[int, int], int]":
    """Return prctl(2), or a function that does nothing on systems without it."""
    if sys.platform != "linux":
        return lambda option, value: 0
    import ctypes

    return ctypes.CDLL(None).prctl


def reap(statuses: dict[int, int]) -> bool:
    """Collect the exit statuses of children that have ended. Return False if no child is left."""
    try:
        while True:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if pid == 0:
                return True
            statuses[pid] = status
    except ChildProcessError:
        return False


def descendants() -> list[int]:
    """Return the ids of all processes below this one; on macOS also those of its process group."""
    parents: dict[int, int] = {}
    group: set[int] = set()
    if sys.platform == "linux":
        for name in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{name}/stat", "rb") as file:
                    stat = file.read()
            except OSError:
                continue
            # pid (name, which may contain anything) state parent …
            parents[int(name)] = int(stat[stat.rindex(b")") + 2 :].split(None, 2)[1])
    else:
        import subprocess

        ps = subprocess.Popen(["ps", "-A", "-o", "pid=,ppid=,pgid="], stdout=subprocess.PIPE)
        for line in ps.communicate()[0].splitlines():
            pid, parent, leader = map(int, line.split())
            parents[pid] = parent
            if leader == os.getpgrp():
                group.add(pid)
        parents.pop(ps.pid, None)
    me = os.getpid()
    found: list[int] = []
    for pid, parent in parents.items():
        ancestor = parent
        while ancestor not in (0, 1, me) and ancestor in parents:
            ancestor = parents[ancestor]
        if pid != me and (ancestor == me or pid in group):
            found.append(pid)
    return found


def guard_windows(command: list[str]) -> int:
    """Run the command in a job that ends with this process; end its tree when standard input ends."""
    import subprocess
    import threading

    job = enter_job()
    child = subprocess.Popen(command, stdin=subprocess.DEVNULL)

    def end_tree() -> None:
        while sys.stdin.buffer.read(4096):
            pass
        subprocess.run(["taskkill", "/F", "/T", "/PID", str(child.pid)], capture_output=True, check=False)

    threading.Thread(target=end_tree, daemon=True).start()
    exit_code = child.wait()
    del job  # closed by the system, with everything that still runs in it, when we exit
    return exit_code


def enter_job() -> object:
    """Put this process into a new job object whose processes end when its last handle, ours, is closed.

    https://learn.microsoft.com/windows/win32/procthread/job-objects
    """
    assert sys.platform == "win32"
    import ctypes

    kill_on_close, extended_limit_information = 0x2000, 9
    kernel = ctypes.WinDLL("kernel32", use_last_error=True)
    kernel.CreateJobObjectW.restype = kernel.GetCurrentProcess.restype = ctypes.c_void_p
    job = ctypes.c_void_p(kernel.CreateJobObjectW(None, None))
    # JOBOBJECT_EXTENDED_LIMIT_INFORMATION: all zero except LimitFlags, which follows two 64-bit times
    size = 144 if sys.maxsize > 2**32 else 112
    information = (ctypes.c_uint32 * (size // 4))()
    information[4] = kill_on_close
    kernel.SetInformationJobObject(job, extended_limit_information, ctypes.byref(information), size)
    kernel.AssignProcessToJobObject(job, ctypes.c_void_p(kernel.GetCurrentProcess()))
    return job


if __name__ == "__main__":
    # Exit without interpreter shutdown, which only takes time; buffered output is not needed.
    os._exit(main())
