"""Files of the server's machine that a client may read and write."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path

import trio

from bidi_server.browser.disk import check_file
from bidi_server.browser.files.outputs import Outputs
from bidi_server.browser.words import MAX_PATH, clip
from bidi_server.errors import InvalidParametersError


class Files:
    """The files that the client of a session may use.

    A client that started the server may use every file that the server can. A client over HTTP (``is_far``) may read
    files in the folder of ``outputs`` and in ``more`` folders, and write into the folder of ``outputs``.
    """

    def __init__(self, outputs: Outputs, more: Sequence[Path], *, is_far: bool) -> None:
        self.folders = (outputs.folder, *more)
        self._outputs = outputs
        self._is_far = is_far

    async def readable(self, path: Path) -> Path:
        """Return the path of a file to read. Raises `InvalidParametersError` for a file that is out of reach."""
        return await within(path, self.folders) if self._is_far else path

    async def writable(self, path: Path) -> Path:
        """Return the path of a file to write. Raises `InvalidParametersError` for one out of reach, and `ToolError`.

        That is also for a file that this server did not write, unless it may overwrite files.
        """
        path = await self._outputs.place(str(path)) if self._is_far else path
        await self._outputs.check_replaceable(path)
        return path


async def existing(paths: Sequence[Path], *, folders: bool = False) -> list[Path]:
    """Return the absolute paths of existing files and, with ``folders``, of folders.

    Raises `InvalidParametersError` for other paths.
    """
    found: list[Path] = []
    for path in paths:
        absolute = Path(await trio.Path(path).absolute())
        if why := await trio.to_thread.run_sync(partial(_why_not, absolute, folders=folders)):
            what = clip(str(path), MAX_PATH)
            raise InvalidParametersError(f"{what} {why}.", f"Pass files; relative paths begin at {Path.cwd()}.")
        found.append(absolute)
    return found


def _why_not(path: Path, *, folders: bool) -> str:
    """Return why a path is not a file, or a folder where ``folders`` are accepted; "" if it is."""
    try:
        check_file(path)
    except FileNotFoundError:
        return "does not exist"
    except IsADirectoryError:
        return "" if folders else "is a folder"
    except OSError as error:
        return f"can't be given to a page: {error.strerror}"
    return ""


async def within(path: Path, folders: Sequence[Path]) -> Path:
    """Return a path with symbolic links resolved; a relative path begins at the first folder.

    Raises `InvalidParametersError` if the resolved path is in none of the folders, whether or not the file exists.
    """
    roots = [await trio.Path(folder).resolve() for folder in folders]
    real = await (roots[0] / path).resolve()
    if not any(real.is_relative_to(root) for root in roots):
        raise InvalidParametersError(
            f"{clip(str(path), MAX_PATH)} is out of reach: clients may use files in {', '.join(map(str, roots))} only.",
            "Use one that an earlier answer named, or start the server with --upload-dirs.",
            {"path": str(path)},
        )
    return Path(real)
