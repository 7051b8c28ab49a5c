"""Files of the server's machine that a client names."""

from collections.abc import Sequence
from pathlib import Path

import trio

from bidi_server.errors import InvalidParametersError


async def existing(paths: Sequence[Path]) -> list[Path]:
    """Return the paths as absolute ones. Raises `InvalidParametersError` for what is no file."""
    found: list[Path] = []
    for path in paths:
        absolute = await trio.Path(path).absolute()
        if not await absolute.is_file():
            what = "is a folder" if await absolute.is_dir() else "does not exist"
            raise InvalidParametersError(f"{path} {what}.", f"Pass files; relative paths begin at {Path.cwd()}.")
        found.append(Path(absolute))
    return found


async def within(path: Path, folders: Sequence[Path]) -> Path:
    """Return where a path really leads; a relative one begins at the first of the folders.

    Raises `InvalidParametersError` for one that leads out of all of them, wherever links make it seem to be, be there
    a file or not.
    """
    roots = [await trio.Path(folder).resolve() for folder in folders]
    real = await (roots[0] / path).resolve()
    if not any(real.is_relative_to(root) for root in roots):
        raise InvalidParametersError(
            f"{path} is out of reach: clients may use files in {', '.join(map(str, roots))} only.",
            "Use one that an earlier answer named, or start the server with --upload-dirs.",
            {"path": str(path)},
        )
    return Path(real)
