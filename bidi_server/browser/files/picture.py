"""Scale images down for a model."""

from dataclasses import dataclass
from io import BytesIO
from typing import TYPE_CHECKING

import trio

if TYPE_CHECKING:
    from PIL.Image import Image

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


async def encoded(data: bytes, kind: str, quality: int, factor: float) -> bytes:
    """Return an image in another format (png, jpeg, webp), with its sides multiplied by a factor."""
    return await trio.to_thread.run_sync(_encode, data, kind, quality, factor)


def _encode(data: bytes, kind: str, quality: int, factor: float) -> bytes:
    from PIL import Image

    with Image.open(BytesIO(data)) as opened:
        image = opened
        if factor != 1:
            size = max(1, round(opened.width * factor)), max(1, round(opened.height * factor))
            image = opened.resize(size)  # pyright: ignore[reportUnknownMemberType] - its stubs use numpy
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
