"""What an agent can act on, and how prominent it is."""

import pytest

from tests.page.conftest import Page

POINTER = "style='cursor:pointer'"

TIERS: list[tuple[str, list[tuple[str, str, int]]]] = [
    ("<button>A</button>", [("button", "A", 1)]),
    ("<button disabled>A</button>", [("button", "A", 1)]),
    ("<a href=/>A</a><a name=x>B</a>", [("link", "A", 1)]),
    ("<a>A</a>", [("generic", "A", 3)]),
    ("<div tabindex=0>A</div>", [("generic", "A", 1)]),
    ("<div tabindex=-1>A</div>", []),
    (
        "<ul><li><span tabindex=0 role=button>A</span><li><span tabindex=-1>B</span><li><i tabindex=-1>C</i></ul>",
        [("button", "A", 1), ("generic", "B", 3)],
    ),
    ("<b class=t tabindex=0>A</b><b class=t tabindex=-1>B</b>", [("generic", "A", 1), ("generic", "B", 3)]),
    ("<b class=t tabindex=0>A</b><b class=t tabindex=-1>B <i role=img></i></b>", [("generic", "A", 1)]),
    ("<b class=t tabindex=0>A</b><b class=u tabindex=-1>B</b>", [("generic", "A", 1)]),
    ("<div role=menuitem>A</div>", [("menuitem", "A", 1)]),
    ("<div contenteditable>A</div>", [("textbox", "", 1)]),
    ("<div contenteditable><b contenteditable=true>A</b></div>", [("textbox", "", 1)]),
    ("<video controls></video>", [("video", "", 1)]),
    ("<video></video>", []),
    ("<iframe tabindex=0></iframe>", []),
    ("<h2>A</h2><p>B</p><img src=x alt=C><ul><li>D</ul><table><tr><td>E</table>", []),
    # Items of what is interactive
    ("<div role=listbox><div role=option>A</div></div>", [("option", "A", 2)]),
    ("<div role=tree><div role=treeitem>A</div></div>", [("treeitem", "A", 2)]),
    ("<table role=grid><tr><td>A</table>", [("row", "", 2), ("gridcell", "A", 2)]),
    ("<ul role=listbox><li role=option>A</ul>", [("option", "A", 2)]),
    ("<ul><li aria-selected=true>A</ul>", [("listitem", "A", 2)]),
    ("<ul aria-multiselectable=true><li>A</ul>", [("listitem", "A", 2)]),
    ("<div role=option>A</div>", []),
    # What a person would click
    (f"<div {POINTER}>A</div>", [("generic", "A", 3)]),
    (f"<div {POINTER}>A <b>b</b></div>", [("generic", "A b", 3)]),
    (f"<div {POINTER}><div>A</div><div>B</div></div>", [("generic", "A B", 3)]),
    (f"<div {POINTER}><button>A</button></div>", [("button", "A", 1)]),
    (f"<div {POINTER}><p>A</p><button>B</button></div>", [("generic", "", 3), ("button", "B", 1)]),
    (f"<button><i {POINTER}>A</i></button>", [("button", "A", 1)]),
    (f"<ul><li {POINTER}>A</ul>", [("listitem", "A", 3)]),
    (f"<div tabindex=0 {POINTER}><i>A</i></div>", [("generic", "A", 1)]),
    (f"<div tabindex=0>A<i {POINTER}>B</i></div>", [("generic", "", 1), ("generic", "B", 3)]),
    ("<div style='cursor:grab'>A</div><div style='cursor:text'>B</div>", [("generic", "A", 3)]),
    (f"<body {POINTER}><p>A</p>", []),
    ("<div onclick=f()>A</div>", [("generic", "A", 3)]),
    ("<div onload=f() onscroll=f()>A</div>", []),
    ("<div onmousedown=f()><button>A</button></div>", [("generic", "", 3), ("button", "A", 1)]),
    ("<div draggable=true>A</div><div draggable=false>B</div>", [("generic", "A", 3)]),
    ("<li class='item ui-sortable-handle'>A</li>", [("generic", "A", 3)]),
    ("<canvas></canvas>", [("canvas", "", 3)]),
    (f"<label {POINTER}><input type=checkbox>A</label>", [("checkbox", "A", 1)]),
    ("<label><input type=checkbox style='display:none'>A</label>", [("generic", "A", 3)]),
    ("<label>A</label>", []),
    ("<span>+</span><span>A</span>", [("generic", "+", 3)]),
    ("<b>-</b><b>3</b><b>+</b>", [("generic", "-", 3), ("generic", "+", 3)]),
    ("<p>Last: <b>-</b></p>", []),
    ("<div style='width:20px;height:20px;background:red'></div>", [("generic", "", 3)]),
    ("<div style='width:900px;height:900px;background:red'></div>", []),
    ("<div style='width:20px;height:20px'></div>", []),
    ("<svg width=99 height=99><rect width=9 height=9 fill=red /></svg>", [("img", "", 3), ("generic", "", 3)]),
    ("<svg width=16 height=16><rect width=9 height=9 fill=red /></svg>", []),
    (f"<svg width=16 height=16><rect {POINTER} width=9 height=9 fill=red /></svg>", [("generic", "", 3)]),
    ("<button><svg width=99 height=99><rect width=9 height=9 fill=red /></svg></button>", [("button", "", 1)]),
]


@pytest.mark.parametrize(("html", "expected"), TIERS, ids=[tier[0] for tier in TIERS])
def test_tiers(page: Page, html: str, expected: list[tuple[str, str, int]]) -> None:
    page.load(html)
    assert [(row.role, row.name, row.props.get("tier")) for row in page.walk() if row.ref] == expected


def test_all_that_has_a_tier_has_a_ref_and_nothing_else(page: Page) -> None:
    page.load("".join(html for html, _ in TIERS))
    for row in page.walk():
        assert bool(row.ref) == ("tier" in row.props)


@pytest.mark.parametrize(
    ("html", "hint"),
    [
        ("<button class='icon trash'></button>", "icon trash"),
        ("<button><i class='fa fa-trash'></i></button>", "fa-trash"),
        ("<button><svg width=9 height=9><use href='#icon-bin'/></svg></button>", "icon-bin"),
        ("<button><img src='img/bin-2.svg?x#y' alt=''></button>", "bin-2"),
        ("<button data-icon=bin></button>", "bin"),
        ("<button id=remove></button>", "remove"),
        ("<button id=:r1:></button>", None),
        ("<button class='css-1dbjc4n px-4 md:flex'></button>", None),
        ("<button class=trash>Text</button>", None),
        (
            "<button><span class=q-helper></span><i class=material-icons aria-hidden=true>add_box</i></button>",
            "add_box",
        ),
        ("<button><svg class=MuiSvgIcon-root width=9 data-testid=DeleteIcon></svg></button>", "DeleteIcon"),
        (
            "<b role=checkbox tabindex=0 class='q-checkbox row'><svg class='q-checkbox__svg fit'></svg></b>",
            None,
        ),
        ("<button class='svelte-16sct4k'></button>", None),
        ("<button class='\u037c5v'></button>", None),
        ("<button class='css-x7a eksftaj2 big'></button>", "big"),
        ("<input class=vTextField id=id_published_0>", "id_published_0"),
        ("<input class=field name=q>", "q"),
        ("<input type=radio name=view value=CHART>", "CHART"),
        ("<input type=radio name=view>", "view"),
        ("<a aria-disabled=true title=Edit><img src=edit.svg alt=''></a>", None),
        ("<canvas id=board></canvas>", "board"),
        ("<div class=red style='width:20px;height:20px;background:rgb(1, 2, 3)'></div>", "red rgb(1,2,3)"),
        ("<svg width=16><rect style='cursor:pointer' width=9 height=9 fill=red /></svg>", "rect red"),
    ],
)
def test_hints_for_what_has_no_name(page: Page, html: str, hint: str | None) -> None:
    page.load(html)
    row, *others = [row for row in page.walk() if row.ref]
    assert not others
    assert row.props.get("hint") == hint


def test_hints_do_not_say_what_all_siblings_share(page: Page) -> None:
    picker = "".join(f"<span class='item {each}' tabindex=0></span>" for each in ("left", "right", "center"))
    colors = "".join(f"<b class=item tabindex=0 style='background:{each}'></b>" for each in ("red", "lime", "blue"))
    values = "".join(f"<i class=item tabindex=0 data-value={each}></i>" for each in ("small", "large", "huge"))
    rows = "".join("<p><button class=trash></button></p>" for _ in range(3))
    page.load(f"<div>{picker}</div><div>{colors}</div><div>{values}</div>{rows}")
    assert [row.props.get("hint") for row in page.walk() if row.ref] == (
        ["left", "right", "center", "rgb(255,0,0)", "rgb(0,255,0)", "rgb(0,0,255)", "small", "large", "huge"]
        + ["trash"] * 3
    )


def test_a_tooltip_names_what_says_nothing_else(page: Page) -> None:
    page.load(
        "<a aria-disabled=true title='Edit it'><img src=edit.svg alt=''></a><div onclick=f() title=Why>Text</div>"
        "<div onclick=f() title=Text>Text</div>"
    )
    told = [(row.name, row.props.get("description")) for row in page.walk() if row.ref]
    assert told == [("Edit it", None), ("Text", "Why"), ("Text", None)]
