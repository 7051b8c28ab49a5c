"""Closed shadow roots, which script cannot see and the protocol hands over."""

import pytest

from tests.page.conftest import Page

ATTACH = (
    "<script>const closed = (id, html) => document.getElementById(id).attachShadow({mode: 'closed'}).innerHTML = html;"
)

HOSTS = {
    "nothing slotted": ("<div id=h><b>light</b></div>", "<button>A</button>", ["button 'A' *"]),
    "no light children": ("<section id=h></section>", "<button>A</button>", ["button 'A' *"]),
    "text that is not slotted": ("<p id=h>light</p>", "<button>A</button>", ["button 'A' *"]),
    "a named slot": (
        "<div id=h><b slot=s>light</b></div>",
        "<button>A <slot name=s></slot></button>",
        ["button 'A light' *"],
    ),
    "white space": ("<div id=h>\n <!-- --></div>", "<button>A</button>", ["button 'A' *"]),
    "an undefined custom element": ("<x-a id=h><b>light</b></x-a>", "<button>A</button>", ["button 'A' *"]),
    "references inside": (
        "<div id=h></div>",
        "<i id=l>In</i><input aria-labelledby=l>",
        ["text 'In'", "textbox 'In' *"],
    ),
}


@pytest.mark.parametrize(("light", "shadow", "outline"), HOSTS.values(), ids=HOSTS.keys())
def test_adopted(page: Page, light: str, shadow: str, outline: list[str]) -> None:
    page.load(f"{light}{ATTACH} closed('h', {shadow!r})</script>")
    assert page.adopt_closed_roots() == 1
    assert page.outline() == outline


CUSTOM = (
    "<script>customElements.define('x-card', class extends HTMLElement { constructor() { super();"
    " this.attachShadow({mode: 'closed'}).innerHTML = '<h2><slot></slot></h2><x-card-body></x-card-body>'; } });"
    "customElements.define('x-card-body', class extends HTMLElement { constructor() { super();"
    " this.attachShadow({mode: 'closed'}).innerHTML = '<button>Buy</button>'; } });</script>"
)


def test_custom_elements_in_custom_elements(page: Page) -> None:
    page.load(f"{CUSTOM}<x-card>One</x-card><x-card>Two</x-card>")
    assert page.adopt_closed_roots() == 4
    assert page.outline() == ["heading 'One'", "button 'Buy' *", "heading 'Two'", "button 'Buy' *"]


def test_refs_reach_in_and_outlive_a_reload(page: Page) -> None:
    page.load(f"{CUSTOM}<x-card>One</x-card>")
    page.adopt_closed_roots()
    [ref] = [row.ref for row in page.walk() if row.ref]
    assert page.ask("(ref) => __bidi.find(ref).textContent", ref) == "Buy"
    page.reload()
    page.adopt_closed_roots()
    assert [row.ref for row in page.walk() if row.ref] == [ref]


def test_those_that_were_looked_at_are_not_asked_for_again(page: Page) -> None:
    page.load(
        "<x-a>A</x-a><div style='height:9px'></div>"
        "<script>customElements.define('x-a', class extends HTMLElement {});</script>"
    )
    told = page.walk_all().suspects
    assert len(told.hosts) == 2
    again = page.walk_all().suspects
    assert len(again.hosts) == 2, "nobody has said that they arrived"
    assert len(page.walk_all(f"{{prefix: 'p', seen: '{told.id}'}}").suspects.hosts) == 2, (
        "they were told once more since"
    )
    assert page.adopt_closed_roots() == 0
    assert not page.walk_all().suspects.hosts


def test_an_ordinary_page_has_no_suspects(page: Page) -> None:
    page.load("<main><h1>A</h1><p>Text <span>more</span></p><div><div>B</div></div><div></div><p>  </p></main>")
    assert not page.walk_all().suspects.hosts


def test_open_roots_are_no_suspects(page: Page) -> None:
    page.load("<div><template shadowrootmode=open>A</template></div>")
    assert not page.walk_all().suspects.hosts
