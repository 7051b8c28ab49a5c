"""What an outline shows of a snapshot."""

import re
import time

from bidi_server.browser.snapshot.model import Line
from bidi_server.browser.snapshot.outline import outline
from tests.browser.test_diff import lines

ROWS = "".join(
    f'    - row:\n      - checkbox "Select {n}" [ref=ec{n}]\n      - link "Order {n}" [ref=eo{n}] → /{n}\n'
    f'      - cell: Customer {n}\n      - button "Delete" [ref=ed{n}]\n'
    for n in range(40)
)

TABLE = (
    f"""
- main:
  - button "Deploy" [ref=edep]
  - table "Orders":
    - row:
      - columnheader: Select
      - link "Sort by number" [ref=esort] → ?sort=1
      - columnheader: Customer
{ROWS}"""
    """  - paragraph: The end
  - button "Save" [ref=esave]
"""
)


def outlined(page: list[Line], room: int) -> str:
    text = "\n".join(outline(page, room))
    assert len(text) <= room
    return text


def test_links_of_surroundings_come_last() -> None:
    menu = "".join(f'    - link "Chapter {n}" [ref=em{n}] → /{n}\n' for n in range(20))
    rows = "".join(f"    - row:\n      - cell: Book {n}\n" for n in range(20))
    page = lines(
        f"- navigation:\n  - list:\n{menu}- main:\n  - list:\n    - listitem: Saved.\n  - table:\n{rows}"
        "- contentinfo:\n" + "  - text: Imprint\n" * 5
    )
    text = outlined(page, 800)
    assert "- listitem: Saved." in text
    assert "row: Book 19" in text
    assert "Chapter 19" not in text


def test_a_row_is_one_line_with_every_control_while_there_is_room() -> None:
    text = outlined(lines(TABLE), 6000)
    assert (
        '    - row: checkbox "Select 7" [ref=ec7] | "Order 7" [ref=eo7] | Customer 7 | button "Delete" [ref=ed7]'
        in text
    )
    assert "more" not in text


def test_a_row_keeps_its_main_link_and_the_first_one_shows_what_rows_hold() -> None:
    text = outlined(lines(TABLE), 2800)
    assert 'checkbox "Select 0" [ref=ec0] | "Order 0" [ref=eo0] | Customer 0 | button "Delete" [ref=ed0]' in text
    assert '    - row: "Order 39" [ref=eo39] | Customer 39 (+2)' in text


def test_rows_without_room_are_one_line_with_their_range() -> None:
    text = outlined(lines(TABLE), 1200)
    assert text.count("- row: ") > 5
    assert re.search(r'\n      - \d+ more rows: "Order \d+" … "Order 39"\n', text)


def test_controls_of_the_page_and_column_headers_are_never_folded() -> None:
    for room in (500, 1000, 2000, 4000):
        text = outlined(lines(TABLE), room)
        assert 'button "Deploy" [ref=edep]' in text
        assert 'button "Save" [ref=esave]' in text
        assert "Sort by number" in text or room < 1000


def test_many_members_without_content_share_lines() -> None:
    days = "".join(f'  - button "May {n}" [ref=e{n}]\n' for n in range(1, 32))
    text = outlined(lines(f"- dialog:\n{days}"), 1000)
    assert '"May 1" [ref=e1] | "May 2" [ref=e2]' in text
    assert '"May 31" [ref=e31]' in text
    assert len(text.splitlines()) < 8


def test_trees_are_not_joined_into_their_first_level() -> None:
    tree = "".join(
        f'  - treeitem "Folder {a}" [ref=ef{a}]:\n'
        + "".join(f'    - treeitem "File {a}.{b}" [ref=ef{a}x{b}]\n' for b in range(9))
        for a in range(9)
    )
    text = outlined(lines(f"- tree:\n{tree}"), 1500)
    assert '- treeitem "Folder 8" [ref=ef8]' in text
    assert '- treeitem "Folder 0" [ref=ef0]: treeitem' not in text


def test_an_outline_takes_linear_time() -> None:
    def seconds(rows: int) -> float:
        page = lines("- main:\n  - table:\n" + ROWS * (rows // 40))
        begin = time.process_time()
        outlined(page, 8000)
        return time.process_time() - begin

    assert min(seconds(8000) for _ in range(3)) < 12 * min(seconds(2000) for _ in range(3))
