"""The linker, without a browser."""

from collections.abc import Mapping

import pytest

from bidi_server.page import LinkError, bundle, compact, page_script
from bidi_server.page import link as link_stages


def link(sources: Mapping[str, str], *entries: str, as_text: bool = False) -> str:
    return link_stages(sources, entries or ("main.js",), as_text=as_text)


def test_modules_come_after_what_they_import() -> None:
    linked = link(
        {
            "main.js": "import {b} from './b.js';\nexport const go = () => b;\n",
            "b.js": "import {c} from './c.js';\nexport const b = c + 1;\n",
            "c.js": "export const c = 1;\n",
        },
    )
    assert linked.index("const $c =") < linked.index("const $b =") < linked.index("const $main =")
    assert "const {c} = $c;" in linked
    assert "return {go};" in linked


def test_a_module_is_linked_once_however_many_import_it() -> None:
    linked = link(
        {
            "main.js": "import {a} from './a.js';\nimport {b} from './b.js';\nexport const go = a + b;\n",
            "a.js": "import {c} from './c.js';\nexport const a = c;\n",
            "b.js": "import {c} from './c.js';\nexport const b = c;\n",
            "c.js": "export const c = 1;\n",
        },
    )
    assert linked.count("const $c =") == 1


def test_an_import_may_rename() -> None:
    linked = link(
        {"main.js": "import {a as other} from './a.js';\nexport const go = other;\n", "a.js": "export const a = 1;\n"},
    )
    assert "const {a: other} = $a;" in linked


def test_an_export_may_be_passed_on() -> None:
    linked = link({"main.js": "export {a} from './a-b.js';\n", "a-b.js": "export function a() {}\n"})
    assert "return {a: $a_b.a};" in linked


def test_modules_in_folders_import_each_other_by_path() -> None:
    linked = link(
        {
            "main.js": "import {a} from './act/a.js';\nexport const go = a;\n",
            "act/a.js": "import {b} from '../dom/b-c.js';\nimport {d} from './d.js';\nexport const a = b + d;\n",
            "act/d.js": "export const d = 1;\n",
            "dom/b-c.js": "export const b = 1;\n",
        },
    )
    assert "const {a} = $act$a;" in linked
    assert "const {b} = $dom$b_c;" in linked
    assert "const {d} = $act$d;" in linked


def test_an_import_may_span_lines() -> None:
    linked = link(
        {"main.js": "import {\n  a,\n  b,\n} from './a.js';\n", "a.js": "export const a = 1;\nexport const b = 2;\n"},
    )
    assert "const {a, b} = $a;" in linked


def test_comments_between_code_are_left_out_and_types_inside_are_not_code() -> None:
    linked = link(
        {"main.js": "/**\n * About go.\n */\nexport const go = 1;\n// A line.\n/** @type {y} */ (go).a;\n"},
    )
    assert "About" not in linked
    assert "A line" not in linked
    assert "const go=1;(go).a;" in linked


@pytest.mark.parametrize(
    ("sources", "message"),
    [
        ({"main.js": "import {a} from './gone.js';\n"}, r"main\.js imports gone\.js, which does not exist"),
        ({"a.js": ""}, r"the entry imports main\.js, which does not exist"),
        (
            {"main.js": "import {a} from './a.js';\n", "a.js": "export const b = 1;\n"},
            r"needs a from a\.js, which exports b",
        ),
        ({"main.js": "import {a} from './a.js';\n", "a.js": ""}, r"needs a from a\.js, which exports nothing"),
        (
            {"main.js": "import * as a from './a.js';\n", "a.js": ""},
            r"main\.js: cannot link \"import \* as a from '\./a\.js';\"",
        ),
        ({"main.js": "export default 1;\n"}, r"cannot link 'export default 1;'"),
        ({"main.js": "export let a = 1;\n"}, r"cannot link 'export let a = 1;'"),
    ],
)
def test_what_cannot_be_linked_is_named(sources: dict[str, str], message: str) -> None:
    with pytest.raises(LinkError, match=message):
        link(sources)


def test_a_circle_is_shown() -> None:
    sources = {
        "main.js": "import {a} from './a.js';\n",
        "a.js": "import {b} from './b.js';\nexport const a = 1;\n",
        "b.js": "import {a} from './a.js';\nexport const b = 1;\n",
    }
    with pytest.raises(LinkError, match=r"b\.js imports in a circle: a\.js -> b\.js -> a\.js\. Move"):
        link(sources)


@pytest.mark.parametrize(
    ("as_text", "start"),
    [(False, "(({{{}}}) => {{\nconst {} = ("), (True, '(0, eval)("\\"use strict\\";\\n(({{{}}}) => {{\\nconst {} = (')],
)
def test_what_is_not_needed_yet_waits_until_it_is_asked_for(as_text: bool, start: str) -> None:
    linked = link(
        {
            "main.js": "import {a} from './a.js';\nimport {b} from './b.js';\nexport const go = `${a}` + b;\n",
            "a.js": "export const a = 1;\n",
            "b.js": "export const b = 2;\n",
            "c.js": "export const c = 3;\n",
            "early.js": "export {a} from './a.js';\n",
            "late.js": "import {b} from './b.js';\nexport {c} from './c.js';\nexport const do = b;\n",
        },
        "early.js",
        "main.js",
        "late.js",
        as_text=as_text,
    )
    assert "\nconst $a = (" in linked
    assert [linked.count(f"${name} = (") for name in "abc"] == [1, 1, 1]
    assert start.format("$a, $early", "$b") in linked
    assert start.format("$a, $early, $b, $main", "$c") in linked
    assert "{get go() { use(); return load1().$main.go; }, get c() { return load2().$late.c; }, get do() {" in linked


def test_what_only_the_last_entry_needs_is_not_evaluated_while_the_page_is_idle() -> None:
    sources = {f"{name}.js": f"export const {name} = 1;\n" for name in "abcd"}
    linked = link(sources, "a.js", "b.js", "c.js", "d.js")
    assert "const use = () => { if (!used) { used = true; requestIdleCallback(load2); } };" in linked
    assert "get b() { use(); return load1().$b.b; }, get c() { return load2().$c.c; }" in linked
    assert "get d() { return load3().$d.d; }" in linked


def test_an_entry_may_warm_up_while_the_page_is_idle() -> None:
    sources = {f"{name}.js": f"export const {name} = 1;\n" for name in "abcd"}
    sources["c.js"] += "export function warmUp() { }\n"
    linked = link(sources, "a.js", "b.js", "c.js", "d.js")
    assert "requestIdleCallback(() => load2().$c.warmUp());" in linked
    assert linked.count("warmUp") == 3  # the function itself, as an export, and in this call


@pytest.mark.parametrize("as_text", [False, True])
def test_the_bundle_is_one_expression_and_made_once(as_text: bool) -> None:
    linked = bundle(as_text=as_text)
    assert linked is bundle(as_text=as_text)
    assert linked.startswith("(() => {")
    assert linked.endswith("})()")


def test_the_listener_script_is_one_expression() -> None:
    assert page_script("listen").startswith("(secret,tellsLate)=>{")
    assert page_script("listen").endswith("}")


def test_the_bundle_suits_the_browser() -> None:
    assert "(0, eval)" in bundle(as_text=True)
    assert "(0, eval)" not in bundle()


def test_what_is_sent_is_compact() -> None:
    source = "// Why.\nconst mask = '•  //';  /* x */\n\n  function a() {\n    return mask;\n  }\n"
    assert compact(source) == r"const mask='\u2022  //';function a(){return mask;}"
    assert compact(source) in link({"main.js": source})
    assert bundle().isascii()
    assert bundle(as_text=True).isascii()
