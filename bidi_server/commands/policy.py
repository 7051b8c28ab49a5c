"""``bidi-server policy check``: which requests the options allow, without a browser."""

from collections.abc import Sequence

from bidi_server.browser.network.allow_list import AllowList, Decision
from bidi_server.commands.terminal import OUT
from bidi_server.config import Config


def check(config: Config, urls: Sequence[str], method: str) -> int:
    """Print for each URL whether it may be requested, as a page and as another resource. Return 1 if a page may not."""
    policy = AllowList(config.allowed_urls, config.blocked_urls)
    refused = False
    for url in urls:
        page = policy.decide(url, method, for_page=True)
        other = policy.decide(url, method, for_page=False)
        OUT.print(f"{method} {url}", style="bold", soft_wrap=True)
        OUT.print(f"  as a page: {_told(page)}", soft_wrap=True)
        OUT.print(f"  as another resource: {_told(other)}", soft_wrap=True)
        refused |= not page.allows
    return int(refused)


def _told(decision: Decision) -> str:
    matching = f" (by {decision.pattern!r})" if decision.pattern else ""
    return f"{'allowed' if decision.allows else 'refused'}: {decision.reason}{matching}"
