"""A server of the bare MCP SDK, which can do nothing: what ours can't be faster or smaller than."""

import anyio
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server


async def main() -> None:
    """Serve on pipes."""
    server = Server("bare")
    async with stdio_server() as (requests, answers):
        await server.run(requests, answers, server.create_initialization_options())


if __name__ == "__main__":
    anyio.run(main, backend="trio")
