"""The session module. https://w3c.github.io/webdriver-bidi/#module-session"""

from typing import Literal

from pydantic import Field

from .wire import Command, EmptyResult, Parameters, Result


class UserPromptHandler(Parameters):
    """Default handling of each type of dialog.

    https://w3c.github.io/webdriver-bidi/#type-session-UserPromptHandler
    """

    alert: Literal["accept", "dismiss", "ignore"] | None = None
    before_unload: Literal["accept", "dismiss", "ignore"] | None = None
    confirm: Literal["accept", "dismiss", "ignore"] | None = None
    default: Literal["accept", "dismiss", "ignore"] | None = None
    file: Literal["accept", "dismiss", "ignore"] | None = None
    prompt: Literal["accept", "dismiss", "ignore"] | None = None


class AutodetectProxyConfiguration(Parameters):
    """https://w3c.github.io/webdriver-bidi/#type-session-ProxyConfiguration"""

    proxy_type: Literal["autodetect"] = "autodetect"


class DirectProxyConfiguration(Parameters):
    """https://w3c.github.io/webdriver-bidi/#type-session-ProxyConfiguration"""

    proxy_type: Literal["direct"] = "direct"


LOOPBACK_TOO = "<-loopback>"
"""Chromium's bypass rule that sends loopback addresses through the proxy too. Firefox treats it as a host name."""


class ManualProxyConfiguration(Parameters):
    """Proxies as ``host`` or ``host:port``; a SOCKS proxy needs its version, 4 or 5.

    https://w3c.github.io/webdriver-bidi/#type-session-ProxyConfiguration
    """

    proxy_type: Literal["manual"] = "manual"
    http_proxy: str | None = None
    ssl_proxy: str | None = None
    socks_proxy: str | None = None
    socks_version: int | None = None
    no_proxy: list[str] | None = None


class PacProxyConfiguration(Parameters):
    """https://w3c.github.io/webdriver-bidi/#type-session-ProxyConfiguration"""

    proxy_type: Literal["pac"] = "pac"
    proxy_autoconfig_url: str


class SystemProxyConfiguration(Parameters):
    """https://w3c.github.io/webdriver-bidi/#type-session-ProxyConfiguration"""

    proxy_type: Literal["system"] = "system"


ProxyConfiguration = (
    AutodetectProxyConfiguration
    | DirectProxyConfiguration
    | ManualProxyConfiguration
    | PacProxyConfiguration
    | SystemProxyConfiguration
)
"""https://w3c.github.io/webdriver-bidi/#type-session-ProxyConfiguration"""


class CapabilityRequest(Parameters):
    """https://w3c.github.io/webdriver-bidi/#type-session-CapabilityRequest"""

    accept_insecure_certs: bool | None = None
    browser_name: str | None = None
    browser_version: str | None = None
    platform_name: str | None = None
    proxy: ProxyConfiguration | None = None
    unhandled_prompt_behavior: UserPromptHandler | None = None


class CapabilitiesRequest(Parameters):
    """https://w3c.github.io/webdriver-bidi/#type-session-CapabilitiesRequest"""

    always_match: CapabilityRequest | None = None
    first_match: list[CapabilityRequest] | None = None


class NewResult(Result):
    session_id: str
    capabilities: dict[str, object] = Field(default_factory=dict)


class New(Command[NewResult], method="session.new"):
    """https://w3c.github.io/webdriver-bidi/#command-session-new"""

    capabilities: CapabilitiesRequest


class StatusResult(Result):
    ready: bool
    message: str


class Status(Command[StatusResult], method="session.status"):
    """https://w3c.github.io/webdriver-bidi/#command-session-status"""


class End(Command[EmptyResult], method="session.end"):
    """https://w3c.github.io/webdriver-bidi/#command-session-end"""


class SubscribeResult(Result):
    subscription: str


class Subscribe(Command[SubscribeResult], method="session.subscribe"):
    """https://w3c.github.io/webdriver-bidi/#command-session-subscribe"""

    events: list[str]
    contexts: list[str] | None = None
    user_contexts: list[str] | None = None


class Unsubscribe(Command[EmptyResult], method="session.unsubscribe"):
    """https://w3c.github.io/webdriver-bidi/#command-session-unsubscribe"""

    events: list[str] | None = None
    subscriptions: list[str] | None = None
