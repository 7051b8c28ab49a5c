"""Origins of pages: https://html.spec.whatwg.org/multipage/browsers.html#origin."""

from urllib.parse import urldefrag, urlsplit


def origin_of(url: str) -> str:
    """Return the origin of a web page's URL; "" of any other, and of what is no URL."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return ""
    return f"{parts.scheme}://{parts.netloc}" if parts.scheme in {"http", "https"} and parts.netloc else ""


def may_refer(url: str, referrer: str) -> bool:
    """Whether the document at a URL may be what a request names as its referrer, or keeps back.

    https://w3c.github.io/webappsec-referrer-policy/#determine-requests-referrer
    """
    if url == "about:blank":
        return False  # it asks for nothing, unless another page has written it: then it names that
    return not referrer or referrer in {urldefrag(url).url, f"{origin_of(url)}/"}
