"""The journal of a tab."""

from dataclasses import dataclass

from bidi_server.browser.journal import Journal


@dataclass(frozen=True)
class Seen:
    what: str


@dataclass(frozen=True)
class Heard:
    what: str


def journal(limit: int = 100) -> Journal:
    made = Journal()
    made.log(Seen, limit)
    made.log(Heard)
    return made


def test_entries_of_several_types_have_one_order_and_one_cursor() -> None:
    log = journal()
    log.add(Seen("first"))
    cursor = log.cursor()
    log.add(Heard("second"))
    log.add(Seen("third"))
    assert log.all_since(0) == [Seen("first"), Heard("second"), Seen("third")]
    assert log.all_since(cursor) == [Heard("second"), Seen("third")]
    assert log.since(cursor, Seen) == [Seen("third")]


def test_a_cursor_says_whether_there_is_more() -> None:
    log = journal()
    log.add(Seen("first"))
    assert log.grown_since(0, Seen)
    assert not log.grown_since(log.cursor(), Seen, Heard)
    cursor = log.cursor()
    log.add(Heard("second"))
    assert log.grown_since(cursor, Seen, Heard)
    assert not log.grown_since(cursor, Seen)


def test_many_entries_of_one_type_do_not_push_out_another() -> None:
    log = journal(limit=3)
    log.add(Heard("rare"))
    cursor = log.cursor()
    for number in range(10):
        log.add(Seen(str(number)))
    assert log.all_since(0) == [Heard("rare"), Seen("7"), Seen("8"), Seen("9")]
    assert log.since(cursor, Seen) == [Seen("7"), Seen("8"), Seen("9")]


def test_a_log_keeps_to_its_weight_but_always_the_newest() -> None:
    log = Journal()
    texts = log.log(str, weigh=len, most_weight=5)
    for text in ("abc", "de", "f"):
        texts.append(text)
    assert list(texts) == ["de", "f"]
    texts.append("much too long")
    assert list(texts) == ["much too long"]


def test_an_entry_that_is_taken_back_is_not_there() -> None:
    log = Journal()
    texts = log.log(str)
    texts.append("kept")
    cursor = log.cursor()
    texts.append("taken back")
    texts.take_back("another")
    texts.take_back(list(texts)[-1])
    assert not log.grown_since(cursor, str)
    assert log.all_since(0) == ["kept"]
