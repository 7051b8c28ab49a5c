"""The words of commands, as calls of tools; no browser needed."""

from typing import get_args

import pytest

from bidi_server.cli import COMMANDS, make_parser
from bidi_server.config import Capability
from bidi_server.errors import InvalidParametersError
from bidi_server.shell.client import OF_SERVER, asks_for_help, is_of_session, split
from bidi_server.shell.reference import MAX_SKILL, print_commands, print_completion, print_help, skill
from bidi_server.shell.words import LEFT_OUT, OWN, SHORT, Commands
from bidi_server.tools.base import offered

COMMANDS_OF_SESSION = Commands()


@pytest.mark.parametrize(
    ("line", "tool", "arguments"),
    [
        (["click", "e1a2b"], "browser_click", {"ref": "e1a2b"}),
        (["click", "admin:e1a2b", "right"], "browser_click", {"ref": "admin:e1a2b", "button": "right"}),
        (["click", "text=Save"], "browser_click", {"selector": "text=Save"}),
        (["click", "e1a2b", "--modifiers", "Shift"], "browser_click", {"ref": "e1a2b", "modifiers": ["Shift"]}),
        (["dblclick", "e1a2b"], "browser_click", {"ref": "e1a2b", "doubleClick": True}),
        (["browser_click", "e1a2b"], "browser_click", {"ref": "e1a2b"}),
        (["type", "e1a2b", "Bob"], "browser_type", {"ref": "e1a2b", "text": "Bob"}),
        (["type", "--ref", "e1a2b", "42"], "browser_type", {"ref": "e1a2b", "text": "42"}),
        (["type", "p", "--submit", "--", "-x"], "browser_type", {"selector": "p", "text": "-x", "submit": True}),
        (["fill", "e1a2b", "Bob"], "browser_type", {"ref": "e1a2b", "text": "Bob", "clear": True}),
        (["eval", "el => el.id", "e1a2b"], "browser_evaluate", {"function": "el => el.id", "ref": "e1a2b"}),
        (["eval", "1 + 1"], "browser_evaluate", {"function": "1 + 1"}),
        (["drag", "e1a2b", "#end"], "browser_drag", {"startRef": "e1a2b", "endSelector": "#end"}),
        (["select", "e1a2b", "Red", "Blue"], "browser_select_option", {"ref": "e1a2b", "values": ["Red", "Blue"]}),
        (["upload", "a.txt"], "browser_file_upload", {"paths": ["a.txt"]}),
        (["drop", "e1a2b", "a.txt", "b.txt"], "browser_drop", {"ref": "e1a2b", "paths": ["a.txt", "b.txt"]}),
        (["resize", "800", "600"], "browser_resize", {"width": 800, "height": 600}),
        (["mouse-wheel", "1", "2", "0", "-100"], "browser_mouse_wheel", {"x": 1, "y": 2, "deltaX": 0, "deltaY": -100}),
        (["press", "ArrowDown", "3"], "browser_press_key", {"key": "ArrowDown", "repeat": 3}),
        (["tab-new", "http://a/"], "browser_tabs", {"action": "new", "url": "http://a/"}),
        (["tab-select", "1"], "browser_tabs", {"action": "select", "index": 1}),
        (["handle-dialog", "false"], "browser_handle_dialog", {"accept": False}),
        (["dialog-accept", "Bob"], "browser_handle_dialog", {"accept": True, "promptText": "Bob"}),
        (["dialog-dismiss"], "browser_handle_dialog", {"accept": False}),
        (["console", "error"], "browser_console_messages", {"level": "error"}),
        (["wait", "Saved"], "browser_wait_for", {"text": "Saved"}),
        (["wait", '["Saved", "Failed"]'], "browser_wait_for", {"text": ["Saved", "Failed"]}),
        (["snapshot"], "browser_snapshot", {}),
        (["snapshot", "--depth", "many"], "browser_snapshot", {"depth": "many"}),
        (["screenshot", "--clip", "0,10,20,30"], "browser_take_screenshot", {"clip": [0, 10, 20, 30]}),
        (["fill-form", '[{"name": "A", "value": ""}]'], "browser_fill_form", {"fields": [{"name": "A", "value": ""}]}),
        (["cookie-set", "name", "12"], "browser_cookie_set", {"name": "name", "value": "12"}),
        (["wait-for-selector", "h1"], "browser_wait_for_selector", {"selector": "h1"}),
    ],
)  # fmt: skip
def test_words_become_a_call(line: list[str], tool: str, arguments: dict[str, object]) -> None:
    found = COMMANDS_OF_SESSION.parse(line)
    assert (found.tool.tool_name(), found.arguments, found.as_json) == (tool, arguments, False)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (["clik", "e1a2b"], "There is no command 'clik'. Did you mean click?"),
        (["opne"], "There is no command 'opne'. Did you mean open?"),
        (["click", "e1a2b", "left", "more"], "click has no parameter for 'more'. See: bidi-server click --help"),
        (["tabs", "explode"], "tabs has no parameter for 'explode'. See: bidi-server tabs --help"),
        (["click", "--duoble-click"], "unrecognized arguments: --duoble-click. See: bidi-server click --help"),
        (["click", "--ref"], "argument --ref: expected one argument. See: bidi-server click --help"),
        (["eval"], None),
        ([], "Which command? See: bidi-server help"),
    ],
)
def test_wrong_words(line: list[str], said: str | None) -> None:
    if said is None:  # the tool says what it needs
        assert COMMANDS_OF_SESSION.parse(line).arguments == {}
        return
    with pytest.raises(InvalidParametersError) as wrong:
        COMMANDS_OF_SESSION.parse(line)
    assert str(wrong.value) == said


def test_json_is_asked_for_before_or_after_the_words() -> None:
    assert COMMANDS_OF_SESSION.parse(["snapshot", "--json"]).as_json
    assert split(["--json", "-s", "two", "click", "e1a2b"]) == ("two", True, ["click", "e1a2b"])
    assert split(["-s=two", "type", "-s", "x"]) == ("two", False, ["type", "-s", "x"])


@pytest.mark.parametrize(
    ("line", "is_command"),
    [
        (["open", "example.com"], True),
        (["-s", "two", "close"], True),
        (["demo", "--yes"], False),
        (["--browser", "firefox"], False),
        (["--version"], False),
        ([], False),
        (["-s"], False),
    ],
)
def test_commands_of_sessions_are_told_from_those_of_the_server(line: list[str], is_command: bool) -> None:
    assert is_of_session(line) is is_command


def test_text_after_a_double_dash_asks_for_no_help() -> None:
    assert asks_for_help(["click", "--help"])
    assert not asks_for_help(["type", "e1a2b", "--", "--help"])


def test_every_tool_of_the_browser_is_a_command() -> None:
    tools = {name for name in offered(["browser"], get_args(Capability)) if name.startswith("browser_")}
    commands = {tool.tool_name() for tool in COMMANDS_OF_SESSION.tools.values()}
    assert commands == tools - LEFT_OUT.keys()
    assert LEFT_OUT.keys() <= tools
    assert all(full.split()[0] in COMMANDS_OF_SESSION.tools for full in SHORT.values())
    assert not COMMANDS_OF_SESSION.tools.keys() & {*SHORT, *OWN, *OF_SERVER}


def test_the_server_knows_its_own_commands() -> None:
    assert {*COMMANDS, "session"} == {*OF_SERVER, "open"}


def test_the_skill_is_small_and_names_every_command() -> None:
    text = skill()
    assert len(text.encode()) <= MAX_SKILL
    assert all(f"`{name}" in text for name in COMMANDS_OF_SESSION.tools)


def test_help_of_a_command(capsys: pytest.CaptureFixture[str]) -> None:
    print_help(COMMANDS_OF_SESSION, "dblclick")
    said = capsys.readouterr().out
    assert "usage: bidi-server click [TARGET] [BUTTON] [OPTIONS]" in said
    assert "--double-click" in said
    print_help(COMMANDS_OF_SESSION, "sessions")
    assert "List the open sessions" in capsys.readouterr().out
    print_commands()
    assert "bidi-server type [TARGET] TEXT   (also: fill)" in capsys.readouterr().out


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    print_completion(make_parser(COMMANDS_OF_SESSION), shell)
    said = capsys.readouterr().out
    assert "take-screenshot" in said
    assert "double-click" in said


def test_what_json_a_command_takes_is_explained(capsys: pytest.CaptureFixture[str]) -> None:
    print_help(COMMANDS_OF_SESSION, "fill-form")
    assert "value: string or boolean or number" in " ".join(capsys.readouterr().out.split())
