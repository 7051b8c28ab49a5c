"""The server and what the official conformance suite asks for: ``python -m tests.support.conformance_server``.

The suite calls tools, reads resources and gets prompts under names of its own. None of these needs a browser. This
module adds them to the server's tables; the server's code runs the tools, reads the resources and fills in the prompts.
https://github.com/modelcontextprotocol/conformance
"""

import base64
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import trio

from bidi_server import picks
from bidi_server.__main__ import main
from bidi_server.browser.sessions.client import Client
from bidi_server.errors import ToolError
from bidi_server.resources import files_of
from bidi_server.subscriptions import WATCHED
from bidi_server.tools.base import ClientTool, tools_of
from bidi_server.tools.outcome import Outcome, Picture
from bidi_server.tools.prompts import PROMPTS, Prompt
from bidi_server.tools.resources import CONSOLE, LIVE, TEMPLATES, Live, Template

PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=="
)
"""A PNG of one red pixel."""


class TestSimpleText(ClientTool):
    """Answer with a text."""

    async def run(self, client: Client, out: Outcome) -> None:
        out.say("This is a simple text response for testing.")


class TestImageContent(ClientTool):
    """Answer with a picture."""

    async def run(self, client: Client, out: Outcome) -> None:
        out.pictures.append(Picture(PIXEL, "image/png"))


class TestErrorHandling(ClientTool):
    """Fail."""

    async def run(self, client: Client, out: Outcome) -> None:
        raise ToolError("This tool intentionally returns an error for testing.")


class TestToolWithProgress(ClientTool):
    """Report progress."""

    async def run(self, client: Client, out: Outcome) -> None:
        for done in (0, 50, 100):
            await out.progress(done, 100, f"{done} of 100 done")
            await trio.lowlevel.checkpoint()
        out.say("Done.")


class TestTemplate(ClientTool):
    """Answer with an id. A template of resources reads it."""

    id: str

    async def run(self, client: Client, out: Outcome) -> None:
        out.say(f"This is the data of {self.id}.")


TOOLS = (TestSimpleText, TestImageContent, TestErrorHandling, TestToolWithProgress, TestTemplate)

BINARY = "test://static-binary"


def add_to_server(folder: Path) -> None:
    """Add what the suite asks for to the server of this process; ``folder`` is for a file."""
    tools_of("bidi_server.tools.browser").update({tool.tool_name(): tool for tool in TOOLS})
    LIVE["test://static-text"] = Live("Text", "A text.", "test_simple_text", {})
    TEMPLATES.append(Template("Data", "test://template/{id}/data", "Data by its id.", "test_template"))
    WATCHED["test://watched-resource"] = WATCHED[CONSOLE]
    PROMPTS["test_simple_prompt"] = Prompt("Simple", "A prompt.", {}, "This is a simple prompt for testing.")
    PROMPTS["test_prompt_with_arguments"] = Prompt(
        "With arguments",
        "A prompt with two arguments.",
        {"arg1": "First.", "arg2": "Second."},
        "Prompt with arguments: arg1='{arg1}', arg2='{arg2}'",
    )
    file = folder / "pixel.png"
    file.write_bytes(PIXEL)

    def with_binary(client: Client) -> dict[str, Path]:
        return {**files_of(client), BINARY: file}

    picks.files_of = with_binary  # files belong to sessions, and a client of the suite has none


if __name__ == "__main__":
    with TemporaryDirectory() as folder:
        add_to_server(Path(folder))
        sys.exit(main())
