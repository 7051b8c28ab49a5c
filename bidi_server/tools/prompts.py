"""Prompts: tasks that a person picks in a client, with the arguments that they fill in.

https://modelcontextprotocol.io/specification/2025-11-25/server/prompts
"""

from collections.abc import Mapping
from dataclasses import dataclass

URL = "url"
"""Name of the argument that is the address of a page."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """A task, as text with the names of its arguments in braces."""

    title: str
    description: str
    arguments: Mapping[str, str]
    """Names and descriptions. All are required."""
    text: str


PROMPTS = {
    "explore": Prompt(
        "Explore a site",
        "Find out what a site offers and what is wrong with it.",
        {URL: "Page to begin with."},
        """\
Explore {url} with the browser tools.
1. Open it with browser_navigate. Follow its main links and controls, at most 15 pages. Stay on the site.
2. Note for each page its purpose, what one can do there, and what looks wrong: an action without effect, a control \
without a name, an error in browser_console_messages, a failed request in browser_network_requests.
3. Don't send forms that buy, delete, publish or contact anybody.
Answer with a map of the site, then the problems, the worst first, each with the steps that lead to it.""",
    ),
    "debug": Prompt(
        "Debug a page",
        "Find the cause of a problem on a page.",
        {URL: "Page with the problem.", "problem": "What happens, and what should happen."},
        """\
There is a problem at {url}: {problem}
1. Call browser_enable with {{"caps": ["dev"]}}, then open the page and reproduce the problem.
2. Look for the cause: browser_recent_console_logs, browser_recent_network_requests and browser_network_request for a \
request's details, browser_evaluate for the state of the page.
3. Test your explanation: predict what another action will do, then do it.
Answer with the cause, the evidence for it, and a change that mends it. Say so if you are not sure.""",
    ),
    "write-test": Prompt(
        "Write a test",
        "Do something in the browser, and turn it into a test for pytest and selenium.",
        {URL: "Page to begin with.", "flow": "What the test does, and what must be true at the end."},
        """\
Write a test for this, beginning at {url}: {flow}
1. Do it once with the browser tools, and check with browser_snapshot that the end is as it must be.
2. Write it with pytest and selenium: elements by role, label or text rather than by position or class, explicit waits \
instead of sleeps, one assertion for each thing that must be true.
3. Run it if you can. Then break what it tests, for example by another expected text, and see it fail.
Answer with the file, and what you saw when you ran it.""",
    ),
}


def filled(prompt: Prompt, arguments: Mapping[str, str]) -> str:
    """Return the text of a prompt. Raises KeyError for an argument that is missing."""
    return prompt.text.format_map({name: arguments[name] for name in prompt.arguments})
