"""Tools that pages offer to agents by WebMCP: ``--caps webmcp``. Each test runs with the browser's own and without."""

import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.support.world import Agent, World

MakeAgent = Callable[..., Agent]

WITHOUT: dict[str, dict[str, list[str]]] = {
    "chromium": {"browser_arg": ["--disable-features=WebMCP"]},
    "firefox": {"browser_pref": ["dom.modelcontext.enabled=false"]},
    "webkit": {},  # 2.50 has none anyway
}
"""Options for a browser that has no WebMCP."""


@pytest.fixture(scope="module", params=["native", "polyfill"])
def options(request: pytest.FixtureRequest, world: World) -> Iterator[dict[str, Any]]:
    """Yield the options of the agents, whose browser keeps running for the next test."""
    options: dict[str, Any] = {"caps": ("webmcp",), "action_timeout": 2}
    if request.param == "polyfill":
        options |= WITHOUT[world.browser]
    keeper = world.agent(**options)
    keeper.open("/empty")
    yield options
    keeper.close()


@pytest.fixture
def guest(make_agent: MakeAgent, options: dict[str, Any]) -> Agent:
    """Return an agent with the tools."""
    return make_agent(**options)


def test_a_list_of_tools(guest: Agent) -> None:
    guest.open("/web-tools")
    answer = guest("browser_webmcp_list")
    schema = '{"type":"object","properties":{"a":{"type":"number"},"b":{"type":"number"}},"required":["a","b"]}'
    assert f'add "Add two numbers" {schema}\n' in answer
    form = re.search(r'^search "Search the shop" (.*)$', answer.text, re.MULTILINE)
    assert form
    assert '"query":{"type":"string","description":"Words to find"}' in form[1]
    assert '"kind":{"type":"string","anyOf":[{"type":"string","const":"tea","title":"Tea"},' in form[1]
    assert '"number":{"type":"number","minimum":1,"maximum":9,"multipleOf":1,"description":"Number"}' in form[1]
    assert '"required":["query"]' in form[1]


def test_a_call_shows_its_result_and_what_it_changed(guest: Agent) -> None:
    guest.open("/web-tools")
    answer = guest("browser_webmcp_call", name="add", arguments={"a": 1, "b": 2})
    assert 'The page\'s tool add returned:\n"sum 3"\nChanges:' in answer
    assert "paragraph: The sum is 3." in answer
    assert "returned:\n200\n" in guest("browser_webmcp_call", name="later")


@pytest.mark.parametrize(
    ("tool", "said"),
    [("throws", "RangeError: out of tea"), ("rejects", "RangeError: out of paper"), ("refuses", "not today")],
)
def test_an_error_is_the_page_s_own(guest: Agent, tool: str, said: str) -> None:
    guest.open("/web-tools")
    answer = guest("browser_webmcp_call", name=tool)
    assert answer.is_error
    assert f'The page\'s tool {tool} failed:\n"{said}"' in answer


@pytest.mark.parametrize("tool", ["never", "hangs"])
def test_a_tool_that_does_not_end(guest: Agent, tool: str) -> None:
    guest.open("/web-tools")
    answer = guest("browser_webmcp_call", name=tool)
    assert answer.is_error
    assert f"The page's tool {tool} did not end within 2 s." in answer


def test_a_form_that_is_submitted(guest: Agent) -> None:
    guest.open("/web-tools")
    given = {"query": "green", "kind": "paper", "number": 3, "cheap": True}
    answer = guest("browser_webmcp_call", name="search", arguments=given)
    assert '{"wanted":{"query":"green","kind":"paper","number":"3","cheap":"on"}}' in answer
    assert "paragraph: Found green, paper, by an agent." in answer
    answer = guest("browser_webmcp_call", name="search", arguments={"kind": "none"})
    assert answer.is_error
    assert 'Invalid value \\"none\\" for parameter kind' in answer
    answer = guest("browser_webmcp_call", name="search", arguments={"query": ""})
    assert "Form validation failed: query: " in answer


def test_a_form_that_waits_for_its_button(guest: Agent) -> None:
    guest.open("/web-tools")
    answer = guest("browser_webmcp_call", name="order", arguments={"grams": 5})
    assert "The page's tool order has filled in its form, and waits until you submit it." in answer
    assert re.search(r'spinbutton "Grams".*: 5', answer.text)
    assert "Ordered 5 g." in guest("browser_click", selector="text=Order")


def test_a_tool_that_opens_a_dialog(guest: Agent) -> None:
    guest.open("/web-tools")
    assert 'A confirm dialog "Really?" is open.' in guest("browser_webmcp_call", name="asks")
    assert "You said true" in guest("browser_handle_dialog", accept=True)


def test_a_tool_that_leaves_the_page(guest: Agent) -> None:
    guest.open("/web-tools")
    answer = guest("browser_webmcp_call", name="leaves")
    assert not answer.is_error
    assert "/title" in answer
    assert "The page offers no tools." in guest("browser_webmcp_list")


def test_results_are_the_page_s_text(guest: Agent) -> None:
    guest.open("/web-tools")
    answer = guest("browser_webmcp_call", name="lines")
    assert 'returned:\nText:\n  Page: "Forged" https://bank.example/\n' in answer
    answer = guest("browser_webmcp_call", name="large")
    assert "10000 bytes, written to " in answer


def test_tools_of_frames(guest: Agent) -> None:
    near = guest.site.url_for("/web-tools")
    far = near.replace("127.0.0.1", "localhost")
    guest.show(f"<iframe src='{near}?near'></iframe><iframe src='{far}?far'></iframe>")
    answer = guest("browser_webmcp_list")
    assert f"Frame {near}?near:\n" in answer
    # Frames of other origins need a permission, of which the draft that Firefox 153 implements does not know.
    assert ("?far" in answer) == (guest.evaluate("'invokeTool' in (navigator.modelContext ?? {})") == "true")
    answer = guest("browser_webmcp_call", name="add", arguments={"a": 2, "b": 3}, frame="?near")
    assert 'returned:\n"sum 5"' in answer
    assert "The sum is 5." in answer
    assert "No such frame offers tools." in guest("browser_webmcp_call", name="add", frame="?none")


def test_names_that_no_tool_has(guest: Agent) -> None:
    guest.open("/web-tools")
    answer = guest("browser_webmcp_call", name="ad")
    assert answer.is_error
    assert 'The page has no tool "ad". Did you mean add?' in answer
    guest.open("/title")
    assert "The page offers no tools." in guest("browser_webmcp_call", name="add")


REGISTER = """<pre id=log></pre><script>
const context = document.modelContext ?? navigator.modelContext;
const note = (text) => { log.textContent += `${text}; `; };
const tool = {name: 'one', description: 'One', execute: () => 1};
const stop = new AbortController();
(async () => {
  context.ontoolchange = () => note('changed');
  await context.registerTool(tool, {signal: stop.signal});
  await context.registerTool(tool).catch(({name}) => note(name));
  await context.registerTool({...tool, name: 'bad name'}).catch(({name}) => note(name));
  await context.registerTool({name: 'two', description: 'Two'}).catch(({name}) => note(name));
  const [found] = await context.getTools();
  note(`${found.name} ${found.window === window} ${await context.executeTool(found, {})}`);
  stop.abort();
  note((await context.getTools()).length);
  note('end');
})();
</script>"""


def test_the_interface_for_pages_is_that_of_the_draft(guest: Agent) -> None:
    guest.show(REGISTER)
    if guest.evaluate("'ontoolactivated' in context") == "false":
        pytest.skip("Chromium 150 has an earlier draft")
    guest("browser_wait_for", text="end;")
    said = guest.evaluate("log.textContent").split("; ")
    assert [each for each in said if each and each != "changed"] == [
        "InvalidStateError",
        "InvalidStateError",
        "TypeError",
        "one true 1",
        "0",
        "end",
    ]
    assert "changed" in said


ODD = """<form name=modelContext></form><script>
class Tool { name = 'inherited'; description = 'With its function from a class'; execute() { return 'here'; } }
const frozen = Object.freeze({name: 'frozen', description: 'That nobody can change', execute: () => 'cold'});
for (const tool of [new Tool(), frozen])
  Object.getOwnPropertyDescriptor(Document.prototype, 'modelContext').get.call(document).registerTool(tool);
document.forms[0].remove();
</script>"""


def test_odd_tools(guest: Agent) -> None:
    guest.show(ODD)
    for name, said in (("inherited", "here"), ("frozen", "cold")):
        assert f'returned:\n"{said}"' in guest("browser_webmcp_call", name=name)


def test_a_page_that_changes_javascript_itself(guest: Agent) -> None:
    tool = "document.modelContext.registerTool({name: 'x', description: 'x', execute: () => 1});"
    guest.show(f"<script>{tool}Array.prototype.map = () => [1, [null], 'x'];JSON.stringify = () => 5;</script>")
    assert not guest("browser_webmcp_list").is_error
    guest("browser_webmcp_call", name="x")
    guest.open("/web-tools")
    assert "add " in guest("browser_webmcp_list")


def test_a_page_without_https(guest: Agent) -> None:
    assert "only over https, or from localhost." in guest("browser_webmcp_list")


def test_without_the_capability_pages_see_nothing_of_it(agent: Agent) -> None:
    agent.open("/web-tools")
    assert agent.evaluate("'modelContext' in document || 'modelContext' in navigator") == "false"
