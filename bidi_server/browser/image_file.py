"""Pictures from the disk, for the eyes of a model."""

from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

import trio

from bidi_server.browser.capture import INLINE_QUALITY, MAX_PIXELS, MAX_SIDE
from bidi_server.errors import InvalidParametersError

if TYPE_CHECKING:
    from PIL.Image import Image

FORMATS = {"PNG": "image/png", "JPEG": "image/jpeg", "GIF": "image/gif", "WEBP": "image/webp"}
"""Formats that can be read (seed 001), with their MIME types."""

MAX_FILE = 50_000_000
"""Bytes of a file that is read."""

MAX_DECODED = 100_000_000
"""Pixels that are decoded: a small file may hold a picture that fills the memory."""

AS_IT_IS = 1_000_000
"""Bytes up to which a picture within the limits goes out unchanged."""


@dataclass(frozen=True, slots=True)
class ImageFile:
    """A picture that a model can look at; ``size`` is the file's, ``shown`` what of it is in ``data``, in pixels."""

    data: bytes
    mime_type: str
    size: tuple[int, int]
    shown: tuple[int, int]


async def read_image(path: Path) -> ImageFile:
    """Read a PNG, JPEG, GIF or WebP file, scaled to what models take. Raises `InvalidParametersError`."""
    try:
        path = Path(await trio.Path(path).expanduser())
        size = (await trio.Path(path).stat()).st_size
        if size > MAX_FILE:
            raise InvalidParametersError(f"{path} has {size} bytes.", f"Pass a picture of at most {MAX_FILE}.")
        data = await trio.Path(path).read_bytes()
    except OSError as error:
        raise InvalidParametersError(f"{path} can't be read: {error.strerror}.", "Check the path.") from error
    return await trio.to_thread.run_sync(_decode, path, data)


def _decode(path: Path, data: bytes) -> ImageFile:
    from PIL import Image, ImageOps, UnidentifiedImageError

    wrong = InvalidParametersError(f"{path} is not a PNG, JPEG, GIF or WebP picture.", "Check the file.")
    large = InvalidParametersError(f"{path} has too many pixels to be decoded.", "Scale it down first.")
    try:
        with Image.open(BytesIO(data), formats=list(FORMATS)) as opened:
            kind, size = FORMATS[opened.format or ""], opened.size
            if size[0] * size[1] > MAX_DECODED:
                raise large
            opened.load()
            image = ImageOps.exif_transpose(opened)
    except UnidentifiedImageError:
        raise wrong from None
    except Image.DecompressionBombError:
        raise large from None
    except (OSError, SyntaxError, ValueError) as error:
        raise InvalidParametersError(f"{path} is damaged: {error}", "Check the file.") from error
    factor = min(1.0, MAX_SIDE / max(image.size), (MAX_PIXELS / (image.width * image.height)) ** 0.5)
    if factor == 1 and len(data) <= AS_IT_IS and image.size == size:
        return ImageFile(data, kind, size, size)
    shown = (max(1, int(image.width * factor)), max(1, int(image.height * factor)))
    return ImageFile(_jpeg(image, shown), "image/jpeg", image.size, shown)


def _jpeg(image: "Image", size: tuple[int, int]) -> bytes:
    from PIL import Image

    # What is transparent is seen on white, as on most pages.
    flat = Image.new("RGB", image.size, "white")
    layer = image.convert("RGBA")
    flat.paste(layer, mask=layer)
    scaled = flat.resize(size)  # pyright: ignore[reportUnknownMemberType] - Pillow's types name numpy's
    buffer = BytesIO()
    scaled.save(buffer, "JPEG", quality=INLINE_QUALITY)
    return buffer.getvalue()
