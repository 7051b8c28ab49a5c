"""Options of the server that contain secrets."""

from __future__ import annotations

from urllib.parse import quote

from ada_url import URL

from bidi_server.config import Config, ConfigError
from bidi_server.errors import ToolError
from bidi_server.http_credentials import HttpCredentials
from bidi_server.secret.parameters import PLACEHOLDER, fill
from bidi_server.secret.text import check_origins
from bidi_server.secret.vault import VaultError, vault


def _in_url(value: str) -> str:
    return quote(value, safe="")


def with_secrets(config: Config) -> Config:
    """Read the secrets of a server, and return its options with values in them. It blocks. Raises `ConfigError`."""
    try:
        vault(config.secrets, config.secrets_command).check()
    except VaultError as error:
        raise ConfigError(f"--secrets {config.secrets}: {error}") from None
    try:
        return _with_values(config)
    except (ToolError, ValueError) as error:
        raise ConfigError(str(error)) from None


def _with_values(config: Config) -> Config:
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
