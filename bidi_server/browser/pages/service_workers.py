"""The service workers of the page's origin."""

import json
from typing import Literal

from pydantic import TypeAdapter

from bidi_server.bidi.script import RemoteValue
from bidi_server.browser.tab.tab import Tab
from bidi_server.page.api import Registration
from drivers.json_values import items

_REGISTRATIONS = TypeAdapter(list[Registration] | None)


async def registrations(tab: Tab) -> list[Registration] | None:
    """Return the registrations of the page's origin; None if the page cannot have any (not a secure context)."""
    return _REGISTRATIONS.validate_json(str((await _call(tab, "serviceWorkers")).value))


async def change(tab: Tab, action: Literal["unregister", "update"], scope: str | None) -> list[str]:
    """Unregister service workers, or check for a new version of their scripts; return the scopes concerned."""
    answer = await _call(tab, "changeServiceWorkers", {"action": action, "scope": scope})
    return [str(url) for url in items(json.loads(str(answer.value)))]


async def _call(tab: Tab, function: str, *arguments: object) -> RemoteValue:
    return await tab.ask(lambda: tab.main.call(function, *arguments), tab.limits.navigation)
