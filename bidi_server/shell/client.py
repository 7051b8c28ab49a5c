"""A command of a session: sends its words to the session's process and prints the answer.

An agent runs one for each step, so this imports only those parts of the standard library that are imported fast.
"""

import json
import os
import socket
import sys
from collections.abc import Sequence

from bidi_server.shell.places import DEFAULT, Place, Record, UnsafeError, all_records, read, working_folder

OF_SERVER = (
    "demo",
    "call",
    "install",
    "doctor",
    "policy",
    "replay",
    "compare",
    "tools",
    "help",
    "skill",
    "completion",
    "session",
)
"""Commands that need no session. All others go to one."""

END_SECONDS = 12.0
"""Timeout for a session's process to end in order, in seconds: more than it takes itself before it gives up."""

Command = tuple[str, bool, list[str]]
"""Name of a session, whether the answer is to be JSON, and the words of the command."""


class NotOpenError(Exception):
    """There is no such session."""


def split(arguments: Sequence[str]) -> Command:
    """Split ``[-s NAME] [--json] COMMAND …``; the name is "" if an option lacks its value."""
    words, name, as_json = list(arguments), DEFAULT, False
    while words:
        option, equals, value = words[0].partition("=")
        if option == "--json" and not equals:
            as_json = True
            del words[0]
        elif option == "-s":
            name = value if equals else "".join(words[1:2])
            del words[: 1 if equals else 2]
        else:
            break
    return name, as_json, words


def is_of_session(arguments: Sequence[str]) -> bool:
    """Whether a command line is a command of a session, not one of the server."""
    _, _, words = split(arguments)
    return bool(words) and not words[0].startswith("-") and words[0] not in OF_SERVER


def asks_for_help(words: Sequence[str]) -> bool:
    """Whether a command's words ask for its help."""
    before = words[: words.index("--")] if "--" in words else words
    return "--help" in before or "-h" in before


def run(arguments: Sequence[str]) -> int:
    """Run a command of a session and return its exit code: 1 if it failed, 2 if it is invalid.

    Raises `NotOpenError` if it needs a session that is not open.
    """
    name, as_json, words = split(arguments)
    try:
        if words == ["sessions"]:
            return _list(as_json)
        if words == ["close", "--all"]:
            return max([_close(Place(record.folder, record.name)) for record in all_records()], default=0)
        place = Place(working_folder(), name)
        if words == ["close"]:
            return _close(place)
        if words[0] == "open" and (code := _open(place, words[1:])) is not None:
            return code
        return _show(_ask(place, words, as_json))
    except UnsafeError as error:
        print(f"bidi-server: {error}", file=sys.stderr)
    except BrokenPipeError:
        drop_output()
    return 1


def drop_output() -> None:
    """Drop what is left of the output: its reader has closed the pipe, as in ``bidi-server snapshot | head``."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _list(as_json: bool) -> int:
    found: list[dict[str, object]] = []
    for record in all_records():
        place = Place(record.folder, record.name)
        try:
            reply = _ask(place, ["status"], as_json=True)
        except NotOpenError:
            continue
        found.append({"name": record.name, "folder": record.folder, **json.loads(str(reply["out"]))})
    if as_json:
        print(json.dumps(found, ensure_ascii=False))
    else:
        for each in found:
            busy = "  (busy)" if each["busy"] else ""
            print(f"{each['name']}  {each['folder']}  {each['browser']}  {each['page']}{busy}")
        if not found:
            print("No session is open.")
    return 0


def _close(place: Place) -> int:
    record = read(place.record)
    if record is None:
        raise NotOpenError
    try:
        return _show(_ask(place, ["close"], as_json=False, limit=END_SECONDS))
    except TimeoutError:
        # Its guards end the browsers of a process that is gone.
        import signal

        os.kill(record.pid, signal.SIGTERM if sys.platform == "win32" else signal.SIGKILL)
        place.remove()
        print("The session did not end in time, so its process was killed.")
        return 0


def _open(place: Place, words: Sequence[str]) -> int | None:
    """Start the session's process if there is none. Return the exit code if it could not start."""
    with _Lock(place):
        if _is_open(place):
            return None
        place.remove()
        import subprocess

        with open(place.log, "wb") as log:
            # -P: modules in the working folder are not ours.
            process = subprocess.Popen(
                [sys.executable, "-P", "-m", "bidi_server", "session", place.name, *words],
                cwd=place.folder,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=log,
                start_new_session=True,
            )
        assert process.stdout is not None
        with process.stdout:
            if process.stdout.readline():
                process.returncode = 0  # it outlives this command
                return None
        code = process.wait()
        with open(place.log, encoding="utf-8", errors="replace") as log:
            sys.stderr.write(log.read())
        return code


def _is_open(place: Place) -> bool:
    try:
        _connect(place)[0].close()
    except NotOpenError:
        return False
    return True


def _connect(place: Place) -> tuple[socket.socket, Record]:
    """Return a connection to a session's process, and its record. Raises `NotOpenError`."""
    record = read(place.record)
    if record is None:
        raise NotOpenError
    try:
        if record.port:
            return socket.create_connection(("127.0.0.1", record.port)), record
        stream = socket.socket(socket.AF_UNIX)
        stream.connect(place.socket)
    except OSError:  # the process was killed
        place.remove()
        raise NotOpenError from None
    return stream, record


def _ask(place: Place, words: Sequence[str], as_json: bool, limit: float | None = None) -> dict[str, object]:
    """Send a command and return the reply. Raises `NotOpenError`, and TimeoutError after ``limit`` seconds."""
    stream, record = _connect(place)
    with stream:
        stream.settimeout(limit)
        request = {"token": record.token, "words": list(words), "json": as_json}
        stream.sendall(json.dumps(request).encode() + b"\n")
        with stream.makefile("rb") as lines:
            for line in lines:
                reply = json.loads(line)
                if "code" in reply:
                    return reply
                if sys.stderr.isatty():
                    print(reply["progress"], file=sys.stderr)
    return {"out": "", "code": 1, "err": f"The session's process ended; its log: {place.log}"}


def _show(reply: dict[str, object]) -> int:
    for stream, text in ((sys.stdout, reply["out"]), (sys.stderr, reply["err"])):
        if text:
            print(text, file=stream)
    sys.stdout.flush()
    return int(str(reply["code"]))


class _Lock:
    """Lets one command at a time open a session. Where there is no flock (Windows), it does nothing."""

    def __init__(self, place: Place) -> None:
        self._file = os.open(place.log, os.O_RDWR | os.O_CREAT, 0o600)

    def __enter__(self) -> None:
        if sys.platform != "win32":
            import fcntl

            fcntl.flock(self._file, fcntl.LOCK_EX)

    def __exit__(self, *_: object) -> None:
        os.close(self._file)
