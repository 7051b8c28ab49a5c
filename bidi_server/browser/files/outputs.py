"""Files that a session writes: screenshots, PDFs, and answers that are too long for a model."""

from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import trio

from bidi_server.browser.disk import check_replaceable, write
from bidi_server.browser.files.budget import FileBudget
from bidi_server.browser.words import MAX_PATH, clip
from bidi_server.errors import InvalidParametersError, ToolError
from bidi_server.secret.redaction import redact_file

MOST = 200
"""Maximum number of files that are remembered and offered as MCP resources."""


class Outputs:
    """The newest files of a session, in one folder, by name."""

    def __init__(self, folder: Path, budget: FileBudget, *, overwrite: bool = False) -> None:
        self.folder = folder
        self.overwrite = overwrite
        """Whether files may be replaced that this process did not write."""
        self._budget = budget
        self._files: dict[str, Path] = {}

    async def save(self, data: bytes, name: str) -> Path:
        """Write a file into the folder and return its path, without values of secrets in it.

        Raises `InvalidParametersError`, and `ToolError`, also for an existing file that is not to be replaced.
        """
        target = await self.place(name)
        data = redact_file(data, name)
        try:
            is_new = await trio.to_thread.run_sync(partial(_write, target, data, overwrite=self.overwrite))
        except OSError as error:
            raise _unwritable(target, error) from error
        self._budget.add(self.folder, target, is_new=is_new)
        return target

    async def place(self, name: str) -> Path:
        """Return the path for a file in the folder; missing folders are created.

        Raises `InvalidParametersError` for a name that leads out of the folder, and `ToolError`.
        """
        if "\0" in name:
            raise InvalidParametersError(
                f"{clip(name)!r} is not a file name: it contains a NUL character.", "Leave it out."
            )
        target = self.folder / name
        try:
            await trio.Path(self.folder).mkdir(parents=True, exist_ok=True)
            if not (await trio.Path(target).resolve()).is_relative_to(await trio.Path(self.folder).resolve()):
                raise InvalidParametersError(
                    f"{clip(name, MAX_PATH)!r} leads out of the output folder.",
                    "Pass a file name without a path.",
                )
            await trio.Path(target.parent).mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise _unwritable(target, error) from error
        self._files.pop(name, None)
        self._files[name] = target
        if len(self._files) > MOST:
            del self._files[next(iter(self._files))]
        return target

    async def check_replaceable(self, path: Path) -> None:
        """Raise `ToolError` if there is a file that must not be replaced."""
        if self.overwrite:
            return
        try:
            await trio.to_thread.run_sync(check_replaceable, path)
        except FileExistsError as error:
            raise _unwritable(path, error) from error
        except OSError:
            return  # what is no file, or out of reach: whoever writes it says so

    async def save_text(self, text: str, stem: str, suffix: str = "txt") -> Path:
        """Write a text into a new file, named by ``stem`` and the time, and return its path."""
        return await self.save(text.encode(errors="replace"), f"{stem}-{timestamp()}.{suffix}")

    @property
    def files(self) -> dict[str, Path]:
        """The files by name, oldest first."""
        return dict(self._files)


def _write(target: Path, data: bytes, *, overwrite: bool) -> bool:
    """Write a file, and return whether there was none of its name."""
    is_new = not target.exists()
    write(target, data, overwrite=overwrite)
    return is_new


def _unwritable(target: Path, error: OSError) -> ToolError:
    what = clip(str(target), MAX_PATH)
    advice = "Pass another name, or check --output-dir."
    if isinstance(error, FileExistsError):
        advice = "Pass another name, or start the server with --overwrite."
    return ToolError(f"The file can't be written to {what}: {error.strerror}.", advice)


def timestamp() -> str:
    """Return the current time for a file name: ISO 8601 with dashes instead of colons and dots (seed 000)."""
    return (
        datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z").replace(":", "-").replace(".", "-")
    )
