"""Pictures made small enough for the eyes of a model."""

from dataclasses import dataclass
from io import BytesIO
from typing import TYPE_CHECKING

import trio

if TYPE_CHECKING:
    from PIL.Image import Image

SMALLER = 0.8
"""Factor by which a picture shrinks that is too large even in its lowest quality."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """What a picture must fit into. ``qualities`` are those of JPEG that are tried, the best first."""

    side: int
    pixels: int | None = None
    size: int | None = None
    """Bytes of the file."""
    qualities: tuple[int, ...] = (80,)

    def fit(self, width: int, height: int) -> tuple[int, int]:
        """Return the size in pixels of a picture that fits, in the same proportions."""
        factor = min(1.0, self.side / max(width, height))
        if self.pixels is not None:
            factor = min(factor, (self.pixels / (width * height)) ** 0.5)
        return (max(1, int(width * factor)), max(1, int(height * factor))) if factor < 1 else (width, height)


MODEL = Bounds(side=1568, pixels=1_150_000)
"""What models scale pictures to themselves (seed 000)."""


async def scaled(data: bytes, bounds: Bounds = MODEL) -> bytes:
    """Return a picture as JPEG within bounds."""
    return await trio.to_thread.run_sync(_scale, data, bounds)


def _scale(data: bytes, bounds: Bounds) -> bytes:
    from PIL import Image

    with Image.open(BytesIO(data)) as opened:
        return to_jpeg(opened, bounds)


def to_jpeg(image: "Image", bounds: Bounds = MODEL) -> bytes:
    """Return a picture as JPEG within bounds. What is transparent is seen on white, as on most pages."""
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
            shown = image.resize((width, height))  # pyright: ignore[reportUnknownMemberType] - its types name numpy's
        for quality in bounds.qualities:
            buffer = BytesIO()
            shown.save(buffer, "JPEG", quality=quality)
            if bounds.size is None or buffer.tell() <= bounds.size:
                return buffer.getvalue()
        width, height = max(1, int(width * SMALLER)), max(1, int(height * SMALLER))
