"""Which rows a fragment gives, in which tree."""

import pytest

from tests.page.conftest import Page

FRAGMENTS: dict[str, tuple[str, list[str]]] = {
    "empty": ("", []),
    "text": ("Hello", ["text 'Hello'"]),
    "inline elements don't break a sentence": (
        "<p>Hello <b>bold</b> <em>and</em> <code>more</code><sup>2</sup>.</p>",
        ["paragraph", "  text 'Hello bold and more2.'"],
    ),
    "blocks do": (
        "<div>One</div><div>Two<div>Three</div>Four</div>",
        ["text 'One'", "text 'Two'", "text 'Three'", "text 'Four'"],
    ),
    "a line break is a space": ("One<br>Two", ["text 'One Two'"]),
    "white space is one space": ("<p>One\n\n   Two</p>", ["paragraph", "  text 'One Two'"]),
    "lines that are shown": (
        "<pre>\n0 0\n  <b>1</b>  2<i>\n</i>\n\n\n\t2 4  \n</pre>",
        [r"text '0 0\n  1 2\n\n    2 4'"],
    ),
    "lines by style": (
        "<p style='white-space:pre-line'>\n  One\n  Two<br>Three</p><p style='white-space:nowrap'>One\nTwo</p>",
        ["paragraph", r"  text 'One\nTwo\nThree'", "paragraph", "  text 'One Two'"],
    ),
    "lines in a name": (
        "<button style='white-space:pre'>One\nTwo</button><div onclick=f() style='white-space:pre'>A\nB</div>",
        ["button 'One Two' *", "generic 'A B' *"],
    ),
    "what is reached to be scrolled": (
        (
            "<pre tabindex=0>0 0\n1 2</pre><div tabindex=0>A</div>"
            "<div tabindex=0 style='width:9px;overflow:auto;white-space:nowrap'>Much text</div>"
        ),
        ["generic *", r"  text '0 0\n1 2'", "generic 'A' *", "generic *", "  text 'Much text'"],
    ),
    "text around a link": (
        "<p>See <a href=/>this</a> now</p>",
        ["paragraph", "  text 'See'", "  link 'this' *", "  text 'now'"],
    ),
    "containers without meaning": ("<div><section><div><button>A</button></div></section></div>", ["button 'A' *"]),
    "a name gives meaning": ("<div aria-label=Box><button>A</button></div>", ["generic 'Box'", "  button 'A' *"]),
    "text of a name isn't said twice": (
        "<button>A <b>B</b></button><h2>C <i>D</i></h2>",
        ["button 'A B' *", "heading 'C D'"],
    ),
    "text that a name doesn't say": ("<a href=/ aria-label=All>Some</a>", ["link 'All' *", "  text 'Some'"]),
    "a link inside of a heading": ("<h1>To <a href=/>us</a></h1>", ["heading 'To us'", "  link 'us' *"]),
    "a button inside of a cell": (
        "<table><tr><td>1<td>2 <button>x</button><td><button>y</button></table>",
        [
            "table",
            "  row",
            "    cell '1'",
            "    cell '2 x'",
            "      button 'x' *",
            "    cell",
            "      button 'y' *",
        ],
    ),
    "children of a control are part of it": ("<button><h2>A</h2><img alt=B></button>", ["button 'A B' *"]),
    "a control in a control": (
        "<div role=tab tabindex=0>Inbox <button>Close</button></div>",
        ["tab 'Inbox Close' *", "  button 'Close' *"],
    ),
    "the same control twice": (
        "<div role=tab tabindex=0><a href=# style='display:block'>Inbox</a></div>",
        ["tab 'Inbox' *"],
    ),
    "a control of the same name as the larger one that it is in": (
        "<div role=tab tabindex=0><a href=#>Inbox</a></div>",
        ["tab 'Inbox' *", "  link 'Inbox' *"],
    ),
    "a part of a control is called by its own text": (
        "<a href=/>Read <b onclick=f()>more</b></a>",
        ["link 'Read more' *", "  generic 'more' *"],
    ),
    "a label says its control's name": ("<label>Name <input></label>", ["textbox 'Name' *"]),
    "a label apart": ("<label for=a>Name</label><div><input id=a></div>", ["textbox 'Name' *"]),
    "a label says more": (
        "<label for=a>Name</label><input id=a aria-label=Other>",
        ["text 'Name'", "textbox 'Other' *"],
    ),
    "a label of a control that a widget hides": (
        (
            "<label for=a>Author:</label>"
            "<select id=a aria-hidden=true style='position:absolute;width:1px;height:1px;clip:rect(0 0 0 0)'></select>"
            "<span role=combobox tabindex=0 aria-labelledby=b><span id=b role=textbox></span></span>"
        ),
        ["text 'Author:'", "combobox *", "  textbox *"],
    ),
    "a label without control": ("<label>Name</label>", ["text 'Name'"]),
    "a legend": ("<fieldset><legend>Size</legend><input aria-label=A></fieldset>", ["group 'Size'", "  textbox 'A' *"]),
    "a caption": (
        "<table><caption>Prices</caption><tr><td>1</table>",
        ["table 'Prices'", "  row", "    cell '1'"],
    ),
    "a named part of a table": (
        "<table><tbody aria-label=B><tr><td>1</table>",
        ["table", "  rowgroup 'B'", "    row", "      cell '1'"],
    ),
    "a paragraph of controls": (
        "<p><button>A</button></p><p>B <button>C</button></p>",
        ["button 'A' *", "paragraph", "  text 'B'", "  button 'C' *"],
    ),
    "a value isn't said twice": (
        "<div role=spinbutton tabindex=0 aria-label=Cups aria-valuenow=1><button>-</button>1<button>+</button></div>",
        ["spinbutton 'Cups' *", "  button '-' *", "  button '+' *"],
    ),
    "a list": (
        "<ul><li>A<li><a href=/>B</a></ul>",
        ["list", "  listitem", "    text 'A'", "  listitem", "    link 'B' *"],
    ),
    "a presentational list": ("<ul role=none><li>A<li>B</ul>", ["text 'A'", "text 'B'"]),
    "terms": ("<dl><dt>A<dd>B</dl>", ["term", "  text 'A'", "definition", "  text 'B'"]),
    "landmarks": (
        "<header>A</header><nav>B</nav><main>C</main><footer>D</footer>",
        ["banner", "  text 'A'", "navigation", "  text 'B'", "main", "  text 'C'", "contentinfo", "  text 'D'"],
    ),
    "what is empty": ("<ul></ul><p></p><div role=status></div><nav> </nav>", []),
    "separators and pictures": ("<hr><img src=x alt=Cat><img src=x alt=''>", ["separator", "img 'Cat'"]),
    "an icon is no picture": (
        "<svg width=20><path d='M0 0h9'/></svg><svg width=20><title>Chart</title></svg>",
        ["img 'Chart'"],
    ),
    "svg text": (
        "<svg width=20><title>Chart</title><text y=9>A</text><text y=20>B</text></svg>",
        ["img 'Chart'", "  text 'A'", "  text 'B'"],
    ),
    "mathematics": ("<math aria-label='x squared'><mi>x</mi></math>", ["math 'x squared'"]),
    "a closed choice": ("<select aria-label=S><option>A<option>B</select>", ["combobox 'S' *"]),
    "an open choice": (
        "<select multiple aria-label=S><option>A<option>B</select>",
        ["listbox 'S' *", "  option 'A' *", "  option 'B' *"],
    ),
    "groups of options": (
        "<select multiple aria-label=S><optgroup label=G><option>A</optgroup></select>",
        ["listbox 'S' *", "  group 'G'", "    option 'A' *"],
    ),
    "closed details": ("<details><summary>More</summary>Text</details>", ["group", "  button 'More' *"]),
    "open details": (
        "<details open><summary>More</summary>Text</details>",
        ["group", "  button 'More' *", "  text 'Text'"],
    ),
    "an editor": (
        "<div contenteditable aria-label=E><p>Some <b>text</b></p><a href=/>L</a></div>",
        ["textbox 'E' *", "  link 'L' *"],
    ),
    "generated text": (
        "<style>p::before{content:'Note: '} .r::after{content:'*'}</style><p>A</p><span class=r>B</span>",
        ["paragraph", "  text 'Note: A'", "text 'B*'"],
    ),
    # Titles of what has no row of its own, as a person reads them in tooltips
    "titles in a sentence": (
        "<p>Press <kbd title=Control>Ctrl</kbd> for <abbr title='Hypertext'>HT</abbr> and <i title=more>more</i>.</p>",
        ["paragraph", "  text 'Press Ctrl (title: Control) for HT (title: Hypertext) and more.'"],
    ),
    "the title of a block": ("<div title=Friday>3 days ago</div>B", ["text '3 days ago (title: Friday)'", "text 'B'"]),
    "the title of an icon": (
        "<style>i::before{content:'\\f007'}</style><p>Bob <i title=Verified></i></p><p>A <i hidden title=Not></i></p>",
        ["paragraph", "  text 'Bob Verified'", "paragraph", "  text 'A'"],
    ),
    "the title of what has rows": ("<div title=Box>A <button>B</button></div>", ["text 'A'", "button 'B' *"]),
    "the title of a label": ("<label title=Tip>Name <input></label>", ["textbox 'Name' *"]),
    # What is not there for anybody, https://www.w3.org/TR/wai-aria-1.2/#tree_exclusion
    "hidden": (
        "<p hidden>A</p><p style='display:none'>B</p><p style='visibility:hidden'>C</p><p>D</p>",
        ["paragraph", "  text 'D'"],
    ),
    "visible inside of invisible": (
        "<div style='visibility:hidden'>A<b style='visibility:visible'>B</b></div>",
        ["text 'B'"],
    ),
    "aria-hidden": (
        "<div aria-hidden=true>A<button>B</button></div><div aria-hidden=false>C</div>",
        ["button 'B' *", "text 'C'"],
    ),
    "picture in a control": (
        "<div role=button tabindex=0 style='width:20px'><i draggable=true style='padding:10px'></i></div>",
        ["button *"],
    ),
    "icon and connector of what is dragged": (
        "<div class=ui-draggable>inject<div style='width:9px;height:9px;background:red'></div></div>",
        ["generic 'inject' *"],
    ),
    "inert": ("<div inert><button>A</button></div>B", ["text 'B'"]),
    "skipped contents": ("<div style='content-visibility:hidden'>A<button>B</button></div>C", ["text 'C'"]),
    "until found": ("<div hidden=until-found>A<button>B</button></div>C", ["text 'C'"]),
    "display: contents": (
        "<div style='display:contents'><button style='display:contents'>A</button>B</div>",
        ["button 'A' *", "text 'B'"],
    ),
    "scripts, styles, templates": (
        "<script>1</script><style>a{}</style><template>A</template><noscript>N</noscript>B",
        ["text 'B'"],
    ),
    "a closed popover": ("<div popover>A</div>B", ["text 'B'"]),
    "a closed dialog": ("<dialog>A</dialog>B", ["text 'B'"]),
    "an open dialog": ("<dialog open aria-label=D>A</dialog>B", ["dialog 'D'", "  text 'A'", "text 'B'"]),
    "a modal dialog": (
        "<button>A</button><dialog id=d aria-label=D>B</dialog><script>d.showModal()</script>",
        ["dialog 'D'", "  text 'B'"],
    ),
    "a modal dialog in a modal dialog": (
        (
            "<dialog id=d aria-label=D>B<dialog id=e aria-label=E>C</dialog></dialog>"
            "<script>d.showModal(); e.showModal()</script>"
        ),
        ["dialog 'E'", "  text 'C'"],
    ),
    "the modal dialog that has the focus": (
        (
            "<dialog id=d aria-label=D>B<input aria-label=I></dialog><dialog id=e aria-label=E>C</dialog>"
            "<script>e.showModal(); d.showModal()</script>"
        ),
        ["dialog 'D'", "  text 'B'", "  textbox 'I' *"],
    ),
    # aria-owns, https://www.w3.org/TR/wai-aria-1.2/#aria-owns
    "owned": (
        "<p id=o>B</p><div role=group aria-label=G aria-owns=o>A</div>",
        ["group 'G'", "  text 'A'", "  paragraph", "    text 'B'"],
    ),
    "owned twice": (
        "<div role=group aria-label=G aria-owns=o></div><div role=group aria-label=H aria-owns=o></div><p id=o>B</p>",
        ["group 'G'", "  paragraph", "    text 'B'", "group 'H'"],
    ),
    "owning in a circle": (
        "<div id=a role=group aria-label=A aria-owns=b></div><div id=b role=group aria-label=B aria-owns=a></div>",
        ["group 'A'", "  group 'B'"],
    ),
    "owning itself and above": (
        "<div id=a role=group aria-label=A aria-owns=a><p aria-owns=a>B</p></div>",
        ["group 'A'", "  paragraph", "    text 'B'"],
    ),
    # Shadow trees, https://drafts.csswg.org/css-scoping/#flattening
    "a shadow tree": (
        (
            "<div><template shadowrootmode=open><h2><slot>none</slot></h2><slot name=b>fallback</slot></template>"
            "<i slot=b>named</i>title<u slot=c>nowhere</u></div>"
        ),
        ["heading 'title'", "text 'named'"],
    ),
    "fallback content": (
        "<div><template shadowrootmode=open><slot>fallback</slot></template></div>",
        ["text 'fallback'"],
    ),
    "slots in slots": (
        (
            "<div><template shadowrootmode=open><p><template shadowrootmode=open><b><slot></slot></b></template>"
            "<slot></slot></p></template>A</div>"
        ),
        ["paragraph", "  text 'A'"],
    ),
    "names through slots": (
        "<div><template shadowrootmode=open><button>Save <slot></slot></button></template>all</div>",
        ["button 'Save all' *"],
    ),
    "a label inside of a shadow tree": (
        "<div><template shadowrootmode=open><b id=l>In</b><input aria-labelledby=l></template></div><b id=l>Out</b>",
        ["text 'In'", "textbox 'In' *", "text 'Out'"],
    ),
}


@pytest.mark.parametrize(("html", "outline"), FRAGMENTS.values(), ids=FRAGMENTS.keys())
def test_fragment(page: Page, html: str, outline: list[str]) -> None:
    assert page.outline(html) == outline


@pytest.mark.parametrize(
    ("html", "role", "description"),
    [
        ("<a href=/><abbr title=Hypertext>HT</abbr></a>", "link", "Hypertext"),
        ("<button><kbd title=Control>Ctrl</kbd>+<kbd title=Letter>A</kbd></button>", "button", "Control; Letter"),
        ("<button title=Tip><kbd title=Control>Ctrl</kbd></button>", "button", "Tip; Control"),
        ("<h2><abbr title=Hypertext>HT</abbr></h2>", "heading", "Hypertext"),
        ("<table><tr><td><abbr title=Monday>Mo</abbr></table>", "cell", "Monday"),
        ("<div onclick=f()><b title=Friday>3 days ago</b></div>", "generic", "Friday"),
        ("<a href=/><i title=Star></i></a>", "link", None),
        ("<a href=/ title=Tip><b title=Tip>A</b></a>", "link", "Tip"),
    ],
)
def test_titles_inside_describe_what_is_called_by_its_text(
    page: Page, html: str, role: str, description: str | None
) -> None:
    assert page.row(html, role).props.get("description") == description


def test_the_document_is_the_first_row(page: Page) -> None:
    page.load("<p>A</p>", title="A title")
    walk = page.walk_all()
    assert walk.title == "A title"
    assert walk.url == page.run("() => location.href")
    assert [row[:3] for row in walk.rows] == [(0, "document", "A title"), (1, "paragraph", ""), (2, "text", "A")]
    assert not walk.suspects.hosts


def test_a_scope_is_all_there_is(page: Page) -> None:
    page.load("<nav>A</nav><main id=m><p>B</p></main>")
    rows = page.walk("{prefix: 'p'}, document.getElementById('m')")
    assert [row[:3] for row in rows] == [(1, "main", ""), (2, "paragraph", ""), (3, "text", "B")]


def test_frames_are_numbered_and_their_windows_come_along(page: Page) -> None:
    page.load(
        "<iframe title=One srcdoc='<button>In</button>'></iframe><p>A</p>"
        "<iframe name=Two src='data:text/html,B'></iframe>"
    )
    walk = page.walk_all()
    frames = [row for row in walk.rows if row.role == "iframe"]
    assert [(row.name, row.ref, row.props) for row in frames] == [("One", "", {"frame": 0}), ("", "", {"frame": 1})]
    assert len(walk.windows) == 2
    inner = page.walk_all(context=walk.windows[0])
    assert inner.rows[1][1:3] == ("button", "In")


def test_frames_behind_a_modal_dialog_are_not_met(page: Page) -> None:
    page.load(
        "<iframe srcdoc=a></iframe><dialog id=d><iframe title=In srcdoc=b></iframe></dialog>"
        "<script>d.showModal()</script>"
    )
    walk = page.walk_all()
    assert walk.rows[-1].name == "In"
    assert walk.rows[-1].props["frame"] == 0
    assert len(walk.windows) == 1


def test_an_object_may_be_a_frame(page: Page) -> None:
    inner = page.browser.serve("<button>In</button>", "text/html")
    page.load(f"<object data='{inner}' type=text/html></object><object>fallback</object>")
    walk = page.walk_all()
    assert [(row.role, row.props) for row in walk.rows[1:]] == [("iframe", {"frame": 0})]
    assert page.walk_all(context=walk.windows[0]).rows[1].name == "In"


def test_the_focused_row_is_named(page: Page) -> None:
    page.load("<input aria-label=A><div id=h></div>")
    page.run(
        "() => { const root = document.getElementById('h').attachShadow({mode: 'open'});"
        " root.innerHTML = '<p>x</p><input aria-label=B>'; root.querySelector('input').focus(); }"
    )
    walk = page.walk_all()
    assert [row.name for row in walk.rows if row.props.get("active")] == ["B"]


def test_a_document_that_is_nearly_nothing(page: Page) -> None:
    page.goto("about:blank")
    assert page.walk() == []
    page.run("() => { document.documentElement.remove(); }")
    assert page.walk() == []
    page.goto("data:text/plain,Hello")
    assert page.outline() == ["text 'Hello'"]


def test_xml_and_svg_documents(page: Page) -> None:
    page.load(
        "<html xmlns='http://www.w3.org/1999/xhtml'><head><title>X</title></head><body><p>A<br/>B</p></body></html>",
        mime="application/xhtml+xml",
    )
    assert page.outline() == ["paragraph", "  text 'A B'"]
    page.load(
        "<svg xmlns='http://www.w3.org/2000/svg' width='20' height='20'>"
        "<title>Chart</title><a href='/x'><text y='20'>Go</text></a></svg>",
        mime="image/svg+xml",
    )
    assert page.outline() == ["img 'Chart'", "  link 'Go' *"]
    page.load("<root><a>One</a><b>Two</b></root>", mime="text/xml")
    assert "One" in " ".join(page.outline())


def test_quirks_mode(page: Page) -> None:
    page.load("<html><body><input ID=Same><input id=same><label for=same>A</label>")
    assert page.outline() == ["textbox *", "textbox 'A' *"]
