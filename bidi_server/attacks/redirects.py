"""Pages of an allowed site that lead to a host that may be forbidden, or to a file of this machine."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from html import escape

from bidi_server.attacks.site import HostileSite

Page = Callable[[HostileSite, str], str]
"""A function that adds a page which leads to a URL, and returns the URL of the page."""


@dataclass(frozen=True, slots=True)
class Redirect:
    """One way to lead to another URL."""

    page: Page
    target: str = "http://redirect.localhost:{port}/"
    """The URL, with ``{port}`` for the trap and ``{file}`` for the URL of a file."""

    @property
    def is_to_file(self) -> bool:
        """Whether it leads to a file."""
        return "{file}" in self.target


def _status(code: int, site: HostileSite, url: str) -> str:
    return site.redirect(url, code)


def _chain(length: int, site: HostileSite, url: str) -> str:
    for _ in range(length):
        url = site.redirect(url)
    return url


def _header(site: HostileSite, url: str) -> str:
    return site.page("Wait", headers={"Refresh": f"0; url={url}"})


def _element(site: HostileSite, url: str) -> str:
    return site.page(f'<meta http-equiv="refresh" content="0; url={escape(url)}">')


def _script(template: str, site: HostileSite, url: str) -> str:
    return site.page(f"<script>{template.replace('URL', json.dumps(url))}</script>")


def _form(method: str, site: HostileSite, url: str) -> str:
    fields = "".join(f'<input name={name} value="{escape(value)}">' for name, value in (("code", "307"), ("to", url)))
    action = escape(site.redirect(url, 307))  # a form with GET replaces the query by its fields
    submit = "<script>document.forms[0].submit()</script>"
    return site.page(f'<form action="{action}" method="{method}">{fields}</form>{submit}')


def _frame(site: HostileSite, url: str) -> str:
    return site.page(f'<iframe src="{escape(site.redirect(url))}"></iframe>')


_found = partial(_status, 302)

REDIRECTS: dict[str, Redirect] = {
    **{f"status {code}": Redirect(partial(_status, code)) for code in (301, 302, 303, 307, 308)},
    "two redirects": Redirect(partial(_chain, 2)),
    "ten redirects": Redirect(partial(_chain, 10)),
    "a Refresh header": Redirect(_header),
    "a refresh element": Redirect(_element),
    "location": Redirect(partial(_script, "location = URL")),
    "location.replace": Redirect(partial(_script, "location.replace(URL)")),
    "location of the top": Redirect(partial(_script, "top.location.href = URL")),
    "location later": Redirect(partial(_script, "setTimeout(() => { location = URL; }, 50)")),
    "a window of the same name": Redirect(partial(_script, "open(URL, '_self')")),
    "a form with GET": Redirect(partial(_form, "get")),
    "a form with POST": Redirect(partial(_form, "post")),
    "a redirect of a frame": Redirect(_frame),
    "a short address": Redirect(_found, "http://127.1:{port}/"),
    "a decimal address": Redirect(_found, "http://2130706433:{port}/"),
    "a hexadecimal address": Redirect(_found, "http://0x7f000001:{port}/"),
    "an octal address": Redirect(_found, "http://0177.0.0.1:{port}/"),
    "an address within IPv6": Redirect(_found, "http://[::ffff:127.0.0.1]:{port}/"),
    "userinfo that looks like a host": Redirect(_found, "http://example.com:80@127.0.0.1:{port}/"),
    "backslashes": Redirect(_found, "http:\\\\127.0.0.1:{port}\\"),
    "no scheme": Redirect(_found, "//127.0.0.1:{port}/"),
    "a file": Redirect(_found, "{file}"),
    "a file by a script": Redirect(partial(_script, "location = URL"), "{file}"),
    "a file in a frame": Redirect(_frame, "{file}"),
    "the source of a file": Redirect(_found, "view-source:{file}"),
}
"""Redirects by name."""


def target_of(name: str, port: int, file: str) -> str:
    """Return the URL that a redirect leads to."""
    return REDIRECTS[name].target.format(port=port, file=file)
