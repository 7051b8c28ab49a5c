"""Hosts of this machine and of private networks, spelled in every way that a URL allows."""

SPELLINGS = (
    *("127.0.0.1", "localhost", "LOCALHOST", "localhost.", "a.localhost", "127.1", "127.0.1", "2130706433", "0x7f.1"),
    *("0177.0.0.1", "0x7f000001", "017700000001", "127.0.0.2", "127.255.255.254", "0.0.0.0", "0", "[::1]", "[::]"),  # noqa: S104 - not to listen on
    *(
        "[0:0:0:0:0:0:0:1]",
        "[::ffff:127.0.0.1]",
        "[::ffff:7f00:1]",
        "[::7f00:1]",
        "[64:ff9b::7f00:1]",
        "[2002:7f00:1::]",
    ),
    *("①②⑦.⓪.⓪.①", "127。0。0。1", "%31%32%37.0.0.1", "someone@127.0.0.1", "example.com:80@127.0.0.1", "10.0.0.1"),
    *("172.16.0.1", "172.31.255.255", "192.168.0.1", "169.254.169.254", "[fd00:ec2::254]", "100.64.0.1", "198.18.0.1"),
    *("192.0.2.1", "224.0.0.1", "255.255.255.255", "240.0.0.1", "[fc00::1]", "[fe80::1]", "[ff02::1]", "[2001:db8::1]"),
    *("[::ffff:10.0.0.1]", "[64:ff9b::a9fe:a9fe]", "[2002:0a00:0001::]", "router.test", "mapped.test", "half.test"),
    "turning.test",
)
"""Hosts of this machine, of private networks, of metadata services, and of no one."""

NAMES: dict[str, list[list[str]]] = {
    "router.test": [["192.168.0.1"]],
    "mapped.test": [["::ffff:127.0.0.1"]],
    "half.test": [["127.0.0.1", "10.0.0.1"]],
    "turning.test": [["10.0.0.1"], ["127.0.0.1"]],
    "nobody.test": [[]],
}
"""Addresses of names. Each look-up takes the next list; the last list is used again."""
