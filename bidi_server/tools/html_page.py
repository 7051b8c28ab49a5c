"""Pages of HTML for the reports of replays and comparisons."""

import html
from base64 import b64encode

_STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; padding: 0 1rem; }
img { border: 1px solid #ccc; max-width: 100%; display: block; margin: .5rem 0; }
"""


def html_page(title: str, style: str, body: str) -> str:
    """Return a page with a title, which is escaped here, and a body, which is not."""
    name = html.escape(title)
    head = f'<meta charset="utf-8">\n<title>{name}</title>\n<style>{_STYLE}{style}</style>'
    return f'<!doctype html>\n<html lang="en">\n{head}\n<h1>{name}</h1>\n{body}\n</html>\n'


def html_picture(data: bytes) -> str:
    """Return the element for a PNG of a page."""
    return f'<img alt="The page" src="data:image/png;base64,{b64encode(data).decode()}">'
