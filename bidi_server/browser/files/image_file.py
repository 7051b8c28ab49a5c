"""Image files, read for a model."""

from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

import trio

from bidi_server.browser.disk import read
from bidi_server.browser.files.picture import MODEL, to_jpeg
from bidi_server.browser.words import MAX_PATH, clip
from bidi_server.errors import InvalidParametersError

FORMATS = {"PNG": "image/png", "JPEG": "image/jpeg", "GIF": "image/gif", "WEBP": "image/webp"}
"""Supported formats (seed 001) and their MIME types."""

MAX_FILE = 50_000_000
"""Maximum size of a file, in bytes."""

MAX_DECODED = 100_000_000
"""Maximum number of pixels to decode: a small file may hold an image that exhausts the memory."""

AS_IT_IS = 1_000_000
"""Maximum size of an image that is passed on unchanged, in bytes, if it is within the limits of models."""


@dataclass(frozen=True, slots=True)
class ImageFile:
    """An image for a model. ``size`` is its original size, ``shown`` the size of the image in ``data``, in pixels."""

    data: bytes
    mime_type: str
    size: tuple[int, int]
    shown: tuple[int, int]


async def read_image(path: Path) -> ImageFile:
    """Read a PNG, JPEG, GIF or WebP file, scaled to the limits of models. Raises `InvalidParametersError`."""
    try:
        data = await trio.to_thread.run_sync(read, path, MAX_FILE)
    except OSError as error:
        what = clip(str(path), MAX_PATH)
        raise InvalidParametersError(f"{what} can't be read: {error.strerror}.", "Check the path.") from error
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
    shown = MODEL.fit(*image.size)
    if shown == image.size == size and len(data) <= AS_IT_IS:
        return ImageFile(data, kind, size, size)
    return ImageFile(to_jpeg(image), "image/jpeg", image.size, shown)
