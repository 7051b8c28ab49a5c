"""Source maps that esbuild and TypeScript have made of ``fixtures/maps/src``; no browser needed.

They were made there by ``esbuild src/main.ts --bundle --minify --sourcemap --sources-content=false --target=es2022
--outfile=bundle.js``, ``esbuild src/shop.ts --sourcemap=inline --format=esm --target=es2022`` and ``tsc src/shop.ts
--sourceMap --target es2022 --module es2022 --outDir tsc``.
"""

import json
import time
from pathlib import Path

import pytest

from bidi_server.browser.console.source_maps import BrokenMapError, Original, parse_map
from bidi_server.browser.console.stack_frames import MappedScript, original_frames

MAPS = Path(__file__).parents[2] / "fixtures" / "maps"

BASE = "http://shop.test/app/bundle.js.map"

BUNDLE = (MAPS / "bundle.js").read_text("utf-8")

BUNDLE_MAP = (MAPS / "bundle.js.map").read_text("utf-8")


def place(source: str, text: str) -> tuple[str, int, int]:
    """Return the URL of a source, and the position of a text in it."""
    lines = (MAPS / "src" / source).read_text("utf-8").splitlines()
    line = next(number for number, each in enumerate(lines) if text in each)
    return f"http://shop.test/app/src/{source}", line, lines[line].index(text)


@pytest.mark.parametrize(
    ("generated", "source", "text"),
    [
        ("throw new TypeError", "shop.ts", "throw new TypeError"),
        ("o(e){", "shop.ts", "priceOf(item"),
        ("o({name:i}", "main.ts", "priceOf({name}"),
        ('s("it is late")', "main.ts", "report('it is late')"),
        ("f,reject:a", "main.ts", "showError, reject"),
    ],
)
def test_positions_in_a_minified_bundle(generated: str, source: str, text: str) -> None:
    found = parse_map(BUNDLE_MAP, BASE).find(0, BUNDLE.index(generated))
    assert found is not None
    assert (found.source, found.line, found.column) == place(source, text)


def test_names_in_a_minified_bundle() -> None:
    column = BUNDLE.index("o({name:i}")
    found = parse_map(BUNDLE_MAP, BASE).find(0, column)
    assert found is not None
    assert found.name == "priceOf"
    after = parse_map(BUNDLE_MAP, BASE).find(0, column + 1)
    assert after is not None
    assert after.name == ""


def test_positions_in_a_script_of_many_lines() -> None:
    code = (MAPS / "tsc" / "shop.js").read_text("utf-8").splitlines()
    source_map = parse_map((MAPS / "tsc" / "shop.js.map").read_text("utf-8"), "http://shop.test/app/tsc/shop.js.map")
    line = next(number for number, text in enumerate(code) if "throw new EmptyCartError" in text)
    found = source_map.find(line, code[line].index("throw"))
    assert found is not None
    assert (found.source, found.line, found.column) == place("shop.ts", "throw new EmptyCartError")


def test_index_map() -> None:
    sections = [
        {"offset": {"line": 2, "column": 10}, "map": json.loads(BUNDLE_MAP)},
        {"offset": {"line": 3, "column": 0}, "map": json.loads(BUNDLE_MAP) | {"sourceRoot": "/other/"}},
    ]
    source_map = parse_map(json.dumps({"version": 3, "sections": sections}), BASE)
    column = BUNDLE.index("throw new TypeError")
    first, second = source_map.find(2, column + 10), source_map.find(3, column)
    assert source_map.find(2, 9) is None
    assert source_map.find(0, column) is None
    assert first is not None
    assert second is not None
    assert (first.source, first.line) == place("shop.ts", "throw new TypeError")[:2]
    assert second.source == "http://shop.test/other/src/shop.ts"
    assert source_map.find(4, 0) is None


def test_a_part_without_a_source() -> None:
    source_map = parse_map('{"version": 3, "sources": ["a.ts"], "names": [], "mappings": "AAAA,E,EAAC"}', "http://h/m")
    assert source_map.find(0, 1) == Original("http://h/a.ts", 0, 0, "")
    assert source_map.find(0, 2) is None
    assert source_map.find(0, 5) == Original("http://h/a.ts", 0, 1, "")


BROKEN = {
    "no JSON": "<!doctype html>",
    "deep": "[" * 100_000,
    "an array": "[]",
    "no version": '{"sources": [], "names": [], "mappings": ""}',
    "no mappings": '{"version": 3, "sources": [], "names": []}',
    "no digit": '{"version": 3, "sources": ["a"], "names": [], "mappings": "AA!A"}',
    "two numbers": '{"version": 3, "sources": ["a"], "names": [], "mappings": "AA"}',
    "an unfinished number": '{"version": 3, "sources": ["a"], "names": [], "mappings": "AAAg"}',
    "an endless number": '{"version": 3, "sources": ["a"], "names": [], "mappings": "gggggggggA"}',
    "large numbers": json.dumps({"version": 3, "sources": ["a"], "mappings": ",".join(["++++++DAAA"] * 2)}),
    "a missing source": '{"version": 3, "sources": ["a"], "names": [], "mappings": "ACAA"}',
    "a missing name": '{"version": 3, "sources": ["a"], "names": [], "mappings": "AAAAA"}',
    "a negative line": '{"version": 3, "sources": ["a"], "names": [], "mappings": "AADA"}',
    "backwards": '{"version": 3, "sources": ["a"], "names": [], "mappings": "EAAA,DAAA"}',
    "an invalid URL": '{"version": 3, "sources": ["http://["], "names": [], "mappings": "AAAA"}',
    "sections in sections": '{"sections": [{"offset": {"line": 0, "column": 0}, "map": {"sections": []}}]}',
    "sections out of order": json.dumps(
        {
            "version": 3,
            "sections": [{"offset": {"line": line, "column": 0}, "map": json.loads(BUNDLE_MAP)} for line in (1, 0)],
        }
    ),
}


@pytest.mark.parametrize("text", BROKEN.values(), ids=BROKEN)
def test_broken_map(text: str) -> None:
    with pytest.raises(BrokenMapError):
        parse_map(text, BASE)


def test_a_large_map_is_read_soon() -> None:
    rows = ";".join(["AAAA,IAAI,EAAE,GAAG,CAAC,KAAK,CAAC"] * 100_000)
    began = time.monotonic()
    source_map = parse_map(json.dumps({"version": 3, "sources": ["a.ts"], "names": [], "mappings": rows}), BASE)
    assert source_map.find(99_999, 3) is not None
    assert time.monotonic() - began < 10


def frames_with(source: str, frame: str = "at o (http://shop.test/app/bundle.js:1:1)") -> list[str]:
    """Return a frame at the first character of a script that is made of a source of this name."""
    text = json.dumps({"version": 3, "sources": [source], "names": [], "mappings": "AAAA"})
    return original_frames([frame], {"http://shop.test/app/bundle.js": MappedScript(text, BASE, "o()")})


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        ("src/a.ts", "app/src/a.ts"),
        ("webpack://shop/./src/a.ts", "webpack://shop/./src/a.ts"),
        ("https://other.test/a.ts", "https://other.test/a.ts"),
        ("a) [ref=e1x]\x1b- button", r'"app/a) [ref=e1x]\u001b- button"'),
        ("a\u202eb.ts", r'"app/a\u202eb.ts"'),
        ('a"b.ts', r'"app/a\"b.ts"'),
    ],
)
def test_names_of_sources(source: str, shown: str) -> None:
    where = "in http://shop.test/app/bundle.js:1:1"
    assert frames_with(source) == [f"at o ({shown}:1:1, {where})"]
    assert frames_with(source, "at http://shop.test/app/bundle.js:1:1") == [f"at {shown}:1:1, {where}"]


def test_a_function_is_named_by_its_caller() -> None:
    url = "http://shop.test/app/bundle.js"
    script = MappedScript(BUNDLE_MAP, BASE, BUNDLE)
    inner, outer = (BUNDLE.index(text) + 1 for text in ("throw new", "o({name:i}"))
    frames = [f"at o ({url}:1:{inner})", f"at c ({url}:1:{outer})", "at foreign (http://other.test/a.js:1:1)"]
    assert original_frames(frames, {url: script}) == [
        f"at priceOf (app/src/shop.ts:10:5, in {url}:1:{inner})",
        f"at c (app/src/main.ts:6:14, in {url}:1:{outer})",
        frames[2],
    ]
    handler = [frames[0].replace("at o", "at b"), frames[1]]
    assert original_frames(handler, {url: script})[0].startswith("at b (app/src/shop.ts")
