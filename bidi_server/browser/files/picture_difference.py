"""Compare two pictures as a person sees them: small differences of colour and anti-aliasing do not count.

The measure is that of pixelmatch (https://github.com/mapbox/pixelmatch), which counts the same pixels. Pillow computes
it for all pixels at once, in 0.1 to 0.4 s for 1280x720 where much differs. A loop over pixels takes 8 to 22 s.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from io import BytesIO
from typing import TYPE_CHECKING

import trio

from bidi_server.errors import InvalidParametersError

if TYPE_CHECKING:
    from PIL.Image import Image

TOLERANCE = 0.04
"""Difference of two colours that does not count, as a share of the difference between black and white.

With 0.1, a button in the grey of Chromium (#EFEFEF) could appear on a white page without being seen.
"""

_YIQ = (
    (0.29889531, 0.58662247, 0.11448223),
    (0.59597799, -0.27417610, -0.32180189),
    (0.21147017, -0.52261711, 0.31114694),
)
"""Brightness and the two colour components of YIQ, by red, green and blue.

Kotsarenko and Ramos, Measuring perceived color difference using YIQ NTSC transmission color space in mobile
applications: http://www.progmat.uaem.mx:8080/artVol2Num2/Articulo3Vol2Num2.pdf
"""

_WEIGHTS = (0.5053, 0.299, 0.1957)
"""Weights of the squared differences of these components."""

_FARTHEST = 35215
"""Sum of the weighted squares for the most different colours."""

_SCALES = (1.0, 0.8, 0.9)
"""Factors that fit the components into 8 bits: I is within ±152 and Q within ±134."""

_LIMIT = 100
"""Sum of the weighted squares at `TOLERANCE`, in the unit of `_squares`."""

_CELL = 8
"""Side of the squares that regions are made of, in pixels. With less than three squares between them, two are one."""

_COARSE_CELL = 16
"""Side of the squares whose average colours `coarse_regions` compares, in pixels: about a line of text."""

_COARSE_LIMIT = 64
"""Maximum difference of a component of two average colours, from 0 to 255, that texts in other fonts explain.

In Chromium 156 and Firefox 153 most squares of text differ by less than 32, and hardly any by more than 64.
"""

_MARGIN = 32
"""Surroundings that a cut-out of the marked picture shows, in pixels."""

_GAP = 8
"""Space between the parts of the marked picture, in pixels."""

_NEIGHBOURS = ((1, 1), (1, 0), (1, -1), (0, 1), (0, -1), (-1, 1), (-1, 0), (-1, -1))
"""Offsets that move each neighbour of a pixel to its place, column by column from the left."""

_SIBLINGS = 3
"""Minimum number of equal neighbours of a pixel that belongs to an area of one colour."""

MAX_PIXELS = 100_000_000
"""Maximum number of pixels of a picture: a small file may hold one that exhausts the memory."""

Box = tuple[int, int, int, int]
"""Left, top, right and bottom, in pixels."""


@dataclass(frozen=True, slots=True)
class Region:
    """A part of the picture where pixels differ. Sizes are in pixels."""

    x: int
    y: int
    width: int
    height: int
    pixels: int
    """Number of pixels in it that differ."""


@dataclass(frozen=True, slots=True)
class Difference:
    """The difference between an expected and an actual picture."""

    pixels: int
    """Number of pixels that differ, with those that only one of the pictures has."""
    share: float
    """The same as a share of all pixels, from 0 to 1."""
    regions: tuple[Region, ...]
    """The regions of differing pixels, the largest first."""
    expected: tuple[int, int]
    """Width and height of the expected picture."""
    actual: tuple[int, int]
    """Width and height of the actual picture."""
    mask: "Image" = field(repr=False, compare=False)
    """A picture of both, in which differing pixels are 255 and all others 0."""


async def compare(expected: bytes, actual: bytes) -> Difference:
    """Return the difference between two pictures in PNG. Raises `InvalidParametersError` if one is not a PNG."""
    return await trio.to_thread.run_sync(find_difference, expected, actual)


async def mark(expected: bytes, actual: bytes, difference: Difference, *, cut: bool = False) -> bytes:
    """Return a PNG with the expected picture, the actual picture and the difference side by side.

    With ``cut``, it shows only the surroundings of the differing pixels.
    """
    return await trio.to_thread.run_sync(_mark, expected, actual, difference, cut)


def find_difference(expected: bytes, actual: bytes) -> Difference:
    """Return the difference between two pictures. Call it in a thread: it may take more than a second."""
    from PIL import Image

    first, second = _decoded(expected), _decoded(actual)
    both = max(first.width, second.width), max(first.height, second.height)
    common = min(first.width, second.width), min(first.height, second.height)
    # The pixels that only one picture has, which all differ.
    mask = Image.new("L", both, 0)
    mask.paste(255, (common[0], 0, *both))
    mask.paste(255, (0, common[1], *both))
    if expected != actual:
        mask.paste(_differing(first.crop((0, 0, *common)), second.crop((0, 0, *common))))
    if (first.width < both[0] and second.height < both[1]) or (second.width < both[0] and first.height < both[1]):
        mask.paste(0, (*common, *both))  # neither picture has this corner
    pixels = _count(mask)
    regions = sorted(_regions(mask), key=lambda each: (-each.pixels, each.y, each.x)) if pixels else []
    return Difference(pixels, pixels / (both[0] * both[1]), tuple(regions), first.size, second.size, mask)


def coarse_regions(expected: bytes, actual: bytes, *, except_in: Sequence[Box] = ()) -> tuple[Region, ...]:
    """Return the regions of two pictures with other average colours, the largest first. Call it in a thread.

    Squares that touch one of the boxes ``except_in`` are left out.

    Texts that are drawn with another font have about the same average colour; missing pictures, backgrounds and panels
    have not. The number of pixels of a region is that of its squares.
    """
    from PIL import ImageChops

    first, second = _decoded(expected), _decoded(actual)
    common = (0, 0, min(first.width, second.width), min(first.height, second.height))
    averages = [each.crop(common).reduce(_COARSE_CELL) for each in (first, second)]
    red, green, blue = ImageChops.difference(averages[0], averages[1]).split()
    limit = [0] * (_COARSE_LIMIT + 1) + [255] * (255 - _COARSE_LIMIT)
    cells = _table(ImageChops.lighter(ImageChops.lighter(red, green), blue), limit)
    for left, top, right, bottom in except_in:
        if right > left and bottom > top:
            last = (right - 1) // _COARSE_CELL + 1, (bottom - 1) // _COARSE_CELL + 1
            cells.paste(0, (left // _COARSE_CELL, top // _COARSE_CELL, *last))
    found: list[Region] = []
    for box in _components(cells.tobytes(), cells.width):
        left, top, right, bottom = (side * _COARSE_CELL for side in box)
        pixels = _count(cells.crop(box)) * _COARSE_CELL**2
        found.append(Region(left, top, min(right, common[2]) - left, min(bottom, common[3]) - top, pixels))
    return tuple(sorted(found, key=lambda each: (-each.pixels, each.y, each.x)))


def _decoded(data: bytes) -> "Image":
    from PIL import Image, UnidentifiedImageError

    try:
        with Image.open(BytesIO(data), formats=["PNG"]) as opened:
            if opened.width * opened.height > MAX_PIXELS:
                raise InvalidParametersError("The picture has too many pixels to be compared.")
            return opened.convert("RGB")
    except UnidentifiedImageError:
        raise InvalidParametersError("The file is not a picture in PNG.") from None
    except (OSError, SyntaxError, ValueError, Image.DecompressionBombError) as error:
        raise InvalidParametersError(f"The picture is damaged: {error}") from error


def _count(mask: "Image") -> int:
    return mask.histogram()[255]


def _table(image: "Image", table: list[int]) -> "Image":
    """Return an image with each value replaced by that of a table."""
    return image.point(table)  # pyright: ignore[reportUnknownMemberType] - its stubs use numpy


_IS_ZERO = [255] + [0] * 255
_IS_POSITIVE = [0] + [255] * 255
_IS_FAR = [0] * (_LIMIT + 1) + [255] * (255 - _LIMIT)
_IS_SIBLING = [0] * _SIBLINGS + [255] * (256 - _SIBLINGS)


def _squares(weight: float, scale: float) -> list[int]:
    """Return the weighted square of the difference of each component, in the unit of `_LIMIT`."""
    unit = _FARTHEST * TOLERANCE**2 / _LIMIT
    return [min(255, round(weight * (value / scale) ** 2 / unit)) for value in range(256)]


def _differing(first: "Image", second: "Image") -> "Image":
    """Return the mask of the pixels of two pictures of one size that differ by more than anti-aliasing."""
    from PIL import Image, ImageChops

    mask = Image.new("L", first.size, 0)
    if (changed := _wide(ImageChops.difference(first, second))) is None:
        return mask
    far = Image.new("L", first.size, 0)
    far.paste(_far(first.crop(changed), second.crop(changed)), changed)
    if (box := _wide(far)) is not None:
        softened = _antialiased(first.crop(box), second.crop(box))
        mask.paste(ImageChops.subtract(far.crop(box), softened), box)
    return mask


def _wide(image: "Image") -> Box | None:
    """Return the box of what is not black, with the neighbours of the neighbours of each pixel; None if all is."""
    if (box := image.getbbox()) is None:
        return None
    left, top, right, bottom = box
    return max(0, left - 2), max(0, top - 2), min(image.width, right + 2), min(image.height, bottom + 2)


def _far(first: "Image", second: "Image") -> "Image":
    """Return the mask of the pixels whose colours differ by more than `TOLERANCE`."""
    from PIL import ImageChops

    matrix: list[float] = []
    for row, scale in zip(_YIQ, _SCALES, strict=True):
        matrix += [*(value * scale for value in row), 0 if scale == 1 else 128]
    components = ImageChops.difference(*(each.convert("RGB", tuple(matrix)) for each in (first, second))).split()
    total = None
    for component, weight, scale in zip(components, _WEIGHTS, _SCALES, strict=True):
        squares = _table(component, _squares(weight, scale))
        total = squares if total is None else ImageChops.add(total, squares)
    assert total is not None
    return _table(total, _IS_FAR)


def _antialiased(first: "Image", second: "Image") -> "Image":
    """Return the mask of the pixels that belong to a softened edge in one of two pictures of one size.

    Such a pixel has a darker and a brighter neighbour, at most two neighbours of its own brightness, and its darkest or
    brightest neighbour belongs to an area of one colour in both pictures.

    See Vyšniauskas, Anti-aliased pixel and intensity slope detector:
    https://www.researchgate.net/publication/234073157
    """
    from PIL import ImageChops

    first, second = _padded(_padded(first)), _padded(_padded(second))
    areas = ImageChops.darker(_in_area(first), _in_area(second))
    softened = ImageChops.lighter(_on_edge(first, areas), _on_edge(second, areas))
    return softened.crop((2, 2, softened.width - 2, softened.height - 2))


def _padded(image: "Image") -> "Image":
    """Return an image with its outermost pixels repeated around it."""
    from PIL import Image

    padded = Image.new(image.mode, (image.width + 2, image.height + 2))
    for x, y in ((0, 0), (2, 0), (0, 2), (2, 2), (0, 1), (2, 1), (1, 0), (1, 2), (1, 1)):
        padded.paste(image, (x, y))
    return padded


def _in_area(image: "Image") -> "Image":
    """Return the mask of the pixels with at least `_SIBLINGS` neighbours of the same colour."""
    from PIL import Image, ImageChops

    count = Image.new("L", image.size, 0)
    one = Image.new("L", image.size, 1)
    for x, y in _NEIGHBOURS:
        red, green, blue = ImageChops.difference(image, ImageChops.offset(image, x, y)).split()
        differs = ImageChops.lighter(ImageChops.lighter(red, green), blue)
        count = ImageChops.add(count, ImageChops.darker(_table(differs, _IS_ZERO), one))
    return _table(count, _IS_SIBLING)


def _on_edge(image: "Image", areas: "Image") -> "Image":
    from PIL import Image, ImageChops

    grey = image.convert("L")
    one = Image.new("L", image.size, 1)
    neighbours = [(ImageChops.offset(grey, x, y), ImageChops.offset(areas, x, y)) for x, y in _NEIGHBOURS]
    equals = Image.new("L", image.size, 0)
    darkest = brightest = grey
    for neighbour, _ in neighbours:
        equal = _table(ImageChops.difference(grey, neighbour), _IS_ZERO)
        equals = ImageChops.add(equals, ImageChops.darker(equal, one))
        darkest, brightest = ImageChops.darker(darkest, neighbour), ImageChops.lighter(brightest, neighbour)
    beside_area = Image.new("L", image.size, 0)
    for extreme in (darkest, brightest):
        in_area = Image.new("L", image.size, 0)
        for neighbour, area in reversed(neighbours):  # the first of equal ones counts
            is_extreme = _table(ImageChops.difference(neighbour, extreme), _IS_ZERO)
            in_area.paste(area, mask=is_extreme)
        beside_area = ImageChops.lighter(beside_area, in_area)
    found = ImageChops.darker(beside_area, ImageChops.invert(_table(equals, _IS_SIBLING)))
    found = ImageChops.darker(found, _table(ImageChops.subtract(grey, darkest), _IS_POSITIVE))
    return ImageChops.darker(found, _table(ImageChops.subtract(brightest, grey), _IS_POSITIVE))


def _regions(mask: "Image") -> Iterator[Region]:
    """Yield the regions of a mask: the boxes of cells with marked pixels that lie close together."""
    from PIL import ImageFilter

    # The average of a cell with one marked pixel is 255 / 64, which is rounded up.
    cells = _table(mask.reduce(_CELL), _IS_POSITIVE).filter(ImageFilter.MaxFilter(3))
    for left, top, right, bottom in _components(cells.tobytes(), cells.width):
        box = (left * _CELL, top * _CELL, min(right * _CELL, mask.width), min(bottom * _CELL, mask.height))
        part = mask.crop(box)
        if (inner := part.getbbox()) is not None:
            x, y = box[0] + inner[0], box[1] + inner[1]
            yield Region(x, y, inner[2] - inner[0], inner[3] - inner[1], _count(part))


def _components(cells: bytes, width: int) -> list[Box]:
    """Return the boxes of the connected cells that are not zero, diagonally connected ones included."""
    found: list[Box] = []
    open_runs: list[tuple[int, int, int]] = []
    """Runs of the row above: begin, end and the number of their component in `parents`."""
    parents: list[int] = []
    boxes: list[Box] = []

    def root(number: int) -> int:
        while parents[number] != number:
            parents[number] = number = parents[parents[number]]
        return number

    for row in range(len(cells) // width):
        runs: list[tuple[int, int, int]] = []
        for match in re.finditer(rb"\xff+", cells[row * width : (row + 1) * width]):
            begin, end = match.span()
            number = len(parents)
            parents.append(number)
            boxes.append((begin, row, end, row + 1))
            for left, right, above in open_runs:
                if left <= end and begin <= right:
                    other = root(above)
                    if other != number:
                        parents[other] = number
                        boxes[number] = _union(boxes[number], boxes[other])
            runs.append((begin, end, number))
        open_runs = runs
    found += (box for number, box in enumerate(boxes) if parents[number] == number)
    return found


def _union(one: Box, other: Box) -> Box:
    return min(one[0], other[0]), min(one[1], other[1]), max(one[2], other[2]), max(one[3], other[3])


def _mark(expected: bytes, actual: bytes, difference: Difference, cut: bool) -> bytes:
    from PIL import Image, ImageDraw

    first, second = _decoded(expected), _decoded(actual)
    whole = difference.mask
    # The actual picture in light grey, with differing pixels in red.
    shown = Image.new("RGB", whole.size, "white")
    shown.paste(Image.blend(second.convert("L").convert("RGB"), Image.new("RGB", second.size, "white"), 0.8))
    shown.paste("#FF0000", mask=whole)
    draw = ImageDraw.Draw(shown)
    for each in difference.regions:
        draw.rectangle((each.x - 3, each.y - 3, each.x + each.width + 2, each.y + each.height + 2), outline="#0000FF")
    box = (0, 0, *whole.size)
    if cut and (seen := whole.getbbox()) is not None:
        left, top = max(0, seen[0] - _MARGIN), max(0, seen[1] - _MARGIN)
        box = (left, top, min(whole.width, seen[2] + _MARGIN), min(whole.height, seen[3] + _MARGIN))
    width, height = box[2] - box[0], box[3] - box[1]
    sheet = Image.new("RGB", (3 * width + 2 * _GAP, height), "#808080")
    for number, each in enumerate((first, second, shown)):
        part = each.crop((box[0], box[1], min(box[2], each.width), min(box[3], each.height)))
        sheet.paste(part, (number * (width + _GAP), 0))
    buffer = BytesIO()
    sheet.save(buffer, "PNG")
    return buffer.getvalue()
