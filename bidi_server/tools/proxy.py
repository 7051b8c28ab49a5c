"""The parameter that selects a proxy."""

from typing import Annotated

from ada_url import URL
from pydantic import BaseModel, ConfigDict

from bidi_server.browser.network.proxy import Proxy
from bidi_server.secret.parameters import SECRETS
from bidi_server.secret.text import check_origins


class ProxyServer(BaseModel):
    """Where a context's traffic goes through."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    server: str
    """http://, https:// or socks5://HOST:PORT."""
    username: Annotated[str, SECRETS] = ""
    password: Annotated[str, SECRETS] = ""
    bypass: str = ""
    """Hosts reached directly, separated by commas."""

    def to_proxy(self) -> Proxy:
        """Return the proxy in the form of the browser layer. Raises `InvalidParametersError`."""
        server = URL(self.server) if URL.can_parse(self.server) else None
        check_origins(
            [self.username, self.password], str(server.origin) if server is not None else "", "for this proxy"
        )
        return Proxy.parse(self.server, self.username, self.password, self.bypass)
