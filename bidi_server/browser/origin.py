"""Origins of pages: https://html.spec.whatwg.org/multipage/browsers.html#origin."""

from urllib.parse import urldefrag, urlsplit


def origin_of(url: str) -> str:
    """Return the origin of an HTTP or HTTPS URL; "" for other URLs and for invalid ones."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return ""
    return f"{parts.scheme}://{parts.netloc}" if parts.scheme in {"http", "https"} and parts.netloc else ""


def may_refer(url: str, referrer: str) -> bool:
    """Whether the document at a URL may have sent a request with this referrer, which may be an origin or empty.

    https://w3c.github.io/webappsec-referrer-policy/#determine-requests-referrer
    """
    if url == "about:blank":
        return False  # its requests, if any, have the URL of the page that wrote it as their referrer
    return not referrer or referrer in {urldefrag(url).url, f"{origin_of(url)}/"}
