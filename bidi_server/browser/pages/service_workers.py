"""The service workers of the page's origin."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, cast

from bidi_server.bidi.script import RemoteValue
from bidi_server.browser.tab.tab import Tab


@dataclass(frozen=True, slots=True)
class Worker:
    """One version of a service worker.

    https://w3c.github.io/ServiceWorker/#dom-serviceworker-state
    """

    url: str
    state: str


@dataclass(frozen=True, slots=True)
class Registration:
    """A registration for a scope; ``controls`` is whether its active worker controls this page."""

    scope: str
    installing: Worker | None
    waiting: Worker | None
    active: Worker | None
    controls: bool


async def registrations(tab: Tab) -> list[Registration] | None:
    """Return the registrations of the page's origin; None if the page cannot have any (not a secure context)."""
    found = cast("list[Mapping[str, object]] | None", json.loads(str((await _call(tab, "serviceWorkers")).value)))
    return None if found is None else [_registration(each) for each in found]


async def change(tab: Tab, action: Literal["unregister", "update"], scope: str | None) -> list[str]:
    """Unregister service workers, or check for a new version of their scripts; return the scopes concerned."""
    answer = await _call(tab, "changeServiceWorkers", {"action": action, "scope": scope})
    return cast("list[str]", json.loads(str(answer.value)))


async def _call(tab: Tab, function: str, *arguments: object) -> RemoteValue:
    return await tab.ask(lambda: tab.main.call(function, *arguments), tab.limits.navigation)


def _registration(found: Mapping[str, object]) -> Registration:
    return Registration(
        scope=str(found["scope"]),
        installing=_worker(found["installing"]),
        waiting=_worker(found["waiting"]),
        active=_worker(found["active"]),
        controls=found["controls"] is True,
    )


def _worker(found: object) -> Worker | None:
    if not isinstance(found, dict):
        return None
    fields = cast("dict[str, str]", found)
    return Worker(fields["url"], fields["state"])
