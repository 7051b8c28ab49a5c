"""``bidi-server policy check``: which requests the options allow, without a browser."""

import socket
from collections.abc import Sequence

from ada_url import URL

from bidi_server.addresses import Address, address_of, looked_up
from bidi_server.browser.network.allow_list import AllowList, Decision
from bidi_server.commands.terminal import OUT
from bidi_server.config import Config
from bidi_server.egress import EgressPolicy, Request, port_of

CONNECTING = ("http:", "https:", "ws:", "wss:")
"""Schemes of URLs for which a browser connects to the host."""


def check(config: Config, urls: Sequence[str], method: str) -> int:
    """Print for each URL whether a page, another resource and a connection are allowed. Return 1 if one is not."""
    policy = AllowList(config.allowed_urls, config.blocked_urls)
    refused = False
    for url in urls:
        page = policy.decide(url, method, for_page=True)
        other = policy.decide(url, method, for_page=False)
        OUT.print(f"{method} {url}", style="bold", soft_wrap=True)
        OUT.print(f"  as a page: {_told(page)}", soft_wrap=True)
        OUT.print(f"  as another resource: {_told(other)}", soft_wrap=True)
        refused |= not page.allows
        if config.egress_policy is not None:
            connection = _connection(config.egress_policy, url, method)
            OUT.print(f"  to connect: {_told(connection)}", soft_wrap=True)
            refused |= not connection.allows
    return int(refused)


def _told(decision: Decision) -> str:
    matching = f" (by {decision.pattern!r})" if decision.pattern else ""
    return f"{'allowed' if decision.allows else 'refused'}: {decision.reason}{matching}"


def _connection(policy: EgressPolicy, url: str, method: str) -> Decision:
    """Return whether a browser may connect to the host of a URL, with the addresses that it has now."""
    try:
        parsed = URL(url)
    except ValueError:
        return Decision(False, "it is not a URL")
    if parsed.protocol not in CONNECTING:
        return Decision(True, "it needs no connection")
    is_seen = parsed.protocol == "http:"
    request = Request(
        parsed.hostname, port_of(parsed), parsed.pathname + parsed.search if is_seen else "", method if is_seen else ""
    )
    reason = policy.why_not(request, _addresses(parsed.hostname))
    return Decision(not reason, reason or f"--egress {policy.text} allows it")


def _addresses(host: str) -> list[Address]:
    """Return the addresses of a host; none if it has none."""
    try:
        infos = socket.getaddrinfo(looked_up(host), None, type=socket.SOCK_STREAM)
    except (socket.gaierror, UnicodeError):
        return []
    return [address for info in infos if (address := address_of(str(info[4][0]))) is not None]
