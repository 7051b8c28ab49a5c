"""Refs: short, unique, the same after a reload, kept as long as the element lives."""

import json
import re
import time

import pytest

from tests.page.conftest import Page

FORMAT = re.compile(r"e[0-9a-z]{4,6}")


def refs(page: Page, options: str = "{prefix: 'p'}") -> dict[str, str]:
    """Return the refs of a walk by name."""
    return {row.name: row.ref for row in page.walk(options) if row.ref}


def test_refs_have_the_format_and_are_unique(page: Page) -> None:
    page.load("".join(f"<div><button>B{number}</button></div>" for number in range(3000)))
    found = [row.ref for row in page.walk() if row.ref]
    assert len(set(found)) == 3000
    assert all(FORMAT.fullmatch(ref) for ref in found)
    # Nearly all keep to the short form, and those that could not are longer.
    assert sum(len(ref) == 5 for ref in found) > 2900
    assert max(map(len, found)) > 5


PAGE = (
    "<button>A</button><button id=own>B</button><a href=/ data-testid=t>C</a><form><input name=n aria-label=D></form>"
    "<input type=radio name=r value=1 aria-label=E><input type=radio name=r value=2 aria-label=F>"
    "<div><template shadowrootmode=open><button>G</button><button id=own>H</button></template></div>"
    "<div style='cursor:pointer'>I</div>"
)


def test_a_reload_gives_the_same_refs(page: Page) -> None:
    page.load(PAGE)
    before = refs(page)
    assert len(set(before.values())) == 9
    page.reload()
    assert refs(page) == before


def test_another_prefix_gives_other_refs(page: Page) -> None:
    page.load(PAGE)
    before = refs(page)
    page.reload()
    assert not set(before.values()) & set(refs(page, "{prefix: 'q'}").values())


@pytest.mark.parametrize("name", list("ABCDEFGHI"))
def test_an_element_keeps_its_ref_when_others_come(page: Page, name: str) -> None:
    page.load(PAGE)
    before = refs(page)[name]
    page.run("() => { for (let n = 0; n < 3; n++) document.body.prepend(document.createElement('button')); }")
    assert refs(page)[name] == before


@pytest.mark.parametrize("name", ["B", "C", "D", "E", "F", "H"])
def test_what_the_author_calls_an_element_outweighs_its_place(page: Page, name: str) -> None:
    page.load(PAGE)
    before = refs(page)[name]
    page.load("<main><p><button>0</button><a href=/>1</a><form><input type=radio></form></main>" + PAGE)
    assert refs(page)[name] == before


def test_an_anchor_shields_from_changes_outside(page: Page) -> None:
    page.load("<div id=box><p><button>A</button></p></div>")
    before = refs(page)
    page.load("<section><p>x</p><div id=box><p><button>A</button></p></div></section>")
    assert refs(page) == before


@pytest.mark.parametrize(
    "attribute", ["id=:r1:", "id=radix-7", "id=item-20391", "id=3f2504e0-4f89-41d3-9a0c-0305e82c3301"]
)
def test_ids_that_are_counted_up_mean_nothing(page: Page, attribute: str) -> None:
    page.load(f"<p><button {attribute}>A</button></p>")
    before = refs(page)
    page.load("<p><button>A</button></p>")
    assert refs(page) == before


def test_an_id_that_is_not_unique_means_nothing(page: Page) -> None:
    page.load("<p><button id=a>A</button></p><p><button id=a>B</button></p>")
    before = refs(page)
    page.load("<p><button>A</button></p><p><button>B</button></p>")
    assert refs(page) == before


def test_taken_refs_are_not_used_again(page: Page) -> None:
    page.load("<button>A</button>")
    [first] = refs(page).values()
    page.reload()
    [second] = refs(page, f"{{prefix: 'p', taken: ['{first}']}}").values()
    assert second != first
    assert second.startswith(first)
    page.reload()
    [third] = refs(page, f"{{prefix: 'p', taken: ['{first}', '{second}']}}").values()
    assert third.startswith(second)
    page.reload()
    [fourth] = refs(page, f"{{prefix: 'p', taken: ['{first}', '{second}', '{third}']}}").values()
    assert FORMAT.fullmatch(fourth)
    assert fourth not in (first, second, third)


def test_find_and_known(page: Page) -> None:
    page.load("<button>A</button>")
    [ref] = refs(page).values()
    assert page.ask("(ref) => __bidi.find(ref) === document.querySelector('button')", ref) is True
    assert page.ask("(ref) => __bidi.known(ref)", ref) is True
    page.run("() => document.querySelector('button').remove()")
    assert page.ask("(ref) => __bidi.find(ref)", ref) is None
    assert page.ask("(ref) => __bidi.known(ref)", ref) is True
    assert page.ask("() => [__bidi.find('e0000'), __bidi.known('e0000')]") == [None, False]


def test_find_in_shadow_trees(page: Page) -> None:
    page.load("<div><template shadowrootmode=open><button>A</button></template></div>")
    [ref] = refs(page).values()
    assert page.ask("(ref) => __bidi.find(ref).textContent", ref) == "A"


def test_tens_of_thousands_of_refs(page: Page) -> None:
    """From 50,000 on the dead were looked for among all, for each new one."""
    page.load("<main></main>")

    def seconds(count: int) -> float:
        page.run(
            "(count) => { document.querySelector('main').innerHTML = '<button>A</button>'.repeat(count); }",
            count,
        )
        began = time.perf_counter()
        page.ask("() => { __bidi.walk({prefix: 'p'}); }")
        return time.perf_counter() - began

    assert seconds(60_000) < 12 * max(seconds(20_000), 0.2)


def test_an_element_made_anew_in_the_same_place_takes_the_ref_over(page: Page) -> None:
    page.load("<p><button>A</button></p>")
    before = refs(page)
    page.run("() => { const p = document.querySelector('p'); p.innerHTML = p.innerHTML; }")
    assert refs(page) == before
    assert page.ask("(ref) => __bidi.find(ref) === document.querySelector('button')", before["A"]) is True


def test_an_element_that_comes_back_does_not_share_a_ref(page: Page) -> None:
    page.load("<p><button>A</button></p>")
    [ref] = refs(page).values()
    page.run(
        "() => { window.old = document.querySelector('button'); const p = old.parentNode; p.innerHTML = p.innerHTML; }"
    )
    page.walk()
    page.run("() => document.querySelector('p').append(old)")
    found = [row.ref for row in page.walk() if row.ref]
    assert len(set(found)) == 2
    assert ref in found


def test_evaluating_the_bundle_again_keeps_refs(page: Page) -> None:
    page.load("<button>A</button>")
    before = refs(page)
    page.install()
    page.install()
    assert page.ask("(ref) => __bidi.find(ref) !== null", before["A"]) is True


def test_describe_says_what_a_walk_says(page: Page) -> None:
    page.load(
        "<button id=a title=Why>Save</button><ul><li id=b style='cursor:pointer'>Item <b>2</b></ul>"
        "<div id=c onclick=f()><p>Text</p><a href=#>More</a></div><p id=d>Plain</p>"
    )
    rows = {row.ref: row for row in page.walk() if row.ref}

    def describe(id_: str) -> dict[str, object]:
        answer = page.ask("(id) => __bidi.describe(document.getElementById(id))", id_)
        assert isinstance(answer, str)
        return json.loads(answer)

    for id_, tag in (("a", "button"), ("b", "li"), ("c", "div")):
        found = describe(id_)
        row = rows[str(found["ref"])]
        assert (found["role"], found["name"], found["tag"]) == (row.role, row.name, tag)
    assert describe("a")["text"] == "Save"
    assert describe("a")["props"] == {"description": "Why"}
    assert describe("d") == {"role": "paragraph", "name": "", "ref": "", "tag": "p", "props": {}, "text": "Plain"}
