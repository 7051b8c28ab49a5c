"""Scale images down for a model."""

from collections.abc import Sequence
from dataclasses import dataclass
from io import BytesIO
from math import ceil, floor
from typing import TYPE_CHECKING

import trio

if TYPE_CHECKING:
    from PIL.Image import Image

MASK = "#FF00FF"
"""Colour of masks, the same as Playwright's."""

SMALLER = 0.8
"""Factor by which an image is scaled down if it is too large even at the lowest quality."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """Limits of an image. ``qualities`` are the JPEG qualities to try, the best first."""

    side: int
    pixels: int | None = None
    size: int | None = None
    """Maximum size of the file, in bytes; None for no limit."""
    qualities: tuple[int, ...] = (80,)

    def fit(self, width: int, height: int) -> tuple[int, int]:
        """Return the size of an image, in pixels, scaled down to the limits for sides and pixels if it exceeds them."""
        factor = min(1.0, self.side / max(width, height))
        if self.pixels is not None:
            factor = min(factor, (self.pixels / (width * height)) ** 0.5)
        return (max(1, int(width * factor)), max(1, int(height * factor))) if factor < 1 else (width, height)


MODEL = Bounds(side=1568, pixels=1_150_000)
"""The size to which models scale images themselves (seed 000)."""


async def scaled(data: bytes, bounds: Bounds = MODEL) -> bytes:
    """Return an image as JPEG within bounds."""
    return await trio.to_thread.run_sync(_scale, data, bounds)


async def encoded(
    data: bytes, kind: str, quality: int, factor: float, masks: Sequence[tuple[float, float, float, float]] = ()
) -> bytes:
    """Return an image in another format (png, jpeg, webp), with its sides multiplied by a factor.

    Before, the ``masks`` are painted over it: left, top, right and bottom in its pixels.
    """
    return await trio.to_thread.run_sync(_encode, data, kind, quality, factor, masks)


def _encode(
    data: bytes, kind: str, quality: int, factor: float, masks: Sequence[tuple[float, float, float, float]]
) -> bytes:
    from PIL import Image, ImageDraw

    with Image.open(BytesIO(data)) as opened:
        image = opened.convert("RGB") if masks else opened
        for left, top, right, bottom in masks:
            if right > max(left, 0) and bottom > max(top, 0):
                # A pixel that is covered in part shows what is below; those of the last column are inside.
                corners = (floor(left), floor(top), ceil(right) - 1, ceil(bottom) - 1)
                ImageDraw.Draw(image).rectangle(corners, fill=MASK)
        if factor != 1:
            size = max(1, round(image.width * factor)), max(1, round(image.height * factor))
            image = image.resize(size)  # pyright: ignore[reportUnknownMemberType] - its stubs use numpy
        buffer = BytesIO()
        image.save(buffer, kind.upper(), quality=quality)
        return buffer.getvalue()


def _scale(data: bytes, bounds: Bounds) -> bytes:
    from PIL import Image

    with Image.open(BytesIO(data)) as opened:
        return to_jpeg(opened, bounds)


def to_jpeg(image: "Image", bounds: Bounds = MODEL) -> bytes:
    """Return an image as JPEG within bounds. Transparent parts get a white background, as on most pages."""
    from PIL import Image

    if image.has_transparency_data:
        layer = image.convert("RGBA")
        image = Image.new("RGB", layer.size, "white")
        image.paste(layer, mask=layer)
    else:
        image = image.convert("RGB")
    width, height = bounds.fit(*image.size)
    while True:
        shown = image
        if (width, height) != image.size:
            shown = image.resize((width, height))  # pyright: ignore[reportUnknownMemberType] - its stubs use numpy
        for quality in bounds.qualities:
            buffer = BytesIO()
            shown.save(buffer, "JPEG", quality=quality)
            if bounds.size is None or buffer.tell() <= bounds.size:
                return buffer.getvalue()
        width, height = max(1, int(width * SMALLER)), max(1, int(height * SMALLER))
