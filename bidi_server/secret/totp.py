"""One-time codes from a key: https://www.rfc-editor.org/rfc/rfc6238."""

import binascii
import re
from collections.abc import Iterator

from bidi_server.errors import ToolError

_PREFIX = "otpauth://totp/"

_KEY = re.compile(r"[A-Z2-7]{16,}=*", re.IGNORECASE)
"""A key in base32, of ten bytes or more: https://www.rfc-editor.org/rfc/rfc4226#section-4."""


def _plain(value: str) -> str:
    return re.sub(r"[\s-]", "", value)


def keys(value: str) -> Iterator[str]:
    """Yield the other forms of a key for one-time codes: that within its URL, and without spaces."""
    if value.startswith(_PREFIX):
        found = re.search(r"[?&]secret=([^&#]+)", value)
        if found is not None:
            yield found[1]
    elif _KEY.fullmatch(_plain(value)) and _plain(value) != value:
        yield _plain(value)


def code(name: str, value: str) -> str:
    """Return the code of this moment. Raises `ToolError` if the value is no key."""
    from pyotp import parse_uri
    from pyotp.totp import TOTP

    try:
        if value.startswith(_PREFIX):
            found = parse_uri(value)
            if isinstance(found, TOTP):
                return found.now()
        elif _KEY.fullmatch(key := _plain(value)):
            return TOTP(key.rstrip("=")).now()
    except (ValueError, binascii.Error):
        pass
    raise ToolError(
        f"{name} is no key for one-time codes.", "{{NAME.totp}} needs a base32 key, or an otpauth://totp/ URL."
    )
