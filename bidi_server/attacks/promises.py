"""The promises of a configuration, and the changed configuration for the attacks."""

from collections.abc import Mapping
from pathlib import Path

from ada_url import URL

from bidi_server.addresses import Address, address_of
from bidi_server.attacks.findings import CannotRunError
from bidi_server.attacks.spelled_hosts import NAMES
from bidi_server.attacks.ways_out import PASSES_LISTS_OF_URLS
from bidi_server.browser.network.allow_list import AllowList
from bidi_server.config import PUBLIC, Config
from bidi_server.egress import Request, port_of

PRIVATE = (
    "user_data_dir",
    "storage_state",
    "init_script",
    "extra_header",
    "http_credentials",
    "proxy_server",
    "proxy_bypass",
    "secrets",
    "secrets_command",
)
"""Options that hostile pages must not get, and that lead elsewhere. The attacks run without them."""

ELSEWHERE = ("endpoint", "grid_url")
"""Options for browsers on other machines, from which a hostile site on this machine cannot be reached."""


class Promises:
    """The requests that a configuration forbids to pages."""

    def __init__(self, config: Config, engine: str) -> None:
        self._egress = config.egress_policy
        self._lists = AllowList(config.allowed_urls, config.blocked_urls)
        self._passes_lists = PASSES_LISTS_OF_URLS[""] | PASSES_LISTS_OF_URLS.get(engine, set())

    @property
    def advice(self) -> str:
        """The option that would refuse requests to hosts of this machine."""
        if self._egress is None:
            return "--egress is open. Set --egress public, or name the hosts: --egress example.com."
        return f"--egress {self._egress.text} allows it. Name fewer hosts there."

    def against_request(self, url: str, way: str, *, is_page: bool) -> str:
        """Return the reason why a request for a URL is forbidden; "" if nothing forbids it."""
        return self.against_connection(url) or self.against_url(url, way, is_page=is_page)

    def against_url(self, url: str, way: str, *, is_page: bool) -> str:
        """Return the reason by ``--allowed-urls`` and ``--blocked-urls``."""
        return "" if way in self._passes_lists else self._lists.why_not(url, for_page=is_page)

    def against_connection(self, url: str) -> str:
        """Return the reason by ``--egress``."""
        if self._egress is None:
            return ""
        try:
            parsed = URL(url)
        except ValueError:
            return "it is not a URL"
        target = parsed.pathname + parsed.search
        return self._egress.why_not(Request(parsed.hostname, port_of(parsed), target, "GET"), _addresses(parsed))


def _addresses(url: URL) -> list[Address]:
    answers = NAMES.get(url.hostname, [[url.hostname.rstrip(".")]])
    return [address for each in answers[0] if (address := address_of(each)) is not None]


def attacked(config: Config, origin: str, folder: Path) -> tuple[Config, list[str]]:
    """Return the configuration for the attacks of a site on this machine, and notes about the differences.

    Files of tools are written into the folder. Raises `CannotRunError`.
    """
    given = config.model_fields_set
    if elsewhere := next((name for name in ELSEWHERE if getattr(config, name) is not None), ""):
        raise CannotRunError(
            f"--{elsewhere.replace('_', '-')}: the attacks need a browser that the server starts on this machine. "
            "Leave that option out."
        )
    changes: dict[str, object] = {name: Config.model_fields[name].get_default() for name in PRIVATE}
    changes |= {
        "toolset": ("browser",),
        "caps": ("network", "storage"),
        "output_dir": folder / "output",
        "snapshot_budget": 50_000,
        "image_responses": "omit",
        "structured": False,
        "prelaunch": False,
    }
    notes = [
        f"--{name.replace('_', '-')} is left out in this run: hostile pages must not get it."
        for name in PRIVATE
        if name in given and getattr(config, name)
    ]
    host = origin.partition("//")[2]
    admissions, more = _admission(config, origin, host)
    return config.with_changes({**changes, **admissions}), notes + more


def _admission(config: Config, origin: str, host: str) -> tuple[Mapping[str, object], list[str]]:
    """Return the options that admit the hostile site, and notes about them."""
    changes: dict[str, object] = {}
    notes: list[str] = []
    admitting: list[str] = []
    if config.egress_policy is not None:
        changes["egress"] = (*(config.egress or (PUBLIC,)), host)
        admitting.append("--egress")
    if config.allowed_urls:
        changes["allowed_urls"] = (*config.allowed_urls, origin)
        admitting.append("--allowed-urls")
    if admitting:
        notes.append(f"The hostile site, {host}, is admitted to {' and '.join(admitting)} in this run only.")
    blocking = [each for each in config.blocked_urls if AllowList((), (each,)).why_not(f"{origin}/")]
    if blocking:
        changes["blocked_urls"] = tuple(each for each in config.blocked_urls if each not in blocking)
        notes.append(
            f"--blocked-urls {', '.join(blocking)} is left out in this run, because it blocks the hostile site. "
            "It is not tested."
        )
    return changes, notes
