"""Values of secrets for attacks, and every encoding in which a page can show one."""

import base64
import html
import json
import re
from collections.abc import Callable
from urllib.parse import quote, quote_plus

VALUE = 'kX7?/&"z 9+Ö<%41>\\q'
"""A value with characters that each encoding writes in its own way, and a part that looks like an escape."""

PLAIN = "Correct-Horse-42"

ENCODINGS: dict[str, Callable[[str], str]] = {
    "as it is": lambda text: text,
    "upper case": str.upper,
    "encodeURIComponent": lambda text: quote(text, safe="!'()*-._~"),
    "encodeURIComponent, lower case": lambda text: re.sub("%..", lambda each: each[0].lower(), quote(text, safe="")),
    "every byte percent-encoded": lambda text: "".join(f"%{byte:02X}" for byte in text.encode()),
    "encoded twice": lambda text: quote(quote(text, safe=""), safe=""),
    "a form": quote_plus,
    "JSON": lambda text: json.dumps(text)[1:-1],
    "JSON of all characters": lambda text: json.dumps(text, ensure_ascii=False)[1:-1],
    "JSON with slashes escaped": lambda text: json.dumps(text)[1:-1].replace("/", "\\/"),
    "JSON in JSON": lambda text: json.dumps(json.dumps(text))[3:-3],
    "JSON in a URL": lambda text: quote(json.dumps(text)[1:-1], safe=""),
    "JavaScript": lambda text: "".join(f"\\x{ord(char):02x}" for char in text),
    "HTML": html.escape,
    "HTML, decimal": lambda text: "".join(f"&#{ord(char)};" for char in text),
    "HTML, hexadecimal": lambda text: "".join(f"&#x{ord(char):04X};" for char in text),
    "HTML in HTML": lambda text: html.escape(html.escape(text)),
    "base64": lambda text: base64.b64encode(text.encode()).decode(),
    "base64 after one byte": lambda text: base64.b64encode(b"u" + text.encode() + b"!").decode(),
    "base64 after two bytes": lambda text: base64.b64encode(b"u:" + text.encode() + b"!?").decode(),
    "URL-safe base64": lambda text: base64.urlsafe_b64encode(b"u:" + text.encode()).decode(),
    "base64 in a URL": lambda text: quote(base64.b64encode(text.encode()).decode(), safe=""),
    "a data URL in JSON": lambda text: json.dumps(f"data:,{quote(text)}")[1:-1],
}


def found_in(text: str, value: str) -> list[str]:
    """Return the encodings in which a text has a value: apart from the product's search."""
    there = [name for name, encode in ENCODINGS.items() if not name.startswith("base64") and encode(value) in text]
    data = value.encode()
    for shift in range(3):
        whole = base64.b64encode(b"\0" * shift + data)
        inner = whole[4 if shift else 0 : len(data) // 3 * 4].decode()
        if inner in text or inner.translate(str.maketrans("+/", "-_")) in text:
            there.append(f"base64 at {shift}")
    return there
