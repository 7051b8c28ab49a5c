"""The accessibility snapshot of a tab, put together from the walks of its frames."""

import zlib
from base64 import b64decode
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import trio

from bidi_server.bidi.errors import BidiError
from bidi_server.bidi.script import SharedReference
from bidi_server.bidi.values import context_of
from bidi_server.browser.origin import origin_of
from bidi_server.browser.snapshot.frame import Frame, FrameGoneError, read_answer
from bidi_server.browser.snapshot.model import DEFAULT_OPTIONS, Row, Snapshot, WalkOptions
from bidi_server.browser.words import MAX_TITLE, clip
from bidi_server.errors import ScriptError
from bidi_server.page.api import Excerpt, Walked
from drivers.json_values import Json, fields, objects

FRAME_TIMEOUT = 2.0
"""Timeout for the walk of a child frame, in seconds. The snapshot says which frames are left out."""

LOADING_FRAME_TIMEOUT = 0.5
"""Timeout for the walk of a loading frame, in seconds: Chromium 156 replies only after the frame's server responds."""

MAX_ROOT_DEPTH = 5
"""Maximum nesting depth of closed shadow roots."""

MAX_FRAME_DEPTH = 8
"""Maximum nesting depth of frames that are walked."""


class FrameTree(Protocol):
    """A page to walk: its main frame, its frames by browsing context, the frames that are loading, and its title."""

    main: Frame
    frames: dict[str, Frame]
    loading: dict[str, str | None]

    @property
    def title(self) -> str:
        """The page's title as far as it is known."""
        ...


@dataclass(slots=True)
class Walk:
    """The walker's answer for one frame."""

    url: str
    title: str
    rows: list[Row]
    windows: list[str | None]
    suspects: str
    """The walker's id for the elements that it suspects of closed shadow roots."""
    roots: list[SharedReference]
    """The suspected elements that have a closed shadow root, each followed by its root."""
    leaving: bool
    source: Excerpt | None


def read_walk(answer: Sequence[Json]) -> Walk:
    """Parse the walker's answer: a JSON string, the windows of child frames, suspected hosts of closed shadow roots."""
    walked = read_answer(Walked, unpacked(str(answer[0].get("value"))))
    frames = 1 + walked.windows
    return Walk(
        walked.url,
        walked.title,
        [Row(depth, role, name, ref or "", props or {}) for depth, role, name, ref, props in walked.rows],
        [context_of(item) for item in answer[1:frames]],
        walked.suspects,
        [part for item in answer[frames:] for part in _host_and_root(item)],
        walked.leaving,
        walked.source,
    )


def unpacked(text: str) -> str | bytes:
    """Return a JSON text, decompressed if the page compressed it."""
    return zlib.decompress(b64decode(text[1:]), -zlib.MAX_WBITS) if text.startswith("=") else text


def _host_and_root(node: Json) -> list[SharedReference]:
    root = fields(fields(node.get("value")).get("shadowRoot"))
    return [SharedReference(shared_id=str(each["sharedId"])) for each in (node, root)] if root else []


async def take_snapshot(
    page: FrameTree, options: WalkOptions = DEFAULT_OPTIONS, *, first: Walk | None = None
) -> Snapshot:
    """Walk the page's frames. ``first`` is the walk of the main frame, if it is done already.

    Raises `FrameGoneError` when the page is replaced or closed meanwhile.
    """
    first = first or await walk_frame(page.main, options)
    walk = await _with_closed_roots(page.main, first, options)
    title = clip(walk.title, MAX_TITLE)
    snapshot = Snapshot(walk.url, title, [], options=options, leaving=first.leaving, source=walk.source)
    await _append(page, snapshot, page.main, walk, depth=0, level=0)
    return snapshot


async def take_part(page: FrameTree, frame: Frame, target: dict[str, object], options: WalkOptions) -> Snapshot:
    """Walk one element and its content. The snapshot is empty if the element has just been removed."""
    value = await frame.call("act.walkAt", options.wire(frame), target)
    snapshot = Snapshot(frame.url, page.title, [], options=options)
    if answer := objects(value.value):
        walk = read_walk(answer)
        snapshot.leaving = walk.leaving and frame is page.main
        # The first row is the document, which was not asked for.
        walk.rows = walk.rows[1:]
        await _append(page, snapshot, frame, walk, depth=-1, level=0)
    return snapshot


async def walk_frame(frame: Frame, options: WalkOptions, *, taken: Sequence[str] = ()) -> Walk:
    """Walk one frame. Its elements must not get the ``taken`` refs."""
    value = await frame.call("walk", options.wire(frame, taken))
    return read_walk(objects(value.value))


async def _with_closed_roots(frame: Frame, walk: Walk, options: WalkOptions) -> Walk:
    """Return a walk that includes closed shadow roots, also nested ones."""
    for _ in range(MAX_ROOT_DEPTH):
        if walk.roots:
            # Scripts cannot see closed roots, but the protocol serialises them.
            await frame.call("adopt", nodes=walk.roots)
        frame.suspects = walk.suspects
        if not walk.roots:
            break
        walk = await walk_frame(frame, options)
    return walk


async def _append(
    page: FrameTree,
    snapshot: Snapshot,
    frame: Frame,
    walk: Walk,
    *,
    depth: int,
    level: int,
    origin: Sequence[int] = (0, 0),
) -> None:
    """Add the rows of a frame and its child frames; ``origin`` is its viewport's position in the page's viewport."""
    collisions = [row.ref for row in walk.rows if row.ref and row.ref in snapshot.by_ref]
    if collisions:
        walk = await walk_frame(frame, snapshot.options, taken=list(snapshot.by_ref))
    stranger = _stranger(walk.url, snapshot.url) if level else ""
    for row in walk.rows:
        row.depth += depth
        row.stranger = stranger
        props = row.props
        if snapshot.options.boxes:
            _shift(props.get("box"), origin)
            _shift(props.get("origin"), origin)
        if props and props.pop("empty", False):
            snapshot.empty.append((len(snapshot.rows), row))
            continue
        snapshot.rows.append(row)
        if row.ref:
            snapshot.by_ref[row.ref] = row
            snapshot.frames[row.ref] = frame
        if "frame" in props and props["frame"] < len(walk.windows):
            number = props.pop("frame")
            child = page.frames.get(walk.windows[number] or "")
            if child is None or level >= MAX_FRAME_DEPTH:
                props["note"] = "not readable"
                continue
            child.prefix = f"{frame.prefix}/{number}"
            await _append_child(page, snapshot, child, row, level + 1)


def _stranger(url: str, page: str) -> str:
    """Return the origin of a frame, or the scheme of its URL; "" if it has the page's."""
    if url.startswith("about:"):
        return ""  # it has the origin of the document that wrote it
    origin = origin_of(url) or f"{url.partition(':')[0]}:"
    return "" if origin == origin_of(page) else origin


async def _append_child(page: FrameTree, snapshot: Snapshot, frame: Frame, owner: Row, level: int) -> None:
    walk = None
    origin = owner.props.pop("origin", [0, 0])
    is_loading = frame.context in page.loading
    with trio.move_on_after(LOADING_FRAME_TIMEOUT if is_loading else FRAME_TIMEOUT):
        try:
            first = await walk_frame(frame, snapshot.options)
            walk = await _with_closed_roots(frame, first, snapshot.options)
        except (FrameGoneError, BidiError, ScriptError):
            owner.props["note"] = "went away"
            return
    if walk is None:
        owner.props["note"] = "still loading" if is_loading else "does not answer"
        return
    owner.props["url"] = walk.url
    await _append(page, snapshot, frame, walk, depth=owner.depth + 1, level=level, origin=origin)


def _shift(place: list[int] | None, by: Sequence[int]) -> None:
    if place is not None:
        place[0] += by[0]
        place[1] += by[1]
