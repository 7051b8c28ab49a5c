"""The module of user agent client hints.

https://wicg.github.io/ua-client-hints/#automation
"""

from .wire import Command, EmptyResult, Parameters


class BrandVersion(Parameters):
    """https://wicg.github.io/ua-client-hints/#automation"""

    brand: str
    version: str


class ClientHints(Parameters):
    """https://wicg.github.io/ua-client-hints/#automation"""

    brands: list[BrandVersion] | None = None
    full_version_list: list[BrandVersion] | None = None
    platform: str | None = None
    platform_version: str | None = None
    architecture: str | None = None
    model: str | None = None
    mobile: bool | None = None
    bitness: str | None = None
    wow64: bool | None = None
    form_factors: list[str] | None = None


class SetClientHintsOverride(Command[EmptyResult], method="userAgentClientHints.setClientHintsOverride"):
    """Null restores the browser's own. https://wicg.github.io/ua-client-hints/#automation"""

    client_hints: ClientHints | None
    contexts: list[str] | None = None
    user_contexts: list[str] | None = None
