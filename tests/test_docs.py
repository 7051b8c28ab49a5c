"""What the documentation says is so."""

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from bidi_server.cli import flags as valid_flags
from bidi_server.commands.options import options
from bidi_server.commands.tools import reference
from bidi_server.shell.words import Commands, kebab
from bidi_server.testing.plugin import OPTIONS
from docs.generate import README, ROOT, comparison, generated
from docs.seeds import FOLDER, names_of_tests, proofs
from drivers.json_values import fields
from tests.expect import BROWSERS, expected

SECURITY = ROOT / "docs" / "SECURITY.md"
TEXTS = [README, SECURITY, ROOT / "CHANGELOG.md", ROOT / "docs" / "architecture.md", ROOT / "docs" / "tools.md"]


def test_generated_parts_are_up_to_date() -> None:
    stale = [str(path.relative_to(ROOT)) for path, text in generated().items() if path.read_text("utf-8") != text]
    assert stale == [], "run: python -m docs.generate"


def test_options_tools_and_files_that_are_named_exist() -> None:
    flags = {flag for option in options() for flag in option.flags}
    flags |= {flag for flag in valid_flags() if flag != "--"}
    for tool in Commands().tools.values():
        flags |= {f"--{kebab(name)}" for name in fields(tool.input_schema().get("properties"))}
    flags |= {f"--{name}" for name in OPTIONS}
    others = {"--from", "--lang", "--no-sandbox", "--peers", "--remote-debugging-port"}
    tools = set(re.findall(r"### `(\w+)`", "\n".join(reference())))
    for path in TEXTS:
        text = path.read_text("utf-8")
        assert set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", text)) <= flags | others, path
        assert set(re.findall(r"\bbrowser_[a-z_]+\b", text)) <= tools, path
        for link in re.findall(r"\]\((?!https?:|#)([^)#]+)\)", text):
            assert (path.parent / link).exists(), f"{path}: {link}"


def test_every_promise_of_security_has_its_tests() -> None:
    promises = re.findall(r"^\| (?!Promise|---).*", SECURITY.read_text("utf-8"), re.MULTILINE)
    assert len(promises) > 15
    for promise in promises:
        named = re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", promise)
        assert named, promise
        for file, test in named:
            assert test in names_of_tests(ROOT / file)


def test_configurations_to_paste_are_json() -> None:
    found = [json.loads(text) for text in re.findall(r"```json\n(.*?)```", README.read_text("utf-8"), re.DOTALL)]
    assert [list(config) for config in found] == [["mcpServers"], ["servers"]]


def test_the_readme_names_the_commands_that_ci_runs() -> None:
    readme, ci = README.read_text("utf-8"), (ROOT / ".ci" / "run").read_text("utf-8")
    first, second = re.findall(r"```sh\n(.*?)\n```", readme, re.DOTALL)
    assert first == "pip install . && bidi-server demo --yes"
    assert second == "pip install tox && tox"
    assert f"\n{second}\n" in ci


def test_the_comparison_has_a_text_for_every_peer() -> None:
    compared = comparison()
    for row in compared.rows:
        assert list(row.peers) == list(compared.peers), row.what
        for text in (row.what, row.ours, *row.peers.values(), *row.missing):
            assert text.strip() == text != "", row.what
            assert not set("|\n").intersection(text), row.what


def test_versions_agree() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    from bidi_server import __version__

    assert project["version"] == __version__


def test_the_generator_says_what_is_stale(tmp_path: Path) -> None:
    """The command, on a copy of which one part was changed."""
    files = "comparison.toml generate.py seeds.md tools.md webkit.md plan.schema.json example/shop.json"
    copied = files.split()
    for name in ("README.md", *(f"docs/{file}" for file in copied)):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        text = (ROOT / name).read_text("utf-8")
        (tmp_path / name).write_text(text.replace("Show the browser's window.", "Hide it."), "utf-8")
    for arguments, code, said in (
        (["--check"], 1, "README.md is stale. Run: python -m docs.generate\n"),
        ([], 0, "wrote README.md\n"),
        (["--check"], 0, ""),
    ):
        command = [sys.executable, "-m", "docs.generate", *arguments]
        environment = {"PYTHONPATH": f"{tmp_path}:{ROOT}"}
        done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stdout, done.stderr) == (code, said, "")
    assert (tmp_path / "README.md").read_text("utf-8") == README.read_text("utf-8")


@pytest.mark.parametrize("file", sorted(FOLDER.glob("*.txt")), ids=lambda file: file.stem)
def test_every_scenario_has_a_test_and_every_test_a_scenario(file: Path) -> None:
    proved = proofs(file)
    assert [scenario for scenario, tests in proved.items() if not tests] == []
    assert set(names_of_tests(file.with_name(f"test_{file.stem}.py"))) == {
        test for tests in proved.values() for test in tests
    }


@pytest.mark.parametrize("browser", BROWSERS)
def test_gaps_name_tests_that_exist(browser: str) -> None:
    for name, gap in expected(browser).items():
        module, _, test = name.partition("::")
        names = names_of_tests(ROOT / module)
        assert test.partition("[")[0] in names if test else names, name
        assert gap.reason, name
