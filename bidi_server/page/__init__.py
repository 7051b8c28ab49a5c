"""JavaScript that runs inside the page's sandbox realm, linked from small ES modules into one expression."""

from bidi_server.page.linker import LinkError, bundle, compact, link, page_script

__all__ = ["LinkError", "bundle", "compact", "link", "page_script"]
