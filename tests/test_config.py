"""Options: their sources, what they may be, and what is said when they are wrong."""

import json
import re
from pathlib import Path
from typing import get_args

import pytest
from pydantic.alias_generators import to_camel

from bidi_server.cli import make_parser
from bidi_server.config import Capability, Config, ConfigError, load_config
from bidi_server.http_credentials import EXAMPLE, HttpCredentials

PAGES = "a pattern of http or https pages, such as example.com or http://localhost:*"
RANGE = "ip: with loopback, private, link-local, local, or a range such as ip:10.0.0.0/8"
PLACE = "a host, with :PORT or :* if need be, and a path after a slash, such as localhost:*/docs/*"
NAME = "the name of a host, such as bidi.example.com, without scheme, port, path and *"


def message(
    arguments: dict[str, object] | None = None, environment: dict[str, str] | None = None, file: Path | None = None
) -> str:
    with pytest.raises(ConfigError) as raised:
        load_config(arguments or {}, environment or {}, file)
    assert "\n" not in str(raised.value)
    return str(raised.value)


def test_defaults() -> None:
    assert load_config({}, {}) == Config()


def test_arguments_win_over_environment_over_file(tmp_path: Path) -> None:
    file = tmp_path / "options.toml"
    file.write_text('browser = "firefox"\nmax-sessions = 3\naction_timeout = 1.5\n')
    environment = {"BIDI_SERVER_MAX_SESSIONS": "4", "BIDI_SERVER_ACTION_TIMEOUT": "2"}
    config = load_config({"action_timeout": "3"}, environment, file)
    assert (config.browser, config.max_sessions, config.action_timeout) == ("firefox", 4, 3.0)


def test_names_in_a_file_may_be_those_of_json(tmp_path: Path) -> None:
    file = tmp_path / "options.json"
    file.write_text(json.dumps({to_camel(name): getattr(Config(), name) for name in Config.model_fields}, default=str))
    assert load_config({}, {}, file) == Config()


def test_a_file_may_begin_with_a_byte_order_mark(tmp_path: Path) -> None:
    for name, text in (("options.toml", "max-sessions = 3"), ("options.json", '{"maxSessions": 3}')):
        (tmp_path / name).write_text(text, "utf-8-sig")
        assert load_config({}, {}, tmp_path / name).max_sessions == 3


def test_the_environment_can_name_the_file(tmp_path: Path) -> None:
    named, given = tmp_path / "named.json", tmp_path / "given.json"
    named.write_text('{"headed": true, "viewport": [800, 600]}')
    given.write_text('{"max_sessions": 2}')
    environment = {"BIDI_SERVER_CONFIG": str(named)}
    assert load_config({}, environment) == Config(headed=True, viewport=(800, 600))
    assert load_config({}, environment, given) == Config(max_sessions=2)


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("viewport", "1024x768", (1024, 768)),
        ("viewport", " 1024 X 768 ", (1024, 768)),
        ("caps", "vision, pdf", ("vision", "pdf")),
        ("caps", "", ()),
        ("headed", "1", True),
        ("headed", "false", False),
        ("executable", "~/chrome", Path.home() / "chrome"),
        ("idle_timeout", "0.5", 0.5),
        ("output_max_size", "500MB", 500_000_000),
        ("output_max_size", "1234", 1234),
        ("log_level", "debug", "debug"),
    ],
)
def test_text_becomes_what_the_option_is(name: str, text: str, value: object) -> None:
    assert getattr(load_config({}, {f"BIDI_SERVER_{name.upper()}": text}), name) == value


_CAPABILITIES = re.sub(", ('[a-z]+')$", r" or \1", ", ".join(map(repr, get_args(Capability))))


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("browser", "safari", "must be one of 'chromium', 'firefox' or 'webkit', not 'safari'."),
        ("headed", "maybe", "must be true or false, not 'maybe'."),
        ("viewport", "wide", "must be WIDTHxHEIGHT in pixels, such as 1280x720, not 'wide'."),
        ("viewport", [1, 2, 3], "must be WIDTHxHEIGHT in pixels, such as 1280x720, not [1, 2, 3]."),
        ("viewport", "0x768", "must be greater than 0, not '0'."),
        ("caps", "vision,telepathy", f"must be one of {_CAPABILITIES}, not 'telepathy'."),
        ("caps", 5, "must be names, separated by commas, not 5."),
        ("executable", 5, "must be a path, not 5."),
        ("max_sessions", "1.5", "must be a whole number, not '1.5'."),
        ("max_sessions", None, "must be a whole number, not None."),
        ("action_timeout", "soon", "must be a number, not 'soon'."),
        ("action_timeout", "-1", "must be greater than 0, not '-1'."),
        ("allowed_urls", "ftp://a.org", f"must be {PAGES}, not 'ftp://a.org'."),
        ("blocked_urls", "ip:10.0.0.1/8", f"must be {RANGE}, not 'ip:10.0.0.1/8'."),
        ("blocked_urls", "ip:lan", f"must be {RANGE}, not 'ip:lan'."),
        ("blocked_urls", "ftp://a.org", f"must be {PAGES}, not 'ftp://a.org'."),
        ("allowed_urls", "exampl?.com", f"must be {PLACE}, not 'exampl?.com'."),
        ("allowed_urls", "localhost:80*", f"must be {PLACE}, not 'localhost:80*'."),
        ("allowed_urls", "about:blank", f"must be {PLACE}, not 'about:blank'."),
        ("allowed_hosts", "*", f"must be {NAME}, not '*'."),
        ("allowed_hosts", "a.org:80", f"must be {NAME}, not 'a.org:80'."),
        ("browser_pref", "a", "must be NAME=VALUE, where VALUE is true, false, a whole number or a text, not 'a'."),
        ("output_max_size", "much", "must be a number of bytes, such as 500000000 or 500MB, not 'much'."),
        ("output_max_size", "0", "must be greater than 0, not 0."),
        ("test_id_attribute", "a b", "must be the name of an attribute, such as data-qa, not 'a b'."),
        ("browser_env", "hunter2", "must be NAME=VALUE."),
        ("http_credentials", "a.org", f"must be {EXAMPLE}."),
        ("http_credentials", "https://a.org", f"must be {EXAMPLE}."),
        ("http_credentials", "https://a:b@a.org:x", f"must be {EXAMPLE}."),
    ],
)
def test_a_wrong_value_names_option_source_and_what_fits(name: str, value: object, said: str, tmp_path: Path) -> None:
    assert message({name: value}) == f"--{name.replace('_', '-')}: it {said}"
    file = tmp_path / "options.json"
    file.write_text(json.dumps({name: value}))
    assert message(file=file) == f"{name} in {file}: it {said}"
    if isinstance(value, str):
        assert message(environment={f"BIDI_SERVER_{name.upper()}": value}) == f"BIDI_SERVER_{name.upper()}: it {said}"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("host", "127.0.0.1"),
        ("port", "80"),
        ("token_file", __file__),
        ("allowed_hosts", "bidi.example.com"),
        ("certfile", __file__),
        ("keyfile", __file__),
    ],
)
def test_an_option_that_does_nothing_is_refused(name: str, value: str) -> None:
    flag = f"--{name.replace('_', '-')}"
    with pytest.raises(ConfigError, match=rf"^{flag}: it does nothing without --transport http"):
        load_config({name: value}, {})
    load_config({name: value, "transport": "http"}, {})
    load_config({}, {f"BIDI_SERVER_{name.upper()}": value})


def test_a_former_name(tmp_path: Path) -> None:
    file = tmp_path / "options.json"
    file.write_text('{"screenshot-dir": "there"}')
    assert load_config({}, {}, file).output_dir == Path("there")
    assert load_config({}, {"BIDI_SERVER_SCREENSHOT_DIR": "here"}, file).output_dir == Path("here")
    parsed = vars(make_parser().parse_args(["--screenshot-dir", "mine"]))
    assert load_config({"output_dir": parsed["output_dir"]}, {}, file).output_dir == Path("mine")
    assert message(environment={"BIDI_SERVER_SCREENSHOT_DIR": "a\0b"}).startswith("BIDI_SERVER_SCREENSHOT_DIR: it must")


def test_an_unknown_option_in_a_file(tmp_path: Path) -> None:
    file = tmp_path / "options.toml"
    file.write_text("heded = true")
    assert message(file=file) == f"heded in {file}: there is no such option. Did you mean headed?"
    file.write_text("colour = true")
    assert message(file=file).startswith(f"colour in {file}: there is no such option. Options: browser, headed, ")


def test_a_variable_that_is_nearly_an_option_is_a_mistake_and_another_is_not() -> None:
    said = "BIDI_SERVER_BROWSR: there is no such option. Did you mean BIDI_SERVER_BROWSER?"
    assert message(environment={"BIDI_SERVER_BROWSR": "firefox"}) == said
    assert load_config({}, {"BIDI_SERVER_PORT": "tcp://10.0.0.1:80", "BROWSER": "lynx"}) == Config()


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("a.json", b"{", "it is not JSON: Expecting property name"),
        ("a.toml", b"browser = ", "it is not TOML: Invalid value"),
        ("a.toml", b"\xff", "it is not TOML: 'utf-8' codec can't decode"),
        ("a.json", b"[1]", "it must be an object of options, such as"),
    ],
)
def test_a_file_that_holds_no_options(name: str, content: bytes, said: str, tmp_path: Path) -> None:
    file = tmp_path / name
    file.write_bytes(content)
    assert message(file=file).startswith(f"--config {file}: {said}")


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    assert (
        message(file=tmp_path / "none") == f"--config {tmp_path / 'none'}: it can't be read: No such file or directory"
    )
    assert message(file=tmp_path).startswith(f"--config {tmp_path}: it can't be read: ")


@pytest.mark.parametrize(
    ("text", "origin", "password"),
    [
        ("https://ada:s%40x@example.com", "https://example.com", "s@x"),
        ("http://ada:x@localhost:8000/", "http://localhost:8000", "x"),
        ("http://ada:x@EXAMPLE.com:80", "http://example.com", "x"),
        ("http://ada@[::1]:8000", "http://[::1]:8000", ""),
    ],
)
def test_http_credentials_are_of_one_origin(text: str, origin: str, password: str) -> None:
    assert HttpCredentials.parse(text) == HttpCredentials(origin, "ada", password)


@pytest.mark.parametrize("value", ["no colon", "A B: c", ": c", "A: b\nC: d"])
def test_a_header_is_a_name_and_a_value(value: str) -> None:
    with pytest.raises(ConfigError, match='--extra-header: it must be "NAME: VALUE"') as raised:
        load_config({"extra_header": [value]}, {})
    assert "b" not in str(raised.value).partition("VALUE")[2]  # it may be a secret


def test_a_profile_has_no_proxy_of_ours(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="--proxy-server: a profile has the proxy of its own settings"):
        load_config({"proxy_server": "http://proxy:3128", "user_data_dir": tmp_path}, {})


@pytest.mark.parametrize("option", ["endpoint", "grid_url", "user_data_dir"])
def test_egress_is_not_for_browsers_elsewhere(option: str) -> None:
    values = {option: "http://127.0.0.1:4444" if option != "user_data_dir" else "profile"}
    expected = rf"^--{option.replace('_', '-')}: --egress public holds only for browsers that the server starts"
    for source in ({"egress": "public"}, {"transport": "http"}):
        with pytest.raises(ConfigError, match=expected):
            load_config({**values, **source}, {})
        load_config({**values, **source, "egress": "open"}, {})
    load_config(values, {})


@pytest.mark.parametrize("value", ["open, public", "example.com/docs", "POST example.com", "ip:nowhere", "a b"])
def test_egress_takes_hosts(value: str) -> None:
    with pytest.raises(ConfigError, match=r"^--egress: it must be "):
        load_config({"egress": value}, {})


def test_egress_by_default() -> None:
    assert load_config({}, {}).egress_policy is None
    policy = load_config({"transport": "http"}, {}).egress_policy
    assert policy is not None
    assert policy.public
