"""Comparison of a page in several engines and at several sizes: its words, as HTML and as JSON."""

import html
import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

import trio

from bidi_server.browser.files.picture_difference import compare, mark
from bidi_server.browser.words import address, clip, counted
from bidi_server.errors import ToolError
from bidi_server.escapes import one_line, quote
from bidi_server.tools.html_page import html_page, html_picture
from bidi_server.tools.look_differences import REASONS, Difference, Reason, compare_engines, compare_sizes
from bidi_server.tools.looks import Element, Flaw, Look, size_name

MOST_LINES = 30
"""Maximum number of differences in an answer."""

MAX_TEXT = 200
"""Maximum length of a text of the page in a line, in characters."""

MOST_REGIONS = 3
"""Maximum number of regions of pictures in a line."""


@dataclass(frozen=True, slots=True)
class Pair:
    """Two looks and their differences, those of the page first."""

    first: Look
    second: Look
    differences: Sequence[Difference]

    @property
    def title(self) -> str:
        """The size and both engines, or the engine and both sizes."""
        if self.first.viewport == self.second.viewport:
            return f"{size_name(self.first.viewport)}, {self.first.engine} and {self.second.engine}"
        return f"{size_name(self.second.viewport)} and {size_name(self.first.viewport)}, {self.first.engine}"

    @property
    def of_page(self) -> list[Difference]:
        """The differences of the page."""
        return [each for each in self.differences if not each.is_engines_own]

    @property
    def of_engines(self) -> list[Difference]:
        """The differences that are the engines' own."""
        return [each for each in self.differences if each.is_engines_own]


@dataclass(frozen=True, slots=True)
class Comparison:
    """A page in several engines and at several sizes."""

    page: str
    """URL of the page, or name of the plan."""
    looks: Sequence[Look]
    pairs: Sequence[Pair]

    @property
    def differs(self) -> bool:
        """Whether the page itself is different somewhere, or did not load."""
        return any(pair.of_page for pair in self.pairs)

    @property
    def shared_flaws(self) -> list[list[Flaw]] | None:
        """The violations that all looks have, by rule; None if there was no audit."""
        audits = [look.flaws.all for look in self.looks if look.flaws is not None]
        if not audits:
            return None
        keys = set[tuple[str, str, str]].intersection(*({flaw.key for flaw in flaws} for flaws in audits))
        shared = [flaw for flaw in audits[0] if flaw.key in keys]
        return [[*flaws] for _, flaws in groupby(shared, key=lambda flaw: flaw.rule)]


async def compare_looks(page: str, looks: Sequence[Look]) -> Comparison:
    """Compare the looks of a page, which are sorted by size.

    Each is compared with the first of its size, and the first of each size with the first of all.
    """
    pairs: list[Pair] = []
    for _, of_size in groupby(looks, key=lambda each: each.viewport):
        first, *others = of_size
        pairs += [Pair(first, other, await trio.to_thread.run_sync(compare_engines, first, other)) for other in others]
        if first is not looks[0]:
            pairs.append(Pair(looks[0], first, await trio.to_thread.run_sync(compare_sizes, looks[0], first)))
    return Comparison(page, looks, pairs)


def told(comparison: Comparison) -> list[str]:
    """Return the lines of an answer: the differences of the page, and the number of those that are the engines'."""
    number = sum(len(pair.of_page) for pair in comparison.pairs)
    lines = [f"{address(comparison.page)}: {counted(number, 'difference')} of the page{':' if number else '.'}"]
    room = MOST_LINES
    for pair in comparison.pairs:
        differences = pair.of_page
        lines.append(f"{pair.title}: {counted(len(differences), 'difference') if differences else 'none'}")
        lines += [f"  - {line(each)}" for each in differences[:room]]
        if more := len(differences) - len(differences[:room]):
            lines.append(f"  {more} more")
        room -= len(differences[:room])
    lines += _shared_lines(comparison.shared_flaws)
    reasons: Counter[Reason] = Counter(
        each.reason for pair in comparison.pairs for each in pair.of_engines if each.reason
    )
    if reasons:
        numbers = "; ".join(f"{number}: {REASONS[reason]}" for reason, number in reasons.most_common())
        own = reasons.total()
        lines.append(f"{counted(own, 'difference')} {'is' if own == 1 else 'are'} the engines' own ({numbers}).")
    return lines


def _shared_lines(rules: Sequence[Sequence[Flaw]] | None) -> Iterator[str]:
    """Yield the lines about the violations that all looks have; none if there was no audit."""
    if rules is not None:
        yield f"Violated everywhere: {counted(len(rules), 'rule')} of accessibility{':' if rules else '.'}"
        yield from (f"  - {shared_line(flaws)}" for flaws in rules)


def shared_line(flaws: Sequence[Flaw]) -> str:
    """Return the violations of a rule on one line, in which the texts of the page are quoted."""
    first = flaws[0]
    more = f", and {len(flaws) - 1} more" if len(flaws) > 1 else ""
    where = f"{describe(first.element)} at {quote(clip(first.selector, MAX_TEXT))}"
    return one_line(f"{first.rule}: {first.help}: {where}{more}")


def line(difference: Difference) -> str:
    """Return a difference on one line, in which the texts of the page are quoted."""
    return one_line(_line(difference))


def _line(difference: Difference) -> str:
    element = describe(difference.element) if difference.element is not None else ""
    first, second, only = map(_short(difference), (difference.first, difference.second, difference.only_in))
    before, after = clip(difference.before, MAX_TEXT), clip(difference.after, MAX_TEXT)
    more = f", and {difference.more} more alike" if difference.more else ""
    match difference.kind:
        case "failure":
            return f"{only}: {before}"
        case "missing":
            inside = f", with {counted(difference.more, 'element')} inside" if difference.more else ""
            return f"{element} is only in {only}{inside}"
        case "overlap":
            other = describe(difference.other) if difference.other is not None else ""
            return f"{element} and {other} overlap by {before} only in {only}"
        case "outside":
            return f"{element} reaches {before} px beyond the width of the viewport only in {only}"
        case "wide":
            return f"The page scrolls sideways only in {only}: it is {before} px wide"
        case "state":
            values = (
                f"{quote(before) if before else 'none'} in {first}, {quote(after) if after else 'none'} in {second}"
            )
            return f"{element}: {difference.aspect} is {values}"
        case "violation":
            where = f"{element} at {quote(before)}"
            return f"{difference.aspect} is violated by {where} only in {only}{more}"
        case "moved":
            return f"{element} is at {before} in {first}, at {after} in {second}{more}"
        case "resized":
            return f"{element} is {before} in {first}, {after} in {second}"
        case "console" | "request":
            is_error = difference.kind == "console"
            request = f"Failed request {clip(difference.aspect, MAX_TEXT)} → {before}"
            what, other = (f"Console error {quote(before)}", quote(after)) if is_error else (request, after)
            return f"{what} only in {only}" if only else f"{what} in {first}, {other} in {second}"
        case "picture":
            shown = difference.regions[:MOST_REGIONS]
            regions = "; ".join(f"{each.x},{each.y} {each.width}x{each.height}" for each in shown)
            return f"{before} of the picture differs{f', large regions: {regions}' if regions else ''}"


def _short(difference: Difference) -> Callable[[str], str]:
    """Return a function that leaves the size out of the name of a look if both have the same."""
    sizes = {name.rpartition(" ")[2] for name in (difference.first, difference.second)}
    return (lambda name: name.partition(" ")[0]) if len(sizes) == 1 else (lambda name: name)


def describe(element: Element) -> str:
    """Return an element as role and quoted name."""
    return f"{element.role} {quote(clip(element.name))}" if element.name else element.role


def as_json(comparison: Comparison) -> str:
    """Return a comparison as JSON."""
    looks = [
        {
            "name": look.name,
            "engine": look.engine,
            "viewport": size_name(look.viewport),
            "elements": len(look.elements),
            "consoleErrors": [error.text for error in look.errors],
            "failedRequests": [f"{each.method} {each.url} → {each.result}" for each in look.failed],
            "failure": look.failure,
        }
        for look in comparison.looks
    ]
    differences = [_as_object(each) for pair in comparison.pairs for each in pair.differences]
    data: dict[str, object] = {"page": comparison.page, "looks": looks, "differences": differences}
    if (shared := comparison.shared_flaws) is not None:
        data["violatedEverywhere"] = [_rule_as_object(flaws) for flaws in shared]
    return json.dumps(data, indent=2)


def _rule_as_object(flaws: Sequence[Flaw]) -> dict[str, object]:
    elements = [
        {"role": flaw.element.role, "name": flaw.element.name, "selector": flaw.selector, "url": flaw.page}
        for flaw in flaws
    ]
    return {"rule": flaws[0].rule, "help": flaws[0].help, "elements": elements}


def _as_object(difference: Difference) -> dict[str, object]:
    element = difference.element
    return {
        "kind": difference.kind,
        "first": difference.first,
        "second": difference.second,
        "onlyIn": difference.only_in or None,
        "role": element.role if element is not None else None,
        "name": element.name if element is not None else None,
        "text": line(difference),
        "isEnginesOwn": difference.is_engines_own,
        "reason": REASONS[difference.reason] if difference.reason is not None else None,
    }


STYLE = """\
body { max-width: 90rem; } figcaption { color: #555; }
.differs { color: #b00020; } .same { color: #1b5e20; } summary { cursor: pointer; color: #555; }
"""


async def as_html(comparison: Comparison) -> str:
    """Return a comparison as a page of HTML, with both pictures and their difference side by side."""
    sections = "\n".join([await _pair_as_html(pair) for pair in comparison.pairs])
    number = sum(len(pair.of_page) for pair in comparison.pairs)
    summary = f"<p>{counted(number, 'difference')} of the page.</p>\n"
    return html_page(comparison.page, STYLE, f"{summary}{_shared_as_html(comparison.shared_flaws)}{sections}")


def _shared_as_html(rules: Sequence[Sequence[Flaw]] | None) -> str:
    """Return the violations that all looks have; "" if there are none."""
    items = "".join(f"<li>{html.escape(shared_line(flaws))}</li>\n" for flaws in rules or ())
    return f"<h2>Violated everywhere</h2>\n<ul>\n{items}</ul>\n" if items else ""


async def _pair_as_html(pair: Pair) -> str:
    state = "differs" if pair.of_page else "same"
    page = "".join(f"<li>{html.escape(line(each))}</li>\n" for each in pair.of_page)
    own = "".join(f"<li>{html.escape(text)}</li>\n" for text in _own_lines(pair))
    return (
        f'<h2 class="{state}">{html.escape(pair.title)}</h2>\n'
        + (f"<ul>\n{page}</ul>\n" if page else "<p>No differences of the page.</p>\n")
        + (f"<details><summary>The engines' own</summary>\n<ul>\n{own}</ul>\n</details>\n" if own else "")
        + await _pictures_as_html(pair)
    )


def _own_lines(pair: Pair) -> Iterator[str]:
    for each in pair.of_engines:
        if each.reason is not None:
            yield f"{line(each)} ({REASONS[each.reason]})"


async def _pictures_as_html(pair: Pair) -> str:
    """Return both pictures, with the difference if they have the same size."""
    pictures = [look for look in (pair.first, pair.second) if look.picture]
    shown = [(look.name, look.picture) for look in pictures]
    if len(pictures) == 2 and pair.first.viewport == pair.second.viewport:
        try:
            difference = await compare(pictures[0].picture, pictures[1].picture)
            sheet = await mark(pictures[0].picture, pictures[1].picture, difference)
            shown = [(f"{pictures[0].name}, {pictures[1].name}, and where they differ", sheet)]
        except ToolError:
            pass  # a page may be too large to be compared, but is shown
    return "".join(
        f"<figure><figcaption>{html.escape(name)}</figcaption>{html_picture(data)}</figure>\n" for name, data in shown
    )
