"""The sockets of other processes."""

import os
import socket
import subprocess
import sys

import pytest

from drivers.sockets import send_at_once

CHILD = """
import socket, sys
connected = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
other = socket.socket(socket.AF_UNIX)
print("connected", flush=True)
sys.stdin.readline()
print(connected.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY), flush=True)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="Linux lets a process change the sockets of its children")
def test_a_connection_of_a_child_sends_at_once() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        given = [sys.executable, "-c", CHILD, str(port)]
        with subprocess.Popen(given, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as child:
            assert child.stdin is not None
            assert child.stdout is not None
            child.stdout.readline()
            assert send_at_once(child.pid, port + 1) == 0
            assert send_at_once(child.pid, port) == 1
            child.stdin.write("\n")
            child.stdin.flush()
            assert int(child.stdout.readline()) != 0


def test_a_process_that_is_gone_has_no_connections() -> None:
    child = subprocess.Popen([sys.executable, "-c", ""])
    child.wait()
    assert send_at_once(child.pid, 1) == 0
    assert send_at_once(os.getpid(), 1) == 0
