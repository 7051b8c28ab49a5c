import socket
import sys

import pytest

from drivers.ports import reserved_port


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere a port can only be looked for")
def test_a_reserved_port_can_be_listened_to() -> None:
    with reserved_port() as port, socket.create_server(("127.0.0.1", port)), socket.socket() as caller:
        caller.connect(("127.0.0.1", port))


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere a port can only be looked for")
def test_a_reserved_port_goes_to_nobody_that_has_not_asked_for_it() -> None:
    with reserved_port() as port, socket.socket() as other, pytest.raises(OSError, match="in use"):
        other.bind(("127.0.0.1", port))
