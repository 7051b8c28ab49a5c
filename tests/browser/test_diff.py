"""What a diff shows of two snapshots, line by line."""

import re

from bidi_server.browser.snapshot.diff import Difference, diff
from bidi_server.browser.snapshot.model import Line, Row


def lines(text: str) -> list[Line]:
    """Return the lines of a snapshot from their text, below a document."""
    found = [Line(0, "document", "- document:", "", "- document", "- document:", Row(0, "document", "", "", {}))]
    for line in filter(str.strip, text.splitlines()):
        said = line.strip()
        ref = re.search(r"\[ref=(\w+)\]", said)
        plain, _, url = said.partition(" → ")
        depth = (len(line) - len(line.lstrip())) // 2 + 1
        role = said.split()[1].rstrip(":")
        name = re.match(r'- \w+ "([^"]*)"', said)
        text = plain.partition(": ")[2]
        row = Row(depth, role, name[1] if name else "", ref[1] if ref else "", {})
        found.append(Line(depth, role, said, row.ref, plain.rstrip(":"), said, row, url, only_text=text))
    return found


def shown(found: Difference) -> str:
    return "\n".join(change.written(100) for change in found.changes)


def test_what_is_gone_is_told_from_its_beginning() -> None:
    row = '  - listitem:\n    - text: {0}\n    - button "Delete" [ref=e{0}]\n'
    before = "- list:\n" + "".join(row.format(each) for each in "abc")
    after = "- list:\n" + "".join(row.format(each) for each in "ac")
    assert shown(diff(lines(before), lines(after))) == (
        '    - list:\n-     - listitem:\n-       - text: b\n-       - button "Delete" [ref=eb]'
    )


def test_a_large_part_that_is_gone_is_one_line() -> None:
    items = "".join(f'  - menuitem "Item {each}" [ref=e{each}]\n' for each in range(40))
    found = shown(diff(lines(f'- button "File" [ref=ex]\n- menu:\n{items}'), lines('- button "File" [ref=ex]')))
    assert found == '    - button "File" [ref=ex]\n-   - menu: (+40 lines: menuitem "Item 0" …)'


def test_each_line_is_below_what_contains_it() -> None:
    before = lines(
        '- contentinfo:\n  - alert:\n    - button "No" [ref=e1]\n  - group:\n    - button "0" [ref=e2]\n    - text: x'
    )
    after = lines('- contentinfo:\n  - group:\n    - button "1" [ref=e2]\n    - text: x')
    assert shown(diff(before, after)) == (
        "    - contentinfo:\n"
        '-     - alert:\n-       - button "No" [ref=e1]\n'
        '      - group:\n~       - button "1" [ref=e2]'
    )


def test_the_parent_of_what_is_new_is_shown_where_something_else_went_before_it() -> None:
    before = lines('- list:\n  - button "All" [ref=e1]\n- listbox "Chosen" [ref=e2]\n- text: end')
    after = lines('- list:\n- listbox "Chosen" [ref=e2]:\n  - option "love" [ref=e3]\n- text: end')
    assert shown(diff(before, after)) == (
        '    - list:\n-     - button "All" [ref=e1]\n    - listbox "Chosen" [ref=e2]:\n+     - option "love" [ref=e3]'
    )


def test_what_stays_in_another_state_is_not_shown_as_gone_around_what_is() -> None:
    before = lines('- tree:\n  - treeitem "a" [expanded=true] [ref=e1]:\n    - treeitem "b" [ref=e2]')
    after = lines('- tree:\n  - treeitem "a" [expanded=false] [ref=e1]')
    assert shown(diff(before, after)) == (
        '    - tree:\n~     - treeitem "a" [expanded=false] [ref=e1]\n-       - treeitem "b" [ref=e2]'
    )


def test_links_that_lead_elsewhere_are_shown_or_counted() -> None:
    def page(query: str, links: int) -> list[Line]:
        return lines("- list:\n" + "".join(f'  - link "{n}" [ref=e{n}] → /{n}?{query}\n' for n in range(links)))

    few, many = diff(page("a", 2), page("b", 2)), diff(page("a", 20), page("b", 20))
    assert shown(few) == '    - list:\n~     - link "0" [ref=e0] → /0?b\n~     - link "1" [ref=e1] → /1?b'
    assert few.moved_links == 0
    assert (many.changes, many.moved_links) == ([], 20)


def test_many_lines_that_are_alike_take_no_time_to_align() -> None:
    def shop(currency: str) -> list[Line]:
        products = (f"  - text: Product {n}\n  - text: {n} {currency}\n  - text: In stock\n" for n in range(990))
        return lines("- main:\n" + "".join(products))

    changes = diff(shop("EUR"), shop("USD")).changes
    assert sum(change.mark == "~" for change in changes) == 990
    alike = "- main:\n" + "".join(f"  - text: {n}\n  - text: x\n" for n in range(3000))
    assert diff(lines(alike), lines(alike.replace("text: ", "text: y"))).changes
