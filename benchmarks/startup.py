"""How long a server process takes from its start to the answer to ``initialize``, ours and the bare MCP SDK's."""

import statistics
import subprocess
import sys
import time

BARE = """
import anyio
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

async def main():
    server = Server("bare")
    async with stdio_server() as (requests, answers):
        await server.run(requests, answers, server.create_initialization_options())

anyio.run(main, backend="trio")
"""
"""A server that can do nothing."""

REQUEST = (
    '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18",'
    '"capabilities":{},"clientInfo":{"name":"benchmark","version":"1"}}}\n'
)


def seconds(*command: str) -> float:
    """Return how long this server takes to answer."""
    start = time.perf_counter()
    with subprocess.Popen([sys.executable, *command], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(REQUEST.encode())
        process.stdin.flush()
        process.stdout.readline()
        taken = time.perf_counter() - start
        process.stdin.close()
    return taken


def start_up(rounds: int) -> str:
    """Return a sentence with both medians, measured in turns, and their ratio."""
    ours: list[float] = []
    bare: list[float] = []
    for _ in range(rounds):
        ours.append(seconds("-m", "bidi_server"))
        bare.append(seconds("-c", BARE))
    mine, floor = statistics.median(ours) * 1000, statistics.median(bare) * 1000
    return (
        f"Start of the process to the answer to `initialize`: {mine:.0f} ms, of a server of the bare MCP SDK: "
        f"{floor:.0f} ms, ratio {mine / floor:.2f}"
    )
