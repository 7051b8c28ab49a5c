"""Options of the server that contain secrets."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import quote

from ada_url import URL

from bidi_server.http_credentials import HttpCredentials
from bidi_server.secret.parameters import PLACEHOLDER, fill
from bidi_server.secret.text import check_origins

if TYPE_CHECKING:
    from bidi_server.config import Config


def _in_url(value: str) -> str:
    return quote(value, safe="")


def with_secret_options(config: Config) -> Config:
    """Return the configuration with values of secrets in its options. It blocks.

    Raises `ToolError`, and ValueError for a login that is none.
    """
    found: dict[str, object] = {}
    proxy, logins, headers = config.proxy_server, config.http_credentials, config.extra_header
    if proxy is not None and PLACEHOLDER.search(proxy):
        found["proxy_server"] = filled = fill(proxy, config, _in_url)
        check_origins([filled], str(URL(filled).origin), "for this proxy")
    if any(map(PLACEHOLDER.search, logins)):
        found["http_credentials"] = every = tuple(fill(each, config, _in_url) for each in logins)
        for each in every:
            check_origins([each], HttpCredentials.parse(each).origin, "for this login")
    if any(map(PLACEHOLDER.search, headers)):
        found["extra_header"] = filled_headers = tuple(fill(each, config) for each in headers)
        check_origins(filled_headers, "", "in --extra-header, which goes to every host")
    return config.model_copy(update=found) if found else config
