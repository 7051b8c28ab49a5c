"""The dialogs of a tab: alert, confirm, prompt, beforeunload."""

from dataclasses import dataclass

from bidi_server.bidi import browsing_context as bc
from bidi_server.browser.ring import Ring
from bidi_server.errors import DialogOpenError


@dataclass(frozen=True, slots=True)
class Dialog:
    """An open dialog. ``kind`` is alert, confirm, prompt or beforeunload; ``frame`` the context that opened it."""

    kind: str
    message: str
    frame: str
    default: str = ""

    def __str__(self) -> str:
        text = f"{self.kind} dialog"
        return f"{text} {self.message!r}" if self.message else text


@dataclass(frozen=True, slots=True)
class Answer:
    """What to do with a dialog; ``text`` goes into a prompt."""

    accept: bool
    text: str | None = None


def unasked(dialog: Dialog) -> Answer:
    """Return the answer for an agent that has no tool to give one: what changes least, and lets it go on."""
    return Answer(accept=dialog.kind in {"alert", "beforeunload"})


def with_article(dialog: Dialog) -> str:
    """Return a dialog at the beginning of a sentence."""
    return f"{'An' if dialog.kind.startswith('a') else 'A'} {dialog}"


class Dialogs:
    """The open dialog, if there is one, and the answer for the next."""

    def __init__(self) -> None:
        self.open: Dialog | None = None
        self.prepared: Answer | None = None
        self.answered: Ring[tuple[Dialog, Answer]] = Ring(20)
        """Those that were answered at once: as had been asked for, or as it is done unasked."""

    def check_none(self) -> None:
        """Raise `DialogOpenError` when one is open: nothing else in the tab answers then."""
        if self.open is not None:
            raise DialogOpenError(
                f"{with_article(self.open)} is open and blocks the page.", "Call browser_handle_dialog first."
            )


def handling(dialog: Dialog, answer: Answer) -> bc.HandleUserPrompt:
    """Return the command that gives a dialog its answer."""
    if answer.text is None or not answer.accept:
        return bc.HandleUserPrompt(context=dialog.frame, accept=answer.accept)
    return bc.HandleUserPrompt(context=dialog.frame, accept=answer.accept, user_text=answer.text)
