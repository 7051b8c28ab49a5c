"""The comparison of two pictures, without a browser."""

from io import BytesIO

import pytest
from PIL import Image, ImageDraw, ImageFont

from bidi_server.browser.files.picture_difference import Region, compare, find_difference, mark
from bidi_server.errors import InvalidParametersError


def png(image: Image.Image) -> bytes:
    """Return an image as PNG."""
    buffer = BytesIO()
    image.save(buffer, "PNG")
    return buffer.getvalue()


def page(*, x: float = 20, y: float = 20, size: tuple[int, int] = (400, 300), text: str = "A line of text") -> bytes:
    """Return a picture of a line of text with softened edges, and of a button below it."""
    image = Image.new("RGB", size, "white")
    draw = ImageDraw.Draw(image)
    draw.text((x, y), text, fill="black", font=ImageFont.load_default(20))
    draw.rounded_rectangle((20, 200, 120, 230), 6, fill="#3366CC")
    return png(image)


def changed(data: bytes, box: tuple[int, int, int, int], colour: str) -> bytes:
    """Return a picture with a rectangle painted over it: left, top, right and bottom, the last two inside."""
    with Image.open(BytesIO(data)) as image:
        ImageDraw.Draw(image).rectangle(box, fill=colour)
        return png(image)


def test_equal_pictures() -> None:
    difference = find_difference(page(), page(x=20, y=20))
    assert (difference.pixels, difference.share, difference.regions) == (0, 0, ())
    assert difference.expected == difference.actual == (400, 300)


def test_softened_edges_do_not_count() -> None:
    """Edges that are softened in two ways differ in pixels between two areas, and nobody sees that."""

    def shape(finer: int, x: int = 0) -> bytes:
        image = Image.new("L", (100 * finer, 100 * finer), 255)
        corners = [(20 + x, 15), (85 + x, 50), (30 + x, 90)]
        ImageDraw.Draw(image).polygon([(x * finer, y * finer) for x, y in corners], fill=0)
        return png(image.reduce(finer))

    assert shape(2) != shape(8)
    assert find_difference(shape(2), shape(8)).pixels == 0
    assert find_difference(shape(8), shape(8, 3)).pixels > 150


@pytest.mark.parametrize(("dx", "dy"), [(1, 0), (0, 1), (3, 2)])
def test_moved_text(dx: int, dy: int) -> None:
    difference = find_difference(page(), page(x=20 + dx, y=20 + dy))
    assert difference.pixels > 100
    (region,) = difference.regions
    assert 15 <= region.x <= 25
    assert 18 <= region.y <= 30
    assert region.width > 100
    assert region.height < 30


@pytest.mark.parametrize("place", [(0, 0), (399, 299), (0, 150), (200, 299), (50, 215), (300, 100), (7, 8)])
def test_one_pixel(place: tuple[int, int]) -> None:
    difference = find_difference(page(), changed(page(), (*place, *place), "red"))
    assert difference.pixels == 1
    assert difference.share == 1 / 120_000
    assert difference.regions == (Region(*place, 1, 1, 1),)


def test_colours_that_nobody_tells_apart() -> None:
    box = (200, 100, 299, 149)
    assert find_difference(changed(page(), box, "#808080"), changed(page(), box, "#848484")).pixels == 0
    for before, after in (("#808080", "#A0A0A0"), ("#00FF00", "#FFFF00"), ("#0000FF", "#2020A0")):
        difference = find_difference(changed(page(), box, before), changed(page(), box, after))
        assert difference.pixels == 100 * 50
        assert difference.regions == (Region(200, 100, 100, 50, 5000),)


def test_regions_by_size() -> None:
    after = changed(page(), (300, 20, 309, 29), "black")
    after = changed(after, (200, 240, 259, 279), "green")
    after = changed(after, (262, 240, 263, 279), "green")  # close to the one before
    difference = find_difference(page(), after)
    assert difference.regions == (Region(200, 240, 64, 40, 62 * 40), Region(300, 20, 10, 10, 100))
    assert difference.pixels == 62 * 40 + 100


def test_regions_around_another() -> None:
    """A frame is one region, whichever of its sides is met first, and so is a U."""
    before = png(Image.new("RGB", (400, 300), "white"))
    after = changed(changed(before, (50, 50, 349, 249), "black"), (54, 54, 345, 245), "white")
    assert len(find_difference(before, after).regions) == 1
    after = changed(changed(before, (50, 50, 349, 249), "black"), (54, 0, 345, 245), "white")
    assert find_difference(before, after).regions == (Region(50, 50, 300, 200, 2 * 4 * 200 + 292 * 4),)


@pytest.mark.parametrize(
    ("size", "more"), [((400, 350), 400 * 50), ((390, 300), 10 * 300), ((420, 290), 20 * 290 + 10 * 400)]
)
def test_sizes(size: tuple[int, int], more: int) -> None:
    difference = find_difference(page(), page(size=size))
    assert (difference.expected, difference.actual) == ((400, 300), size)
    assert difference.pixels == more
    assert find_difference(page(size=size), page()).pixels == more


async def test_marked_picture() -> None:
    after = changed(page(), (300, 20, 309, 29), "black")
    difference = await compare(page(), after)
    with Image.open(BytesIO(await mark(page(), after, difference))) as sheet:
        assert sheet.size == (3 * 400 + 2 * 8, 300)
        assert [sheet.getpixel((x, 25)) for x in (305, 408 + 305, 816 + 305)] == [
            (255, 255, 255),
            (0, 0, 0),
            (255, 0, 0),
        ]
    with Image.open(BytesIO(await mark(page(), after, difference, cut=True))) as sheet:
        assert sheet.size == (3 * 74 + 2 * 8, 62)
        assert sheet.getpixel((32 + 5, 20 + 5)) == (255, 255, 255)
        assert sheet.getpixel((74 + 8 + 32 + 5, 20 + 5)) == (0, 0, 0)
    small = page(size=(200, 100))
    with Image.open(BytesIO(await mark(page(), small, await compare(page(), small)))) as sheet:
        assert sheet.size == (3 * 400 + 2 * 8, 300)


@pytest.mark.parametrize("wrong", [b"", b"nothing", page()[:200], b"GIF89a"])
async def test_files_that_are_no_pictures(wrong: bytes) -> None:
    with pytest.raises(InvalidParametersError):
        await compare(wrong, page())
