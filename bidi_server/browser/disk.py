"""Reading and writing whole regular files. Pipes and devices are rejected, because reading them may never end."""

import errno
import os
import stat
from contextlib import suppress
from functools import partial
from pathlib import Path
from secrets import token_hex

_OTHERS = {
    stat.S_IFDIR: "Is a directory",
    stat.S_IFIFO: "Is a pipe",
    stat.S_IFSOCK: "Is a socket",
    stat.S_IFCHR: "Is a device",
    stat.S_IFBLK: "Is a device",
}


def check_file(file: str | Path) -> None:
    """Raise `OSError`, with the reason in ``strerror``, unless the path is a regular file."""
    kind = stat.S_IFMT(Path(file).stat().st_mode)
    if kind != stat.S_IFREG:
        raise OSError(errno.EISDIR if kind == stat.S_IFDIR else errno.EINVAL, _OTHERS.get(kind, "Is no file"))


def read(file: Path, most: int) -> bytes:
    """Return the content of a file. Raises `OSError`, also if the file is larger than ``most`` bytes."""
    with open(file, "rb", opener=_open) as source:
        data = source.read(most + 1)
    if len(data) > most:
        raise OSError(errno.EFBIG, f"It has more than {most} bytes")
    return data


def write(file: Path, data: bytes, mode: int = 0o666) -> None:
    """Write a file with a mode, reduced by the umask. Raises `OSError` and then leaves an existing file unchanged."""
    target = Path(os.path.realpath(file))
    with suppress(FileNotFoundError):
        check_file(target)
    part = target.with_name(f".{token_hex(8)}.part")
    try:
        with open(part, "xb", opener=partial(os.open, mode=mode)) as sink:
            sink.write(data)
        part.replace(target)
    except OSError:
        with suppress(OSError):
            part.unlink()
        raise


def _open(file: str, flags: int) -> int:
    check_file(file)
    # Non-blocking: a pipe may have replaced the file after the check.
    return os.open(file, flags | getattr(os, "O_NONBLOCK", 0))
