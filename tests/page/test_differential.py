"""Our role and name of every element of the fixture pages, against the browser's own computed role and label.

https://www.w3.org/TR/webdriver2/#get-computed-role, https://www.w3.org/TR/webdriver2/#get-computed-label
"""

import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import NamedTuple, cast
from urllib.parse import urlsplit

import trio
from selenium.webdriver.remote.command import Command
from selenium.webdriver.remote.remote_connection import RemoteConnection

from bidi_server.bidi import browsing_context, script
from bidi_server.bidi.connection import Connection
from bidi_server.page import bundle, page_script
from drivers import BrowserName, Launched, LaunchOptions, launch
from drivers.webdriver import connect, execute
from fixtures.site import open_site
from tests.drivers.geckodriver import geckodriver_in
from tests.page.differences import DIFFERENCES, GENERIC, SYNONYMS, UNREADABLE

PAGES = sorted(f"/{page.stem}" for page in (Path(__file__).parents[2] / "fixtures" / "pages").glob("*.html"))
SANDBOX = "differential"
SECRET = "differential secret"
DEADLINE = 60.0

# Elements with a box, those in open shadow roots among them, and what is listed for each.
ELEMENTS = """(selectors) => {
    const elements = [];
    const visit = (root) => {
        for (const element of root.querySelectorAll('*')) {
            if (element.checkVisibility({visibilityProperty: true})) elements.push(element);
            if (element.shadowRoot) visit(element.shadowRoot);
        }
    };
    visit(document);
    const told = elements.map((element) => {
        const {tag, role, name} = JSON.parse(__bidi.describe(element));
        const listed = selectors.flatMap((selector, index) => (element.matches(selector) ? [index] : []));
        return {html: element.cloneNode(false).outerHTML.slice(0, 120), tag, role, name, listed};
    });
    return [JSON.stringify(told), ...elements];
}"""


class Element(NamedTuple):
    html: str
    role: str
    name: str
    listed: list[int]


class Driven:
    """A browser with both protocols: BiDi for ours, classic WebDriver for the browser's own."""

    def __init__(self, launched: Launched, bidi: Connection, classic: RemoteConnection) -> None:
        self.bidi = bidi
        self.context = ""
        self._classic = classic
        self._session = str(launched.capabilities["sessionId"])

    async def elements(self, url: str) -> tuple[list[Element], list[str]]:
        """Return what we say of each element, and the elements' references."""
        await self.bidi.send(browsing_context.Navigate(context=self.context, url=url, wait="complete"))
        call = script.CallFunction(
            function_declaration=ELEMENTS,
            await_promise=False,
            target=script.ContextTarget(context=self.context, sandbox=SANDBOX),
            arguments=[
                {"type": "array", "value": [{"type": "string", "value": each.selector} for each in DIFFERENCES]}
            ],
            serialization_options=script.SerializationOptions(max_dom_depth=0),
        )
        answer = await self.bidi.send(call)
        assert answer.result is not None, answer.exception_details
        told, *nodes = cast("list[dict[str, str]]", answer.result.value)
        ours = [Element(each["html"], each["role"], each["name"], each["listed"]) for each in json.loads(told["value"])]
        return ours, [node["sharedId"] for node in nodes]

    async def computed(self, references: list[str]) -> list[tuple[str, str]]:
        """Return the browser's own role and label of each element; they are the same nodes in both protocols."""
        return await trio.to_thread.run_sync(lambda: [self._computed(each) for each in references])

    def _computed(self, reference: str) -> tuple[str, str]:
        parameters = {"sessionId": self._session, "id": reference}
        role = execute(self._classic, Command.GET_ELEMENT_ARIA_ROLE, dict(parameters))["value"]
        label = execute(self._classic, Command.GET_ELEMENT_ARIA_LABEL, dict(parameters))["value"]
        assert isinstance(role, str)
        assert isinstance(label, str)
        return role, label


@asynccontextmanager
async def open_driven(name: BrowserName, folder: Path) -> AsyncGenerator[Driven]:
    options = (
        LaunchOptions("firefox", driver=geckodriver_in(folder)) if name == "firefox" else LaunchOptions("chromium")
    )
    launched = await launch(options)
    try:
        port = urlsplit(launched.web_socket_url).port
        if name == "firefox":
            # geckodriver passes BiDi on to a port of Firefox, and keeps one of its own for the classic commands.
            port = int(launched.log_tail().partition("Listening on 127.0.0.1:")[2].split()[0])
        assert port is not None
        classic = connect(f"http://127.0.0.1:{port}", DEADLINE)
        bidi = Connection()
        driven = Driven(launched, bidi, classic)
        async with trio.open_nursery() as nursery:
            await nursery.start(bidi.run, launched.web_socket_url)
            walker = f"() => {{ ({bundle()})?.askBy('{SECRET}'); }}"
            await bidi.send(script.AddPreloadScript(function_declaration=walker, sandbox=SANDBOX))
            # What custom elements set on their ElementInternals.
            listener = f"() => {{ ({page_script('listen')})('{SECRET}'); }}"
            await bidi.send(script.AddPreloadScript(function_declaration=listener))
            tree = await bidi.send(browsing_context.GetTree(max_depth=0))
            driven.context = tree.contexts[0].context
            yield driven
            bidi.close()
        classic.close()
    finally:
        await launched.aclose()


def compare(name: str, page: str, ours: list[Element], theirs: list[tuple[str, str]], seen: set[int]) -> list[str]:
    """Return a line for each difference that is not listed; add the numbers of those that are to `seen`."""
    unlisted: list[str] = []
    for element, (word, label) in zip(ours, theirs, strict=True):
        role = SYNONYMS.get(word, word)
        mine = element.name if element.role != GENERIC else ""
        same = {
            "role": element.role == role,
            "name": mine == " ".join(label.split()) or element.role == role == GENERIC,
        }
        for what, agrees in same.items():
            if agrees:
                continue
            reasons = [n for n in element.listed if what in DIFFERENCES[n].what and name in DIFFERENCES[n].browsers]
            seen.update(reasons)
            if not reasons:
                unlisted.append(
                    f"{page} {what}: {element.html} is {element.role} {mine!r} to us, {role} {label!r} to {name}"
                )
    return unlisted


async def test_every_element_is_what_the_browser_computes(browser_name: BrowserName, tmp_path: Path) -> None:
    unlisted: list[str] = []
    seen: set[int] = set()
    async with open_site() as site, open_driven(browser_name, tmp_path) as driven:
        for page in PAGES:
            if page in UNREADABLE:
                continue
            with trio.fail_after(DEADLINE):
                ours, references = await driven.elements(site.url_for(page))
                theirs = await driven.computed(references)
            unlisted += compare(browser_name, page, ours, theirs, seen)
    assert not unlisted, "\n".join(unlisted)
    listed = {n for n, each in enumerate(DIFFERENCES) if browser_name in each.browsers}
    assert [DIFFERENCES[n] for n in listed - seen] == [], "listed, but there is no such difference any more"
