"""Where the open sessions of this user are recorded, so that commands find them.

Each command imports this: only those parts of the standard library that are imported fast (not pathlib, nor tempfile).
"""

import json
import os
import stat
import sys
from hashlib import blake2b
from os.path import join

DEFAULT = "default"
"""Name of the session of commands without ``-s``."""


class UnsafeError(Exception):
    """A folder can't be used or trusted; the message says what to do."""


class Record:
    """The folder and the name of an open session, and how commands reach its process."""

    def __init__(self, folder: str, name: str, pid: int, token: str, port: int, options: list[str]) -> None:
        self.folder, self.name, self.pid = folder, name, pid
        self.token = token
        """Secret that each command sends."""
        self.port = port
        """Port on the loopback address where there are no Unix sockets, else 0."""
        self.options = options
        """Options of the command that opened the session."""


class Place:
    """The files of a session of a working folder."""

    def __init__(self, folder: str, name: str) -> None:
        self.folder, self.name = folder, name
        # Hashed, since the path of a Unix socket has 104 bytes at most (macOS; Linux: 108).
        key = blake2b(f"{folder}\0{name}".encode("utf-8", "surrogateescape"), digest_size=8).hexdigest()
        stem = join(records(), key)
        self.record, self.socket = f"{stem}.json", f"{stem}.sock"
        self.log = f"{stem}.log"
        """The log of the last session, which a command locks while it opens one. It is never removed."""

    def write(self, record: Record) -> None:
        """Write the record: from now on commands find the session."""
        unfinished = f"{self.record}.{os.getpid()}"
        with open(os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
            json.dump(vars(record), file)
        os.replace(unfinished, self.record)

    def remove(self) -> None:
        """Remove the record and the socket, if they are there."""
        for path in (self.record, self.socket):
            if os.path.lexists(path):
                os.unlink(path)


def working_folder() -> str:
    """Return the path of the working folder. Raises `UnsafeError` if it was removed."""
    try:
        return os.getcwd()
    except OSError:
        raise UnsafeError("The working folder is gone. Change to another one.") from None


def read(path: str) -> Record | None:
    """Return the record in a file, or None if there is none."""
    try:
        with open(path, encoding="utf-8") as file:
            return Record(**json.load(file))
    except (OSError, ValueError, TypeError):
        return None


def all_records() -> list[Record]:
    """Return the records of all sessions of this user, by folder and name."""
    with os.scandir(records()) as found:
        paths = [entry.path for entry in found if entry.name.endswith(".json")]
    known = [record for path in paths if (record := read(path))]
    return sorted(known, key=lambda record: (record.folder, record.name))


def records() -> str:
    """Return the folder of the records, which only this user can enter. Raises `UnsafeError`."""
    if sys.platform == "win32":
        folder = join(os.environ["LOCALAPPDATA"], "bidi-server")
    elif runtime := os.environ.get("XDG_RUNTIME_DIR"):
        folder = join(runtime, "bidi-server")
    else:
        folder = join(os.environ.get("TMPDIR") or "/tmp", f"bidi-server-{os.getuid()}")  # noqa: S108 - checked below
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
        found = os.lstat(folder)
    except OSError as error:
        raise UnsafeError(f"{folder}: {error.strerror}. Set XDG_RUNTIME_DIR to a folder of yours.") from error
    if sys.platform != "win32":
        mine = stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid()
        if not mine or found.st_mode & 0o077:
            raise UnsafeError(f"{folder} is not yours alone. Remove it, or set XDG_RUNTIME_DIR to a folder of yours.")
    return folder
