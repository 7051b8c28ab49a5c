"""Ranges of IP addresses, as patterns of URLs name them."""

from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

NAMED: dict[str, tuple[str, ...]] = {
    "loopback": ("127.0.0.0/8", "::1/128"),
    "private": ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7"),
    "link-local": ("169.254.0.0/16", "fe80::/10"),
}
"""Ranges that have a name. ``local`` is another one: every address that is not of the public internet."""

_NAT64 = IPv6Network("64:ff9b::/96")
_IPV4_COMPATIBLE = IPv6Network("::/96")


def address_of(host: str) -> Address | None:
    """Return the address that the host of a parsed URL is; None for a name that has to be looked up.

    IPv4 addresses within IPv6 ones count as IPv4: mapped, compatible, NAT64 (RFC 6052) and 6to4 ones. ``localhost`` and
    the names below it are loopback addresses without a lookup: RFC 6761, section 6.3.
    """
    if host == "localhost" or host.endswith(".localhost"):
        return IPv4Address("127.0.0.1")
    try:
        address = ip_address(host.strip("[]"))
    except ValueError:
        return None
    return _embedded(address) or address if isinstance(address, IPv6Address) else address


def _embedded(address: IPv6Address) -> IPv4Address | None:
    if address.ipv4_mapped or address.sixtofour:
        return address.ipv4_mapped or address.sixtofour
    is_compatible = address in _IPV4_COMPATIBLE and int(address) > 1  # the first two are :: and ::1
    return IPv4Address(int(address) & 0xFFFFFFFF) if is_compatible or address in _NAT64 else None


def looked_up(host: str) -> str:
    """Return the name or the address to look up for the host of a parsed URL.

    Names below ``localhost`` are not looked up: RFC 6761, section 6.3.
    """
    name = host.strip("[]").rstrip(".")
    return "localhost" if name.endswith(".localhost") else name


def own_addresses() -> frozenset[Address]:
    """Return the addresses of this machine."""
    import psutil  # few servers need it

    found = [each.address for interface in psutil.net_if_addrs().values() for each in interface]
    return frozenset(address for each in found if (address := address_of(each.partition("%")[0])) is not None)


@dataclass(frozen=True, slots=True)
class AddressRange:
    """A range of addresses: those of its ``networks``, or without networks all that are not public."""

    networks: tuple[Network, ...] | None

    @classmethod
    def parse(cls, text: str) -> "AddressRange":
        """Parse an address, a range such as ``10.0.0.0/8``, or a name. Raises ValueError, which lists the names."""
        if text == "local":
            return cls(None)
        try:
            return cls(tuple(map(ip_network, NAMED.get(text, (text,)))))
        except ValueError:
            raise ValueError(f"ip: with {', '.join(NAMED)}, local, or a range such as ip:10.0.0.0/8") from None

    def contains(self, host: str) -> bool:
        """Whether the host of a parsed URL is an address of this range. A name that has to be looked up is not."""
        address = address_of(host)
        return address is not None and self.holds(address)

    def holds(self, address: Address) -> bool:
        """Whether an address is in this range. It must be the innermost: IPv4 if an IPv6 address contains one."""
        if self.networks is None:
            return not address.is_global or address.is_multicast
        return any(address in network for network in self.networks)
