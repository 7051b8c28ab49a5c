"""What the tests say must not be in an answer could be in it.

``assert "Stopped waiting" not in answer`` would pass for ever once that sentence is reworded. So the words must be in
the product, in the site of the tests, or a second time in the module of the test, which makes a page with them.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]

PUT_TOGETHER = {
    "Chapter 19": "a number in a name",
    '- treeitem "Folder 0" [ref=ef0]: treeitem': "a number in a name",
    "number 4.": "a number in a text",
    "said at info": "a level in a text",
    'But textbox "Name"': "an element in a sentence",
    ": A note": "a value in a row",
    "se cret": "a password that was percent-encoded",
    "unsafe": "a word of a Content Security Policy",
    "Traceback": "Python's word",
    "\x1b": "a control character",
    "\u2028": "a line separator",
    "\u202e": "a control of the direction of text",
}
"""Words that the product, a page or Python puts together, and of what."""


def negated(path: Path) -> Iterator[str]:
    """Yield the words of a module's tests that must not be in something."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        match node:
            case ast.Compare(left=ast.Constant(value=str(words)), ops=[ast.NotIn()]):
                yield words
            case _:
                pass


def test_what_must_not_be_said_could_be_said() -> None:
    files = [path for folder in ("bidi_server", "drivers", "fixtures") for path in (ROOT / folder).rglob("*.*")]
    said = "\n".join(path.read_text("utf-8") for path in files if path.suffix in {".py", ".js", ".html"})
    found: set[str] = set()
    lost: list[tuple[str, str]] = []
    for path in sorted((ROOT / "tests").rglob("*.py")):
        own = path.read_text("utf-8")
        for words in negated(path):
            found.add(words)
            if words not in said and own.count(words) < 2 and words not in PUT_TOGETHER:
                lost.append((path.name, words))
    assert len(found) > 100
    assert lost == []
    assert set(PUT_TOGETHER) <= found
