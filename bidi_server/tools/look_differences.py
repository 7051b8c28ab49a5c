"""The differences between two looks of a page, with those that are the engines' own told apart."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Literal, get_args

from bidi_server.browser.files.picture_difference import Region, coarse_regions, find_difference
from bidi_server.browser.snapshot.diff import differing_blocks
from bidi_server.plan.faults import ConsoleError, FailedRequest
from bidi_server.tools.looks import Box, Element, Flaw, Look

Kind = Literal[
    "failure",
    "missing",
    "overlap",
    "outside",
    "wide",
    "state",
    "violation",
    "moved",
    "resized",
    "console",
    "request",
    "picture",
]
"""Kinds of differences, the most severe first.

"outside": a control is beyond the width of the viewport. "wide": the page scrolls sideways.
"violation": an element violates a rule of accessibility.
"""

KINDS: tuple[Kind, ...] = get_args(Kind)

Reason = Literal["fonts", "widgets", "words", "icon", "rendering"]

REASONS: dict[Reason, str] = {
    "fonts": "the engines' fonts have other widths, so lines break elsewhere",
    "widgets": "each engine draws form and media controls in its own size and with its own texts",
    "words": "each engine has its own words for the same error",
    "icon": "an engine requests /favicon.ico itself",
    "rendering": "each engine renders text and form controls in its own way",
}
"""Reasons for differences that are the engines' own."""

MIN_DISTANCE = 16
"""Minimum distance by which an element is moved or resized, in CSS pixels."""

MIN_SHARE = 0.05
"""The same as a share of the viewport's width or height. The larger of both counts."""

OVERLAP = 8
"""Minimum width and height of an overlap of two controls, in CSS pixels."""

TOUCH = 2
"""Maximum width or height of an overlap that is none, in CSS pixels: the engines round in different ways."""

MAX_GROWTH = 1.25
"""Maximum ratio of the areas of a control with a text in two engines that fonts explain.

In `fixtures/pages/links.html` the longest button is 200x21 in Chromium 156, and 222x23 in Firefox 153.
"""

INLINE = ("generic", "link")
"""Roles of controls that are texts of the page's font."""

MAX_TEXT_GROWTH = 1.5
"""Maximum ratio of the areas of a text in two engines that fonts explain.

The default font of Firefox is wider on Linux: the link "Leave the page" in `fixtures/pages/dialogs.html` is 97x17 in
Chromium 156, and 124x19 in Firefox 153.
"""

MAX_LINE_GROWTH = 0.35
"""Maximum difference of the widths of a text in two engines, as a share, that fonts explain."""

CHARACTER = 7
"""Approximate width of a character, in CSS pixels: that of 16 px Times."""

LONG_TEXT = 0.25
"""Minimum width of a text that may break in another place, as a share of the viewport's width."""

FIELDS = ("combobox", "searchbox", "slider", "spinbutton", "textbox")
"""Roles of controls whose label is before them."""

DEFAULT_TEXT = "Submit"
"""Name of an ``<input type=submit>`` without a value. Firefox shows "Submit Query"."""

LINE = 24
"""Minimum height of a line by which an element moves down when it is wrapped, in CSS pixels."""

MEDIA = ("audio", "video")
"""Roles of elements whose controls the browser draws."""

WIDGETS = ("checkbox", "radio", "listbox", "option", "progressbar", "meter", "spinbutton", "slider")
"""Roles of form controls that have no type and whose size is the engine's."""

WIDGET_TYPES = ("color", "date", "datetime-local", "file", "month", "number", "range", "time", "week")
"""Types of ``<input>`` that each engine draws in its own way."""


@dataclass(frozen=True, slots=True)
class Difference:
    """A difference between two looks."""

    kind: Kind
    first: str
    """Name of the first look: ``chromium 1280x720``."""
    second: str
    only_in: str = ""
    """Name of the look that has it; "" where both have it in different forms."""
    element: Element | None = None
    other: Element | None = None
    """The control that the element overlaps."""
    aspect: str = ""
    """Name of the state, the property or the rule."""
    before: str = ""
    """What it is in the first look, or in the look that has it."""
    after: str = ""
    """What it is in the second look."""
    more: int = 0
    """Number of further elements with the same difference: those inside, or those that moved by the same distance."""
    regions: tuple[Region, ...] = ()
    """Regions of the pictures that differ by more than the rendering of texts."""
    reason: Reason | None = None
    """Why it is the engines' own; None for a difference of the page."""

    @property
    def is_engines_own(self) -> bool:
        """Whether it is a difference between the engines, not one of the page."""
        return self.reason is not None


def compare_engines(first: Look, second: Look) -> list[Difference]:
    """Return the differences of two looks at the same size. Call it in a thread: pictures take up to a second."""
    if first.failure or second.failure:
        return _failures(first, second)
    pairs, unpaired = _paired(first.elements, second.elements)
    found = [
        *_missing(first, second, unpaired),
        *_states(first, second, pairs),
        *_Layout(first, second, pairs, unpaired).differences(),
        *_overlaps(first, second),
        *_outside(first, second),
        *_wide(first, second),
        *_violations(first, second),
        *_errors(first, second),
        *_requests(first, second),
        *_picture(first, second),
    ]
    return sorted(found, key=lambda each: (each.is_engines_own, KINDS.index(each.kind)))


def compare_sizes(first: Look, second: Look) -> list[Difference]:
    """Return the differences of two looks in one engine that no layout explains.

    These are controls that only one of them has, a page that only scrolls sideways in one of them, and elements that
    violate a rule of accessibility in one of them.
    """
    if first.failure or second.failure:
        return _failures(first, second)
    controls = [tuple(each for each in look.elements if each.is_control) for look in (first, second)]
    _, unpaired = _paired(controls[0], controls[1])
    missing = [
        Difference("missing", first.name, second.name, only_in=look.name, element=element)
        for look, elements, places in zip((first, second), controls, unpaired, strict=True)
        for element in (elements[place] for place in places)
    ]
    return [*missing, *_wide(first, second), *_violations(first, second)]


def _failures(first: Look, second: Look) -> list[Difference]:
    return [
        Difference("failure", first.name, second.name, only_in=look.name, before=look.failure)
        for look in (first, second)
        if look.failure
    ]


Pairs = Sequence[tuple[int, int]]
"""Positions of the same element in both looks, in page order."""


def _key(element: Element) -> tuple[int, str]:
    return 0, f"{element.role}\0{element.name}"


def _paired(first: Sequence[Element], second: Sequence[Element]) -> tuple[Pairs, tuple[list[int], list[int]]]:
    """Return the pairs of elements with equal roles and names, and the positions of those that one look only has."""
    old, new = [_key(each) for each in first], [_key(each) for each in second]
    pairs: list[tuple[int, int]] = []
    gone: list[int] = []
    come: dict[tuple[int, str], list[int]] = {}
    a = c = 0
    for block in differing_blocks(old, new):
        pairs += zip(range(a, block.a), range(c, block.c), strict=True)
        gone += range(block.a, block.b)
        for place in range(block.c, block.d):
            come.setdefault(new[place], []).append(place)
        a, c = block.b, block.d
    pairs += zip(range(a, len(old)), range(c, len(new)), strict=True)
    left: list[int] = []
    for place in gone:  # an element at another place of the page is not missing
        if places := come.get(old[place]):
            pairs.append((place, places.pop(0)))
        else:
            left.append(place)
    return sorted(pairs), (left, sorted(chain.from_iterable(come.values())))


def _missing(first: Look, second: Look, unpaired: tuple[list[int], list[int]]) -> Iterator[Difference]:
    for look, places in zip((first, second), unpaired, strict=True):
        missing, left = set(places), places
        while left:
            top = left[0]
            end = _end(look.elements, top)
            inside = [place for place in range(top + 1, end) if place in missing]
            left = left[1 + len(inside) :]
            element = look.elements[top]
            if not element.name and element.box is not None and not element.is_control and not inside:
                continue  # an unnamed container whose content both have
            yield Difference("missing", first.name, second.name, only_in=look.name, element=element, more=len(inside))


def _end(elements: Sequence[Element], place: int) -> int:
    """Return the position after the content of an element."""
    end = place + 1
    while end < len(elements) and elements[end].depth > elements[place].depth:
        end += 1
    return end


def is_widget(element: Element) -> bool:
    """Whether the engine draws the element: a form control of a special type, or one that plays media."""
    return element.type in WIDGET_TYPES or element.is_select or element.role in (*MEDIA, *WIDGETS)


def _states(first: Look, second: Look, pairs: Pairs) -> Iterator[Difference]:
    for i, j in pairs:
        one, other = first.elements[i], second.elements[j]
        before, after = dict(one.state), dict(other.state)
        for aspect in dict.fromkeys([*before, *after]):
            if before.get(aspect) == after.get(aspect):
                continue
            # Chromium says "No file chosen" and Firefox "No file selected." where it has no file.
            is_own = one.type == "file" and aspect in ("value", "description")
            yield Difference(
                *("state", first.name, second.name),
                element=one,
                aspect=aspect,
                before=before.get(aspect, ""),
                after=after.get(aspect, ""),
                reason="widgets" if is_own else None,
            )


@dataclass(slots=True)
class _Shift:
    """A distance by which elements were moved, and the first of these."""

    x: int
    y: int
    first: tuple[Element, Element] | None = None
    """None for distances that add up from small ones, and for those that another difference explains."""
    more: int = 0
    reason: Reason | None = None


class _Layout:
    """The differences of positions and sizes.

    Lines of text are a few pixels wider or higher in one engine, and that adds up along the page: 42 px at the end of
    `fixtures/pages/form.html`. So an element counts as moved if no element before it was moved by about the same
    distance. Elements after it that moved by about the same distance belong to it. Nor does an element count that moved
    by the size of one that is missing, or as far as one before it has grown.
    """

    def __init__(self, first: Look, second: Look, pairs: Pairs, unpaired: tuple[list[int], list[int]]) -> None:
        self.first, self.second = first, second
        self.reach = reach(first)
        self.pairs = [(i, j) for i, j in pairs if _area(first.elements[i].box) and _area(second.elements[j].box)]
        self.shifts = [_Shift(0, 0)]
        for look, places, sign in zip((first, second), unpaired, (-1, 1), strict=True):
            boxes = [box for place in places if (box := look.elements[place].box) is not None]
            self.shifts += [_Shift(0, sign * box[3]) for box in boxes]

    def differences(self) -> Iterator[Difference]:
        """Yield an element for each distance, and the elements of other sizes."""
        sizes: list[Difference] = []
        for i, j in self.pairs:
            one, other = self.first.elements[i], self.second.elements[j]
            self._add(i, one, other)
            if (resized := self._resized(i, one, other)) is not None:
                sizes.append(resized)
        for shift in self.shifts:
            if shift.first is not None:
                one, other = shift.first
                yield self._difference("moved", one, other, shift.more, shift.reason)
        yield from sizes

    def _add(self, place: int, one: Element, other: Element) -> None:
        x, y = _delta(one, other)
        for shift in reversed(self.shifts):
            if self._is_near(x - shift.x, y - shift.y):
                if shift.first is not None:
                    shift.more += 1
                if (x, y) != (shift.x, shift.y):
                    # Small differences add up: the next element is compared with this one.
                    self.shifts.append(_Shift(x, y))
                return
        last = self.shifts[-1]
        reason = "fonts" if self._follows_text(place, x, y) else _wrapped(one, x - last.x, y - last.y)
        self.shifts.append(_Shift(x, y, (one, other), reason=reason))

    def _follows_text(self, place: int, x: int, y: int) -> bool:
        """Whether an element on a line of text moved sideways as far as the text before it may have grown.

        A text has no box of its own. In the default font it is up to a third wider in Firefox: the text before the
        status in `fixtures/pages/dialogs.html` takes 67 px in Chromium 156, and 84 px in Firefox 153. If it is long for
        the viewport, the line may break in another place: then the element is at most the width of the text from there,
        such as "Sugar for Inner of Outer cup" in `fixtures/pages/shadow.html` at 390x844.
        """
        element = self.first.elements[place]
        text = self._text_before(place)
        if not text or element.box is None:
            return False
        width = len(text) * CHARACTER
        is_long = width > self.first.viewport[0] * LONG_TEXT
        most = max(element.box[0] * MAX_LINE_GROWTH, width if is_long else 0)
        return any(abs(y - shift.y) <= self.reach[1] and abs(x - shift.x) <= most for shift in self.shifts)

    def _text_before(self, place: int) -> str:
        """Return the text before an element: its label, or the row before it; "" if there is none."""
        element = self.first.elements[place]
        if element.role in FIELDS:
            return element.name
        before = self.first.elements[place - 1] if place else None
        return before.name if before is not None and before.role == "text" else ""

    def _is_near(self, x: int, y: int) -> bool:
        return abs(x) <= self.reach[0] and abs(y) <= self.reach[1]

    def _resized(self, place: int, one: Element, other: Element) -> Difference | None:
        width, height = _growth(one, other)
        if self._is_near(width, height):
            return None
        x, y = _delta(one, other)
        self.shifts += [_Shift(x + width, y), _Shift(x, y + height)]
        if _end(self.first.elements, place) > place + 1 and one.role not in MEDIA and not is_widget(one):
            return self._grown(place, one, other, width, height)
        return self._difference("resized", one, other, 0, _reason_of_size(one, other))

    def _grown(self, place: int, one: Element, other: Element, width: int, height: int) -> Difference | None:
        """Return the difference of a container, unless something inside of it was moved or has grown as much."""
        inside = range(place + 1, _end(self.first.elements, place))
        x, y = _delta(one, other)
        texts = [i for i in inside if self.first.elements[i].box is None]
        edges = [
            (dx + dw, dy + dh) for i, j in self.pairs if i in inside for (dx, dy), (dw, dh) in [self._changes(i, j)]
        ]
        if any(
            self._is_near(0 if abs(width) <= self.reach[0] else x + width - dx, y + height - dy) for dx, dy in edges
        ):
            return None
        is_text = len(texts) == len(inside) and _is_alike(one, other, MAX_TEXT_GROWTH)
        return self._difference("resized", one, other, 0, "fonts" if is_text else None)

    def _changes(self, i: int, j: int) -> tuple[tuple[int, int], tuple[int, int]]:
        one, other = self.first.elements[i], self.second.elements[j]
        return _delta(one, other), _growth(one, other)

    def _difference(
        self, kind: Kind, one: Element, other: Element, more: int, reason: Reason | None = None
    ) -> Difference:
        before, after = (_where(kind, each.box) for each in (one, other))
        return Difference(
            *(kind, self.first.name, self.second.name),
            element=one,
            before=before,
            after=after,
            more=more,
            reason=reason,
        )


def reach(look: Look) -> tuple[float, float]:
    """Return the horizontal and the vertical distance up to which an element counts as being at the same place."""
    width, height = look.viewport
    return max(MIN_DISTANCE, MIN_SHARE * width), max(MIN_DISTANCE, MIN_SHARE * height)


def _delta(one: Element, other: Element) -> tuple[int, int]:
    assert one.box is not None
    assert other.box is not None
    return other.box[0] - one.box[0], other.box[1] - one.box[1]


def _growth(one: Element, other: Element) -> tuple[int, int]:
    assert one.box is not None
    assert other.box is not None
    return other.box[2] - one.box[2], other.box[3] - one.box[3]


def _is_alike(one: Element, other: Element, ratio: float) -> bool:
    """Whether the ratio of the areas of two elements is not greater than this."""
    areas = sorted([_area(one.box), _area(other.box)])
    return areas[1] <= areas[0] * ratio


def _reason_of_size(one: Element, other: Element) -> Reason | None:
    """Return why the engines give an element without content other sizes; None if the page does."""
    if (is_widget(one) and is_widget(other)) or (one.role == "button" and one.name == DEFAULT_TEXT):
        return "widgets"
    ratio = MAX_GROWTH if one.is_control and one.role not in INLINE else MAX_TEXT_GROWTH
    return "fonts" if one.name and _is_alike(one, other, ratio) else None


def _wrapped(one: Element, x: int, y: int) -> Reason | None:
    """Return "fonts" if an element moved to the start of the next line, or back from there to the end of a line.

    In `fixtures/pages/form.html` at 390x844 the field "Member number" is beside its label in Chromium 156, and below it
    in Firefox 153, whose fields are 14 px wider.
    """
    height = one.box[3] if one.box is not None else 0
    return "fonts" if x * y < 0 and abs(y) <= max(LINE, 1.5 * height) else None


def _area(box: Box | None) -> int:
    return box[2] * box[3] if box is not None else 0


def _where(kind: Kind, box: Box | None) -> str:
    assert box is not None
    return f"{box[0]},{box[1]}" if kind == "moved" else f"{box[2]}x{box[3]}"


def _overlaps(first: Look, second: Look) -> Iterator[Difference]:
    """Yield the pairs of controls that overlap in one look, and are apart in the other."""
    sides = [(look, _controls(look)) for look in (first, second)]
    for (look, controls), (_, others) in zip(sides, reversed(sides), strict=True):
        placed = sorted(controls.items(), key=lambda each: _top(each[1][1]))
        for (key, (i, one)), (other_key, (j, other)) in _close(placed):
            there, other_there = others.get(key), others.get(other_key)
            if there is None or other_there is None or _is_inside(look, i, j):
                continue
            width, height = _common(one, other)
            if min(width, height) >= OVERLAP and min(_common(there[1], other_there[1])) <= TOUCH:
                size = f"{width}x{height}"
                yield Difference(
                    "overlap", first.name, second.name, only_in=look.name, element=one, other=other, before=size
                )


_Control = tuple[tuple[tuple[int, str], int], tuple[int, Element]]
"""The key of a control with its number among those of the same key, and its position in the page with the control."""


def _controls(look: Look) -> dict[tuple[tuple[int, str], int], tuple[int, Element]]:
    """Return the visible controls of a look, by role, name, and number among those of the same role and name."""
    counts: dict[tuple[int, str], int] = {}
    found: dict[tuple[tuple[int, str], int], tuple[int, Element]] = {}
    for place, element in enumerate(look.elements):
        if element.is_control:
            key = _key(element)
            counts[key] = counts.get(key, -1) + 1
            if _area(element.box):
                found[key, counts[key]] = (place, element)
    return found


def _close(placed: Sequence[_Control]) -> Iterator[tuple[_Control, _Control]]:
    """Yield the pairs that overlap vertically; ``placed`` is sorted by the upper edge."""
    for index, one in enumerate(placed):
        box = one[1][1].box
        bottom = box[1] + box[3] if box is not None else 0
        for other in placed[index + 1 :]:
            if _top(other[1][1]) > bottom - OVERLAP:
                break
            yield one, other


def _top(element: Element) -> int:
    return element.box[1] if element.box is not None else 0


def _is_inside(look: Look, i: int, j: int) -> bool:
    """Whether one of two elements contains the other."""
    outer, inner = min(i, j), max(i, j)
    return inner < _end(look.elements, outer)


def _common(one: Element, other: Element) -> tuple[int, int]:
    """Return the width and the height of the intersection of two elements; negative where they are apart."""
    a, b = one.box, other.box
    if a is None or b is None:
        return 0, 0
    return min(a[0] + a[2], b[0] + b[2]) - max(a[0], b[0]), min(a[1] + a[3], b[1] + b[3]) - max(a[1], b[1])


def _beyond(element: Element, width: int) -> int:
    """Return by how many pixels an element reaches beyond the left or right edge of the viewport."""
    box = element.box
    return max(-box[0], box[0] + box[2] - width, 0) if box is not None else 0


def _outside(first: Look, second: Look) -> Iterator[Difference]:
    """Yield the controls that reach beyond the width of the viewport in one look only."""
    sides = [(look, _controls(look)) for look in (first, second)]
    for (look, controls), (other, others) in zip(sides, reversed(sides), strict=True):
        for key, (_, element) in controls.items():
            beyond = _beyond(element, look.viewport[0])
            there = others.get(key)
            if there is not None and beyond >= OVERLAP and _beyond(there[1], other.viewport[0]) <= TOUCH:
                yield Difference(
                    "outside", first.name, second.name, only_in=look.name, element=element, before=str(beyond)
                )


def _wide(first: Look, second: Look) -> Iterator[Difference]:
    """Yield a difference if the page scrolls sideways in one look only."""
    # Firefox's scrollbar takes 12 px of the viewport, so that its content is narrower.
    wide = [look for look in (first, second) if look.width > look.viewport[0] + TOUCH]
    if len(wide) == 1:
        (look,) = wide
        yield Difference("wide", first.name, second.name, only_in=look.name, before=str(look.width))


def _violations(first: Look, second: Look) -> Iterator[Difference]:
    """Yield a difference for each rule that elements of one look only violate."""
    if first.flaws is None or second.flaws is None:
        return
    left_out = {*first.flaws.unfinished, *second.flaws.unfinished}
    for look, flaws, others in ((first, first.flaws, second.flaws), (second, second.flaws, first.flaws)):
        known = {flaw.key for flaw in others.all}
        of_rules: dict[str, list[Flaw]] = {}
        for flaw in flaws.all:
            if flaw.key not in known and flaw.rule.partition(" ")[0] not in left_out:
                of_rules.setdefault(flaw.rule, []).append(flaw)
        for rule, (flaw, *more) in of_rules.items():
            yield Difference(
                *("violation", first.name, second.name),
                only_in=look.name,
                element=flaw.element,
                aspect=rule,
                before=flaw.selector,
                more=len(more),
            )


def _errors(first: Look, second: Look) -> Iterator[Difference]:
    left = list(second.errors)
    unknown: list[ConsoleError] = []
    for error in first.errors:
        same = next((each for each in left if each.bare == error.bare), None)
        if same is not None:
            left.remove(same)
        else:
            unknown.append(error)
    for error in unknown:
        alike = [each for each in left if error.has_same_cause(each)]
        same = min(alike, key=lambda each: each.line != error.line, default=None)
        if same is None:
            yield Difference("console", first.name, second.name, only_in=first.name, before=error.text)
        else:
            left.remove(same)
            yield Difference("console", first.name, second.name, before=error.text, after=same.text, reason="words")
    for error in left:
        yield Difference("console", first.name, second.name, only_in=second.name, before=error.text)


def _requests(first: Look, second: Look) -> Iterator[Difference]:
    left = {(each.method, each.url): each for each in second.failed}
    for (method, url), request in {(each.method, each.url): each for each in first.failed}.items():
        same = left.pop((method, url), None)
        if same is None:
            yield _only(first, second, first, request)
        elif same.result != request.result:
            is_http = same.result.isdecimal() or request.result.isdecimal()
            yield Difference(
                *("request", first.name, second.name),
                aspect=f"{method} {url}",
                before=request.result,
                after=same.result,
                reason=None if is_http else "words",
            )
    for request in left.values():
        yield _only(first, second, second, request)


def _only(first: Look, second: Look, look: Look, request: FailedRequest) -> Difference:
    return Difference(
        *("request", first.name, second.name),
        only_in=look.name,
        aspect=f"{request.method} {request.url}",
        before=request.result,
        reason="icon" if request.is_for_icon else None,
    )


def _picture(first: Look, second: Look) -> Iterator[Difference]:
    if not first.picture or not second.picture:
        return
    difference = find_difference(first.picture, second.picture)
    if not difference.pixels:
        return
    width, height = reach(first)
    drawn = [each.box for look in (first, second) for each in look.elements if is_widget(each) and each.box]
    coarse = coarse_regions(first.picture, second.picture, except_in=[(x, y, x + w, y + h) for x, y, w, h in drawn])
    regions = tuple(region for region in coarse if region.width > width and region.height > height)
    yield Difference(
        *("picture", first.name, second.name),
        before=f"{difference.share:.2%}",
        regions=regions,
        reason=None if regions else "rendering",
    )
