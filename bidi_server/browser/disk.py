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


Identity = tuple[int, int, int, int]

_written: dict[Path, Identity] = {}
"""The files that this process has written, as it left them."""

EXISTS = "There is one already that this server did not write"


def identity(file: Path) -> Identity | None:
    """Return the size of a file and what else changes when another program writes it; None if it is gone."""
    try:
        found = file.stat()
    except OSError:
        return None
    return found.st_size, found.st_mtime_ns, found.st_dev, found.st_ino


def note_written(file: Path) -> None:
    """Record a file that was just written, so that it may be replaced."""
    target = Path(os.path.realpath(file))
    if (found := identity(target)) is not None:
        _written[target] = found


def check_replaceable(file: Path) -> None:
    """Raise `FileExistsError` if a file is there that this process did not write, or that was changed meanwhile."""
    target = Path(os.path.realpath(file))
    if (found := identity(target)) is not None and _written.get(target) != found:
        check_file(target)
        raise FileExistsError(errno.EEXIST, EXISTS)


def write(file: Path, data: bytes, mode: int = 0o666, *, overwrite: bool = True) -> None:
    """Write a file with a mode, reduced by the umask. Raises `OSError` and then leaves an existing file unchanged.

    Unless it may ``overwrite`` all files, it replaces only those that this process has written.
    """
    target = Path(os.path.realpath(file))
    with suppress(FileNotFoundError):
        check_file(target)
    if not overwrite:
        check_replaceable(target)
    part = target.with_name(f".{token_hex(8)}.part")
    try:
        with open(part, "xb", opener=partial(os.open, mode=mode)) as sink:
            sink.write(data)
        _put(part, target, overwrite=overwrite)
        note_written(target)
    except OSError:
        with suppress(OSError):
            part.unlink()
        raise


def _put(part: Path, target: Path, *, overwrite: bool) -> None:
    """Give a file its name. A file that has just appeared there is not replaced, unless ``overwrite`` says so."""
    if not overwrite and target not in _written:
        try:
            os.link(part, target)
        except FileExistsError:
            raise FileExistsError(errno.EEXIST, EXISTS) from None
        except OSError:
            pass  # a file system without hard links
        else:
            part.unlink()
            return
    part.replace(target)


def _open(file: str, flags: int) -> int:
    check_file(file)
    # Non-blocking: a pipe may have replaced the file after the check.
    return os.open(file, flags | getattr(os, "O_NONBLOCK", 0))
