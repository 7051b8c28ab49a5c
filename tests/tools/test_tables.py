"""Tables: what a cell holds is said once."""

from tests.world import Agent


def lines_of(agent: Agent, cells: str) -> list[str]:
    agent.show(f"<table aria-label=T><tr>{cells}</tr><tr><td>a</td></tr></table>")
    lines = agent("browser_snapshot").text.splitlines()
    return [line.strip().split(" [ref=")[0] for line in lines[lines.index("    - row:") + 1 :]][:-2]


def test_a_cell_around_one_element_is_left_out(agent: Agent) -> None:
    cells = "<td><input type=checkbox aria-label='Select 1'></td><th scope=row><button>Open</button></th><td>12</td>"
    assert lines_of(agent, cells) == ['- checkbox "Select 1"', '- button "Open"', '- cell "12"']


def test_a_cell_does_not_repeat_what_is_in_it(agent: Agent) -> None:
    cells = "<td><button>Edit</button> <button>Delete</button></td><td>x</td>"
    assert lines_of(agent, cells) == ["- cell:", '- button "Edit"', '- button "Delete"', '- cell "x"']


def test_a_cell_says_what_is_beside_its_elements(agent: Agent) -> None:
    shown = lines_of(agent, "<td>Total <button>Edit</button></td><td aria-label=Sum><button>Add</button></td>")
    assert any("Total" in line for line in shown)
    assert '- cell "Sum":' in shown


def test_a_cell_with_states_stays(agent: Agent) -> None:
    agent.show("<table role=grid><tr><td role=gridcell aria-selected=true><button>One</button></td></tr></table>")
    assert "selected" in agent("browser_snapshot")
