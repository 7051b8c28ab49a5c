"""The parameter that selects a proxy."""

from pydantic import BaseModel, ConfigDict

from bidi_server.browser.network.proxy import Proxy


class ProxyServer(BaseModel):
    """Where a context's traffic goes through."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    server: str
    """http://, https:// or socks5://HOST:PORT."""
    username: str = ""
    password: str = ""
    bypass: str = ""
    """Hosts reached directly, separated by commas."""

    def to_proxy(self) -> Proxy:
        """Return the proxy in the form of the browser layer. Raises `InvalidParametersError`."""
        return Proxy.parse(self.server, self.username, self.password, self.bypass)
