"""Output of commands: colours and a progress bar on terminals, plain lines elsewhere."""

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn


class Printer(Console):
    """Prints texts as they are: no markup, no wrapping."""

    def __init__(self, *, stderr: bool = False) -> None:
        super().__init__(stderr=stderr, markup=False, emoji=False, highlight=False, soft_wrap=True)

    def on_broken_pipe(self) -> None:
        """Raise `BrokenPipeError` for the command line to handle; rich would end the process inside of trio."""
        raise BrokenPipeError


OUT = Printer()
ERR = Printer(stderr=True)


def seconds(duration: float) -> str:
    """Return a duration as readable text: "34 ms", "1.2 s"."""
    return f"{duration * 1000:.0f} ms" if duration < 1 else f"{duration:.1f} s"


class Steps:
    """Progress of steps one after the other: a bar for each on a terminal, elsewhere a line for each."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._bar: Progress | None = None
        self._last = ""

    def show(self, message: str, fraction: float | None) -> None:
        """Show the current step, and the fraction of it that is done (0 to 1) if it is known."""
        step = message.partition(": ")[0]
        if step != self._last:
            self.close()
            self._last = step
            if not self._console.is_terminal:
                self._console.print(message)
                return
            columns = BarColumn(30), TaskProgressColumn(), TextColumn("{task.description}", markup=False)
            self._bar = Progress(*columns, console=self._console, auto_refresh=False)
            self._bar.start()
            self._bar.add_task(message, total=None)
        if self._bar is not None:
            total = None if fraction is None else 1.0
            self._bar.update(self._bar.task_ids[0], description=message, total=total, completed=fraction or 0.0)
            self._bar.refresh()

    def close(self) -> None:
        """Keep what is shown, and begin a new line."""
        if self._bar is not None:
            self._bar.stop()
        self._bar = None
