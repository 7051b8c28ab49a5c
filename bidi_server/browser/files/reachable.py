"""Files of the server's machine that a client names."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path

import trio

from bidi_server.browser.disk import check_file
from bidi_server.browser.files.outputs import Outputs
from bidi_server.browser.words import MAX_PATH, clip
from bidi_server.errors import InvalidParametersError


class Files:
    """The files that the client of a session may use: all that we can, since it started us, or over HTTP a few.

    These are in the folder of ``outputs``, which takes what is written too, and in ``more`` folders.
    """

    def __init__(self, outputs: Outputs, more: Sequence[Path], *, is_far: bool) -> None:
        self.folders = (outputs.folder, *more)
        self._outputs = outputs
        self._is_far = is_far

    async def readable(self, path: Path) -> Path:
        """Return where a file is that the client names. Raises `InvalidParametersError` for one out of its reach."""
        return await within(path, self.folders) if self._is_far else path

    async def writable(self, path: Path) -> Path:
        """Return where to write a file that the client names. Raises `InvalidParametersError`."""
        return await self._outputs.place(str(path)) if self._is_far else path


async def existing(paths: Sequence[Path], *, folders: bool = False) -> list[Path]:
    """Return the paths as absolute ones; ``folders`` are accepted if wanted.

    Raises `InvalidParametersError` for what is no file.
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
    """Return where a path really leads; a relative one begins at the first of the folders.

    Raises `InvalidParametersError` for one that leads out of all of them, wherever links make it seem to be, be there
    a file or not.
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
