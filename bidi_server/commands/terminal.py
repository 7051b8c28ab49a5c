"""Terminal output: colours and a progress bar on terminals, plain lines elsewhere."""

import os
import shutil
from dataclasses import dataclass
from typing import TextIO


@dataclass(frozen=True, slots=True)
class Style:
    """Marks text on a terminal, and leaves it unchanged elsewhere."""

    ansi: bool

    def bold(self, text: str) -> str:
        """Mark the most important text."""
        return self._mark("1", text)

    def dim(self, text: str) -> str:
        """Mark secondary text."""
        return self._mark("2", text)

    def good(self, text: str) -> str:
        """Mark a success."""
        return self._mark("32", text)

    def bad(self, text: str) -> str:
        """Mark a failure."""
        return self._mark("31", text)

    def _mark(self, code: str, text: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if self.ansi else text


def style(stream: TextIO) -> Style:
    """Return the style for a stream: colours on a terminal, unless NO_COLOR is set or TERM is dumb.

    https://no-color.org
    """
    return Style(ansi=stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb")


def seconds(duration: float) -> str:
    """Return a duration as readable text: "34 ms", "1.2 s"."""
    return f"{duration * 1000:.0f} ms" if duration < 1 else f"{duration:.1f} s"


class Bar:
    """Progress bar: one line that fills on a terminal, elsewhere a line for each new step."""

    WIDTH = 30

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._live = style(stream).ansi
        self._last = ""
        self._open = False

    def show(self, message: str, fraction: float | None) -> None:
        """Show the current step, and the fraction of it that is done (0 to 1) if it is known."""
        what = message.partition(": ")[0]
        if not self._live:
            if what != self._last:
                print(message, file=self._stream, flush=True)
            self._last = what
            return
        if what != self._last:
            self.close()
        self._last = what
        bar = ""
        if fraction is not None:
            full = round(self.WIDTH * min(1.0, max(0.0, fraction)))
            bar = f"{'━' * full}{'─' * (self.WIDTH - full)} {fraction:4.0%} "
        line = (bar + message)[: shutil.get_terminal_size().columns - 1]
        print(f"\r\x1b[K{line}", end="", file=self._stream, flush=True)
        self._open = True

    def close(self) -> None:
        """Keep the line and begin the next one."""
        if self._open:
            print(file=self._stream, flush=True)
        self._open = False
