"""A server of the bare MCP SDK without tools: the lower bound of our start time and memory."""

import anyio
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server


async def main() -> None:
    """Serve on stdio."""
    server = Server("bare")
    async with stdio_server() as (requests, answers):
        await server.run(requests, answers, server.create_initialization_options())


if __name__ == "__main__":
    anyio.run(main, backend="trio")
