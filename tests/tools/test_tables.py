"""Tables: what a cell holds is said once."""

from tests.support.world import Agent


def lines_of(agent: Agent, cells: str) -> list[str]:
    agent.show(f"<table aria-label=T><tr>{cells}</tr><tr><td>a</td></tr></table>")
    lines = agent("browser_snapshot").text.splitlines()
    return [line.strip().split(" [ref=")[0] for line in lines[lines.index("    - row:") + 1 :]][:-1]


def test_a_cell_around_one_element_is_left_out(agent: Agent) -> None:
    cells = "<td><input type=checkbox aria-label='Select 1'></td><th scope=row><button>Open</button></th><td>12</td>"
    assert lines_of(agent, cells) == ['- checkbox "Select 1"', '- button "Open"', "- cell: 12"]


def test_a_cell_does_not_repeat_what_is_in_it(agent: Agent) -> None:
    cells = "<td><button>Edit</button> <button>Delete</button></td><td>x</td>"
    assert lines_of(agent, cells) == ["- cell:", '- button "Edit"', '- button "Delete"', "- cell: x"]


def test_a_cell_says_what_is_beside_its_elements(agent: Agent) -> None:
    shown = lines_of(agent, "<td>Total <button>Edit</button></td><td aria-label=Sum><button>Add</button></td>")
    assert any("Total" in line for line in shown)
    assert '- cell "Sum":' in shown


def test_cells_with_a_title_share_a_line(agent: Agent) -> None:
    agent.show("<table><tr><td title='Jan Novak'>Jan…<td><abbr title=Monday>Mo</abbr><td>12</table>")
    row = "- row: Jan… (description: Jan Novak) | Mo (description: Monday) | 12"
    assert row in agent("browser_snapshot")


def test_a_cell_does_not_repeat_values(agent: Agent) -> None:
    cells = "<td><input value=1></td><td><label>Size <input value=2></label> <button>Go</button></td>"
    assert lines_of(agent, cells) == ["- textbox", "- cell:", '- textbox "Size"', '- button "Go"']


def test_what_has_a_ref_does_not_repeat_what_is_in_it(agent: Agent) -> None:
    agent.show(
        "<table role=grid aria-label=G><tr tabindex=0><td tabindex=-1><button>March 1</button></td></tr></table>"
        "<div tabindex=0><button>New Folder</button> <button>More</button></div>"
    )
    shown = [line.split(" [ref=") for line in agent("browser_snapshot").text.splitlines()]
    assert [line[0].strip() for line in shown if len(line) > 1] == [
        "- row", "- gridcell", '- button "March 1"',
        "- generic", '- button "New Folder"', '- button "More"',
    ]  # fmt: skip


def test_a_cell_with_states_stays(agent: Agent) -> None:
    agent.show("<table role=grid><tr><td role=gridcell aria-selected=true><button>One</button></td></tr></table>")
    assert "selected" in agent("browser_snapshot")


def test_cells_of_nothing_but_text_are_one_line(agent: Agent) -> None:
    head = "<tr><th>Name</th><th aria-sort=ascending>Size</th><th>Age</th><th></th></tr>"
    data = "<tr><td>Ann</td><td>1</td><td></td></tr>"
    shown = agent.show(
        f"<table aria-label=T>{head}{data}<tr><th scope=row>Bob</th><td>2</td><td>9</td></tr>"
        "<tr><td>Cid</td><td>3</td><td><button>Edit</button></td></tr></table>"
    )
    assert shown.text.split('- table "T":\n')[1].split(" [ref=")[0] == (
        "    - row:\n"
        "      - columnheader: Name\n"
        '      - columnheader "Size" [sort=ascending]\n'
        '      - columnheader: Age | ""\n'
        '    - row: Ann | 1 | ""\n'
        "    - row:\n"
        "      - rowheader: Bob\n"
        "      - cell: 2 | 9\n"
        "    - row:\n"
        "      - cell: Cid | 3\n"
        '      - button "Edit"'
    )


def test_a_cell_can_be_told_from_two(agent: Agent) -> None:
    agent.show('<table><tr><td>a | b</td><td>say "c"</td></tr><tr><td>d</td></tr></table>')
    assert r'- row: "a | b" | "say \"c\""' in agent("browser_snapshot")


def test_a_row_whose_cell_changed_is_shown(agent: Agent) -> None:
    page = agent.show(
        "<table><tr><td>Ann</td><td id=n>1</td></tr><tr><td>Bob</td><td>2</td></tr></table>"
        "<button onclick='n.textContent = 5'>Count</button>"
    )
    changed = agent("browser_click", ref=page.ref("button", "Count"))
    assert "~     - row: Ann | 5" in changed
    assert "Bob" not in changed


def test_a_cell_by_itself(agent: Agent) -> None:
    agent.show("<table><tr><td>one</td><td>two</td></tr></table>")
    assert agent("browser_snapshot", selector="td:first-child").text == "- cell: one"
    assert agent("browser_snapshot", selector="tr").text == "- row: one | two"


def test_cells_whose_refs_are_left_out_are_like_cells_of_a_table(agent: Agent) -> None:
    """A calendar takes one line a day, a data grid few lines a row; allRefs shows what is left out."""
    days = "".join(f"<td><a href=#>{day}</a></td>" for day in range(1, 8))
    data = "<tr><td>1<td class=name>Bob Kim<td>open<td class=last><td><button>Edit</button></tr>"
    agent.show(f"<table role=grid aria-label=G>{f'<tr>{days}</tr>' * 10}{data * 2}</table>")
    lines = [line.strip().split(" [ref=")[0] for line in agent("browser_snapshot").text.splitlines()]
    assert lines[4:11] == [f'- link "{day}"' for day in range(1, 8)]
    assert lines[-4:-1] == ["- row:", '- gridcell: 1 | Bob Kim | open | ""', '- button "Edit"']
    assert lines[-1].startswith("- note: 92 more elements have refs")
    whole = agent("browser_snapshot", allRefs=True)
    assert whole.ref("gridcell", "Bob Kim")
    assert "(hint: last)" in whole
