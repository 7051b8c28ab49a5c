"""The dialogs of a tab: alert, confirm, prompt, beforeunload."""

from dataclasses import dataclass

from bidi_server.advice import Advice, Operation
from bidi_server.bidi import browsing_context as bc
from bidi_server.browser.words import clip
from bidi_server.errors import DialogOpenError
from bidi_server.escapes import quote

MAX_MESSAGE = 500
"""Maximum length of a dialog's message in an answer, in characters."""


@dataclass(frozen=True, slots=True)
class Dialog:
    """An open dialog. ``kind`` is alert, confirm, prompt or beforeunload; ``frame`` the context that opened it."""

    kind: str
    message: str
    frame: str
    default: str = ""

    def __str__(self) -> str:
        text = f"{self.kind} dialog"
        return f"{text} {quote(clip(self.message, MAX_MESSAGE))}" if self.message else text


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to a dialog: accept or dismiss it. ``text`` is the input for a prompt."""

    accept: bool
    text: str | None = None


@dataclass(frozen=True, slots=True)
class AnsweredDialog:
    """A dialog that was answered when it opened, with the prepared answer or the default one."""

    dialog: Dialog
    answer: Answer


def unasked(dialog: Dialog) -> Answer:
    """Return the default answer, for agents without a tool to answer dialogs: accept only alert and beforeunload.

    It changes the least and lets the agent continue.
    """
    return Answer(accept=dialog.kind in {"alert", "beforeunload"})


def with_article(dialog: Dialog) -> str:
    """Return a description of a dialog for the start of a sentence: ``An alert dialog "Saved"``."""
    return f"{'An' if dialog.kind.startswith('a') else 'A'} {dialog}"


class Dialogs:
    """The open dialogs of a tab, and the answer for the next one.

    A document shows one dialog at a time, but frames in other processes may open theirs meanwhile. Firefox 153 then
    reports the second dialog before the end of the first.
    """

    def __init__(self) -> None:
        self._all: list[Dialog] = []
        self.prepared: Answer | None = None

    @property
    def open(self) -> Dialog | None:
        """The dialog to answer first."""
        return self._all[0] if self._all else None

    def add(self, dialog: Dialog) -> None:
        """Add a dialog that has opened."""
        self._all.append(dialog)

    def remove(self, dialog: Dialog) -> None:
        """Remove this dialog, compared by identity: the next one of its frame may be equal."""
        self._all = [each for each in self._all if each is not dialog]

    def remove_first_of(self, frame: str) -> None:
        """Remove the oldest dialog of a frame."""
        dialog = next((each for each in self._all if each.frame == frame), None)
        if dialog is not None:
            self.remove(dialog)

    def remove_all_of(self, frame: str) -> None:
        """Remove the dialogs of a frame that is gone."""
        self._all = [each for each in self._all if each.frame != frame]

    def clear(self) -> None:
        """Remove the dialogs of a page that is gone."""
        self._all = []

    def check_none(self) -> None:
        """Raise `DialogOpenError` if a dialog is open: nothing else in the tab responds then."""
        if self.open is not None:
            raise DialogOpenError(
                f"{with_article(self.open)} is open and blocks the page.",
                Advice.of("Call ", Operation.HANDLE_DIALOG, " first."),
            )


def handling(dialog: Dialog, answer: Answer) -> bc.HandleUserPrompt:
    """Return the command that answers a dialog."""
    if answer.text is None or not answer.accept:
        return bc.HandleUserPrompt(context=dialog.frame, accept=answer.accept)
    return bc.HandleUserPrompt(context=dialog.frame, accept=answer.accept, user_text=answer.text)
