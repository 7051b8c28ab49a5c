"""Which files go when there are too many."""

from pathlib import Path

from bidi_server.browser.files.budget import FileBudget


def written(budget: FileBudget, file: Path, size: int, *, is_new: bool = True) -> None:
    file.write_bytes(bytes(size))
    budget.add(file.parent, file, is_new=is_new)


def test_the_oldest_go_and_the_newest_stays(tmp_path: Path) -> None:
    budget = FileBudget(100)
    for name in "abc":
        written(budget, tmp_path / name, 40)
    assert {file.name for file in tmp_path.iterdir()} == {"b", "c"}
    written(budget, tmp_path / "b", 50)  # the newest now
    written(budget, tmp_path / "d", 50)
    assert {file.name for file in tmp_path.iterdir()} == {"b", "d"}
    written(budget, tmp_path / "large", 1000)
    assert {file.name for file in tmp_path.iterdir()} == {"large"}


def test_files_of_others_stay(tmp_path: Path) -> None:
    budget = FileBudget(100)
    (tmp_path / "theirs").write_bytes(bytes(1000))
    written(budget, tmp_path / "replaced", 40, is_new=False)
    written(budget, tmp_path / "edited", 40)
    (tmp_path / "edited").write_text("by a person")
    written(budget, tmp_path / "removed", 40)
    (tmp_path / "removed").unlink()
    written(budget, tmp_path / "ours", 100)
    assert {file.name for file in tmp_path.iterdir()} == {"theirs", "replaced", "edited", "ours"}


def test_each_folder_has_its_own(tmp_path: Path) -> None:
    budget = FileBudget(100)
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
        written(budget, tmp_path / name / "file", 80)
    assert len(list(tmp_path.glob("*/file"))) == 2


def test_no_limit(tmp_path: Path) -> None:
    budget = FileBudget(None)
    for name in "abc":
        written(budget, tmp_path / name, 1000)
    assert len(list(tmp_path.iterdir())) == 3
