"""Text for well-known editors: what they hold is what was given."""

import json

import pytest

from tests import editors
from tests.support.world import Agent

CODE = 'def f(a):\n    if a:\n        return {1: "x"}\n\nprint(f([1]))'
LINE = ' f"{x}" (b[1]'

PAGES = [*editors.EDITORS, "monaco?textarea"]
CODE_EDITORS = {"ace", "codemirror5", "codemirror6", "monaco"}
FIELDS = {
    "codemirror5": ".CodeMirror textarea",
    "monaco": ".native-edit-context, textarea.inputarea",
    "ace": "textarea.ace_text-input",
    "tinymce": "body#tinymce",
}


@pytest.fixture
def editor(request: pytest.FixtureRequest, agent: Agent) -> tuple[str, str]:
    """Open the page of an editor; its name and the selector of its field."""
    name, _, query = str(request.param).partition("?")
    bundles = editors.bundled(request.config)
    path = agent.run(lambda: editors.serve(agent.site, bundles, name))
    agent.open(f"{path}?{query}")
    agent.evaluate("async () => { while (!window.held) await new Promise((done) => setTimeout(done, 10)); }")
    return name, FIELDS.get(name, "[contenteditable=true]")


def _held(agent: Agent, *, whole: bool) -> str:
    held = str(json.loads(agent.evaluate("JSON.stringify(held())")))
    # Rich text has paragraphs for lines, and keeps runs of spaces in its own ways.
    return held if whole else "\n".join(" ".join(line.split()) for line in held.splitlines() if line.strip())


@pytest.mark.parametrize("editor", PAGES, indirect=True)
def test_an_editor_holds_what_was_typed(agent: Agent, editor: tuple[str, str]) -> None:
    name, field = editor
    whole = name in CODE_EDITORS

    def lines(text: str) -> str:
        return text if whole else "\n".join(" ".join(line.split()) for line in text.splitlines() if line.strip())

    answer = agent("browser_type", selector=field, text=LINE)
    assert "But " not in answer
    assert _held(agent, whole=whole) == lines(f"first\nlast{LINE}")
    answer = agent("browser_type", selector=field, text=CODE, clear=True)
    assert "But " not in answer
    assert _held(agent, whole=whole) == lines(CODE)
    answer = agent("browser_fill_form", fields=[{"selector": field, "value": LINE.strip()}])
    assert "But " not in answer
    assert _held(agent, whole=whole) == LINE.strip()


@pytest.mark.parametrize("editor", ["draft", "slate"], indirect=True)
def test_an_editor_gets_all_keys_that_are_typed_slowly(agent: Agent, editor: tuple[str, str]) -> None:
    _, field = editor
    agent("browser_type", selector=field, text=" and so on", slowly=True)
    assert _held(agent, whole=True) == "first\nlast and so on"


@pytest.mark.parametrize("editor", ["tiptap"], indirect=True)
def test_an_editor_that_formats_what_is_pasted_is_told_of(agent: Agent, editor: tuple[str, str]) -> None:
    _, field = editor
    answer = agent("browser_type", selector=field, text="a **bold** word", clear=True)
    assert 'it holds "a bold word" now.' in answer
