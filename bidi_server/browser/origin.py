"""Origins of pages: https://html.spec.whatwg.org/multipage/browsers.html#origin."""

from urllib.parse import urlsplit


def origin_of(url: str) -> str:
    """Return the origin of a web page's URL; "" of any other, and of what is no URL."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return ""
    return f"{parts.scheme}://{parts.netloc}" if parts.scheme in {"http", "https"} and parts.netloc else ""
