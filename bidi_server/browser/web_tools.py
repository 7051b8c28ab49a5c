"""Scripts for the tools that pages offer to agents.

https://webmachinelearning.github.io/webmcp/
"""

from functools import cache
from secrets import token_hex

from bidi_server.page import page_script

SECRET = token_hex(8)
"""Type of the event by which the second script asks the first one; no page knows it."""


@cache
def preload() -> str:
    """Return the function that runs in each document before the page's scripts: a polyfill where it is needed."""
    return f"() => {{ ({page_script('model-context')})('{SECRET}'); }}"


@cache
def question() -> str:
    """Return the function that lists or calls the tools of a document. Its first argument is `SECRET`."""
    return page_script("web-tools")
