"""Uploading files: to a file input, or to an open file chooser."""

from pathlib import Path

import trio

from bidi_server.advice import Advice, Operation
from bidi_server.bidi.errors import (
    BidiError,
    NoSuchElementError,
    NoSuchNodeError,
    StaleElementReferenceError,
)
from bidi_server.bidi.input import SetFiles
from bidi_server.bidi.script import SharedReference
from bidi_server.bidi.values import shared_id_of
from bidi_server.browser.actions.action import Action
from bidi_server.browser.actions.target import Asked, Target, answer_of, on_element, unblocked
from bidi_server.browser.snapshot.frame import Frame, FrameGoneError
from bidi_server.browser.tab.tab import Tab
from bidi_server.browser.words import describe
from bidi_server.errors import ElementNotActionableError, ElementNotFoundError, InvalidParametersError
from bidi_server.page.api import Changed, FileInput, FileInputs, Obstacle

NO_INPUT = Advice.of("Click what opens the file chooser, then call ", Operation.FILE_UPLOAD, " again.")


async def for_browser(tab: Tab, files: list[Path]) -> list[str]:
    """Return the paths at which a tab's browser finds files. If the browser runs on a Grid, the files are sent to it.

    Raises `InvalidParametersError` for a folder that would have to be sent, and the errors of `NodeFiles.send`.
    """
    node_files = tab.shared.node_files
    if node_files is not None and (folder := await _folder_of([str(file) for file in files])):
        raise InvalidParametersError(f"{folder} is a folder, which can't be sent to the Grid.", "Pass its files.")
    return [str(file) for file in files] if node_files is None else await node_files.send(files)


async def upload(tab: Tab, files: list[str], target: Target | None) -> Action[str]:
    """Begin to give files to the target, or else to the file chooser opened last, or else to the page's file input.

    ``files`` are paths from `for_browser`. Hidden inputs and inputs outside of the document take files too. The result
    of the action is a description of what took the files. Raises `InvalidParametersError` for files that the input does
    not take and for a page with several inputs, `ElementNotFoundError` for a page without an input, and the errors of
    `on_element`. Performing the action raises the same errors, and `ElementNotActionableError` if the browser rejects
    the files.
    """
    folder = await _folder_of(files)
    chooser = tab.file_chooser
    if target is not None or chooser is None or chooser.element is None:
        return await _to_input(tab, files, folder, target)
    element = chooser.element
    frame = tab.frames.get(chooser.context, tab.main)
    if folder:
        raise InvalidParametersError(f"{folder} is a folder.", "Name the input that takes it by ref or selector.")
    _check_count(files, "The file chooser", multiple=chooser.multiple)
    tab.file_chooser = None

    async def perform() -> str:
        if await give_files(frame, element, files, "The file chooser"):
            return "the file chooser"
        # The page has replaced the input of the file chooser.
        return await (await _to_input(tab, files, folder, None)).perform()

    return Action(perform)


async def _to_input(tab: Tab, files: list[str], folder: str, target: Target | None) -> Action[str]:
    """Begin to give files to an input of the page. ``folder`` is the first path of a folder, or ""."""
    found = await (_only_input(tab) if target is None else on_element(tab, target, FileInput, "extra.takesFiles"))
    takes_folder = found.answer.folder
    if folder and not takes_folder:
        raise InvalidParametersError(f"{folder} is a folder.", f"Pass files: {found} takes no folder.")
    if files and takes_folder and not (folder or tab.shared.quirks.rejects_files_for_folder):
        raise InvalidParametersError(f"{found} takes a folder, not files.", "Pass the path of the folder.")
    _check_count(files, str(found), multiple=found.answer.multiple)

    async def perform() -> str:
        shared_id = shared_id_of(await found.frame.call("extra.fileInput"))
        try:
            await give_to_input(found.frame, shared_id, files, str(found))
        except ElementNotActionableError as error:
            if not folder:
                raise
            # Firefox 140 and 153 fail with the message that the path is a directory.
            raise ElementNotActionableError(
                f"This browser can't give a folder to {found}.",
                f"Pass {'its files' if found.answer.multiple else 'one of its files'}, which the page gets "
                "without their folder's name, or use another browser.",
            ) from error
        return str(found)

    return Action(perform, found)


async def _folder_of(files: list[str]) -> str:
    """Return the first path of a folder; "" if there is none."""
    for file in files:
        if await trio.Path(file).is_dir():
            return file
    return ""


async def _only_input(tab: Tab) -> Asked[FileInput]:
    several: list[str] = []
    found: Asked[FileInput | Obstacle] | None = None
    for frame in list(tab.frames.values()):
        try:
            inputs = (await frame.ask(FileInputs, "extra.fileInputs")).inputs
            several += [describe(each) for each in inputs]
            if len(inputs) == 1:
                only = answer_of(FileInput, await frame.call_json("extra.onlyFileInput"))
                if only is not None and not isinstance(only, Changed):
                    found = Asked(frame, only.element, "", True, only)
        except (FrameGoneError, BidiError):
            if frame is tab.main:
                raise
    if found is not None and len(several) == 1:
        return unblocked(found)
    if several:
        raise InvalidParametersError(
            f"The page has {len(several)} file inputs: {', '.join(several[:5])}.", "Name one by ref or selector."
        )
    raise ElementNotFoundError("The page has no file input, and no file chooser is open.", NO_INPUT)


def _check_count(files: list[str], what: str, *, multiple: bool) -> None:
    if len(files) > 1 and not multiple:
        raise InvalidParametersError(f"{what} takes one file only, not {len(files)}.", "Pass one path.")


async def give_to_input(frame: Frame, shared_id: str | None, files: list[str], what: str) -> None:
    """Set the files of an input that our script has found; ``shared_id`` is None if it is gone.

    Raises `ElementNotFoundError` then, and the errors of `give_files`.
    """
    if shared_id is None or not await give_files(frame, SharedReference(shared_id=shared_id), files, what):
        raise ElementNotFoundError(f"{what} has just gone.", "Take a new snapshot.")


async def give_files(frame: Frame, element: SharedReference, files: list[str], what: str) -> bool:
    """Set the files of an input. Return False if the input is gone. ``what`` names it in errors.

    Raises `ElementNotActionableError` if the browser rejects the files.
    """
    try:
        await frame.connection.send(SetFiles(context=frame.context, element=element, files=files))
    except (NoSuchNodeError, NoSuchElementError, StaleElementReferenceError):
        return False
    except BidiError as error:
        frame.raise_if_gone(error)
        raise ElementNotActionableError(f"{what} did not take the files: {error.first_line}.") from error
    return True
