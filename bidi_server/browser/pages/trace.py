"""Traces of Chromium's work on a page, over the DevTools protocol.

https://chromedevtools.github.io/devtools-protocol/tot/Tracing/
"""

import codecs
import zlib
from base64 import b64decode
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from secrets import token_hex

import trio

from bidi_server.bidi import cdp
from bidi_server.bidi.errors import BidiError, ConnectionLostError
from bidi_server.bidi.wire import Event
from bidi_server.browser.disk import note_written
from bidi_server.browser.pages.trace_summary import TraceSummary, Work
from bidi_server.browser.tab.tab import Tab
from bidi_server.errors import DeadlineError, NotSupportedError, ToolError
from bidi_server.secret.redaction import REDACTOR, LinesRedactor

SCREENSHOTS = "disabled-by-default-devtools.screenshot"
"""Category of the pictures in a trace. Secrets in them cannot be covered."""

CATEGORIES = (
    "blink.console",
    "blink.user_timing",
    "devtools.timeline",
    SCREENSHOTS,
    "disabled-by-default-devtools.timeline",
    "disabled-by-default-devtools.timeline.frame",
    "disabled-by-default-devtools.timeline.stack",
    "disabled-by-default-lighthouse",
    "disabled-by-default-v8.cpu_profiler",
    "latencyInfo",
    "loading",
    "v8.execute",
)
"""Categories that the DevTools record by default."""

BUFFER = 100_000
"""Size of the browser's buffer, in kilobytes. When it is full, the trace ends: a page can't fill a disk with it.

Chromium 156 writes 141 MB of JSON from a full one, 8 MB compressed, in 25 s; from the load of a small page, 1.4 MB.
"""

CHUNK = 250_000
"""Size of a part that is read, in bytes. Unpacked it may be twenty times as large."""

_ENDED = 5.0
"""Timeout to give up a trace or a stream, in seconds."""


@dataclass(frozen=True, slots=True)
class Trace:
    """A trace that was written to a file."""

    size: int
    """Of the file, in bytes."""
    is_cut: bool
    """Whether the browser's buffer was full before the end."""
    work: Work
    """Of the page."""


async def send(tab: Tab, session: str | None, method: str, **params: object) -> Mapping[str, object]:
    """Send a DevTools command and return its result. Raises `BidiError`."""
    command = cdp.SendCommand(cdp_method=method, params=params, session=session)
    return (await tab.connection.send(command)).result


async def devtools_session(tab: Tab, lacks: str) -> str | None:
    """Return the DevTools session of a tab. Raises `NotSupportedError` with what a browser without DevTools lacks."""
    if not tab.shared.quirks.adds_conditions:
        raise NotSupportedError(lacks, "Use Chromium.")
    return (await tab.connection.send(cdp.GetSession(context=tab.context))).session


async def start_trace(tab: Tab) -> None:
    """Start to record a trace, which shows every page of the browser.

    Raises `NotSupportedError`, and `ToolError` if a trace is being recorded.
    """
    session = await devtools_session(tab, "Only Chromium records traces.")
    wanted = {
        "recordMode": "recordUntilFull",
        "traceBufferSizeInKb": BUFFER,
        "includedCategories": [each for each in CATEGORIES if each != SCREENSHOTS or not REDACTOR.is_used],
    }
    try:
        await send(
            tab,
            session,
            "Tracing.start",
            transferMode="ReturnAsStream",
            streamFormat="json",
            streamCompression="gzip",
            # Only these: without it, they come in addition to the default ones.
            traceConfig={**wanted, "excludedCategories": ["*"]},
        )
    except BidiError as error:
        raise ToolError(
            f"The trace can't be started: {error.first_line.removesuffix('.')}.",
            "A browser records one at a time: stop the other one.",
        ) from error
    tab.trace_session = session or ""


async def stop_trace(tab: Tab, path: Path) -> Trace:
    """End the trace and write it to a file, compressed if its name ends in ``.gz``.

    Raises `DeadlineError` if the browser does not end it, and `ToolError` if the file can't be written.
    """
    session, tab.trace_session = tab.trace_session, ""
    summary = TraceSummary(tab.context)
    done = None
    try:
        with trio.move_on_after(tab.limits.navigation):
            done = await _end(tab, session)
        if done is None:
            said = f"The browser did not end the trace within {tab.limits.navigation:g} s."
            raise DeadlineError(said, "Start another.")
        size = await _write(tab, session, done.stream, path, summary)
    except BidiError as error:
        raise ToolError(f"The trace is lost: {error.first_line.removesuffix('.')}.", "Start another.") from error
    except OSError as error:
        raise ToolError(f"{path} can't be written: {error.strerror}.", "Check --screenshot-dir.") from error
    return Trace(size, done.lost, summary.finish())


async def _write(tab: Tab, session: str, stream: str, path: Path, summary: TraceSummary) -> int:
    """Copy the stream of a trace into a file part by part, and return its size.

    Raises `OSError`, `BidiError`, and then leaves an existing file as it is.
    """
    unpack = zlib.decompressobj(16 + zlib.MAX_WBITS)
    decode = codecs.getincrementaldecoder("utf-8")("replace").decode
    is_packed = path.suffix == ".gz"
    new = path.with_name(f".{token_hex(8)}")
    redactor = LinesRedactor() if REDACTOR.is_used else None
    pack = zlib.compressobj(wbits=16 + zlib.MAX_WBITS)

    def read_and_write(data: bytes, *, is_last: bool) -> None:
        text = unpack.decompress(data)
        summary.feed(decode(text))
        if redactor is None:
            file.write(data if is_packed else text)
            return
        text = redactor.feed(text) + (redactor.finish() if is_last else b"")
        file.write(pack.compress(text) + (pack.flush() if is_last else b"") if is_packed else text)

    try:
        with new.open("xb") as file:
            while True:
                part = await send(tab, session, "IO.read", handle=stream, size=CHUNK)
                data, is_last = b64decode(str(part.get("data", ""))), bool(part.get("eof"))
                await trio.to_thread.run_sync(partial(read_and_write, data, is_last=is_last))
                if is_last:
                    break
            size = file.tell()
        await trio.Path(new).replace(path)
        note_written(path)
        return size
    finally:
        with trio.CancelScope(shield=True), suppress(OSError):
            await trio.Path(new).unlink(missing_ok=True)
        with trio.move_on_after(_ENDED, shield=True), suppress(BidiError, ConnectionLostError):
            await send(tab, session, "IO.close", handle=stream)


async def _end(tab: Tab, session: str) -> cdp.TracingComplete:
    """End the trace and wait for it. Raises `BidiError`."""
    done: list[cdp.TracingComplete] = []
    ended = trio.Event()

    def hear(event: Event) -> None:
        if isinstance(event, cdp.TracingComplete) and event.session == session:
            done.append(event)
            ended.set()

    tab.connection.add_listener(hear)
    try:
        await send(tab, session, "Tracing.end")
        await ended.wait()
    finally:
        tab.connection.remove_listener(hear)
    return done[0]


async def give_up_trace(tab: Tab) -> None:
    """End a trace without writing it."""
    session, tab.trace_session = tab.trace_session, ""
    with trio.move_on_after(_ENDED, shield=True), suppress(BidiError, ConnectionLostError):
        done = await _end(tab, session)
        await send(tab, session, "IO.close", handle=done.stream)
