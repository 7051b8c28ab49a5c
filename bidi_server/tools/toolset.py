"""A toolset as a value: how it names its tools, finds sessions, and words answers and errors."""

import re
from collections.abc import Mapping

from bidi_server.advice import Operation
from bidi_server.browser.sessions.client import Client
from bidi_server.browser.sessions.session import Session
from bidi_server.errors import ToolError
from bidi_server.escapes import one_line
from bidi_server.tools.outcome import Outcome, Reply
from bidi_server.tools.page_text import ours, written
from bidi_server.tools.report import report


class Toolset:
    """The toolset ``browser``. Other toolsets override what they do in another way."""

    names: Mapping[Operation, str] = {operation: f"browser_{operation.value}" for operation in Operation}
    """Names of the tools that operations advise."""
    scope = "browser"
    """The scope of OAuth for its tools: its name in ``--toolset``."""
    shows_defaults = False
    """Whether tools/list contains defaults that are off or empty."""
    shows_page = True
    """Whether the answer to an action shows the new state of the page."""
    takes_tab = True
    """Whether each tool in a session takes the tab to select before."""

    def tool_name(self, class_name: str) -> str:
        """Return the name that clients call: ``BrowserClick`` is ``browser_click``."""
        return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", class_name).lower()

    def find_session(self, client: Client, name: str | None) -> Session:
        """Return the session that a call is for. Raises `SessionNotFoundError`."""
        return client.session(name)

    def output_schema(self, _tool: type[object]) -> dict[str, object] | None:
        """Return the JSON schema of the data in a tool's answer, or None if there is none."""
        return None

    def reply(self, out: Outcome) -> Reply:
        """Return the answer to a call that raised no error."""
        said = report(out, self.names)
        text = written([*ours(out.notices), *said.lines, *said.page], out.fence)
        return Reply(text, page=written(said.page), failed=bool(out.failure), view=said.view)

    def refusal(self, error: ToolError, out: Outcome) -> Reply:
        """Return the answer to a call that raised an error."""
        return Reply("\n".join(map(one_line, [*out.notices, error.spelled(self.names)])), failed=True)


BROWSER = Toolset()
