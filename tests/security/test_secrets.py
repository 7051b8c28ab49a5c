"""Secrets: no value leaves the server by any way, and none goes where it is not for."""

import base64
import hashlib
import hmac
import json
import logging
import os
import re
import struct
import sys
import time
from collections.abc import Callable, Iterator
from io import BytesIO
from pathlib import Path
from urllib.parse import quote, urlsplit

import pytest
from mcp.shared.exceptions import MCPError
from PIL import Image, ImageChops

from bidi_server.attacks.secret_values import ENCODINGS, PLAIN, VALUE, found_in
from bidi_server.browser.disk import write
from bidi_server.config import Config, ConfigError
from bidi_server.errors import InvalidParametersError, ToolError
from bidi_server.plan.model import Element, Locator, Plan, Step
from bidi_server.plan.pytest_code import export_pytest
from bidi_server.secret import vault as vaults
from bidi_server.secret.dotenv import parse
from bidi_server.secret.encodings import base64_parts
from bidi_server.secret.options import with_secrets
from bidi_server.secret.parameters import SECRETS, fill
from bidi_server.secret.redaction import FOLDED, REDACTOR, Redactor, redact, redact_file
from bidi_server.secret.text import SecretText
from bidi_server.secret.vault import Vault
from bidi_server.tools.base import tools_of
from tests.drivers.conftest import until
from tests.support.world import Agent
from tests.tools.test_page_voice import walked

MakeAgent = Callable[..., Agent]


@pytest.fixture(autouse=True)
def no_values() -> Iterator[None]:
    yield
    REDACTOR.forget()
    REDACTOR.is_used = False
    vaults._vaults.clear()


def write_secrets(folder: Path, text: str) -> Path:
    file = folder / "secrets.env"
    file.touch(0o600)
    file.write_text(text)
    return file


def told(pieces: str, value: str, name: str = "NAME") -> str:
    """Return a text without a value, of a redactor that knows only that."""
    redactor = Redactor()
    redactor.learn(value, name)
    return redactor.redact(pieces)


# Redaction


VALUES = (VALUE, PLAIN, "a\"b'c\\d/e", "äöü€😀=", "two words and more", "%7B%22", "\\u0041bc")

ENCODED = [
    (encoding, value)
    for encoding in ENCODINGS
    for value in VALUES
    # "\x" is for characters up to U+00FF, and "\U0041" is no escape.
    if not (encoding == "JavaScript" and max(map(ord, value)) > 0xFF)
    and not (encoding == "upper case" and (len(value) < FOLDED or "\\u" in value))
]


@pytest.mark.parametrize(("encoding", "value"), ENCODED)
def test_a_value_is_found_in_every_encoding(encoding: str, value: str) -> None:
    encoded = ENCODINGS[encoding](value)
    text = told(f"before {encoded} after", value)
    assert "{{NAME}}" in text
    assert text.startswith("before ")
    assert text.endswith(" after")
    if "base64" not in encoding:
        assert text in {"before {{NAME}} after", "before data:,{{NAME}} after"}
    assert found_in(text, value) == []


@pytest.mark.parametrize("length", range(4, 12))
def test_short_values_are_found_in_base64_too(length: int) -> None:
    value = "Q7-z_P2!k9,"[:length]
    for before in ("", "u", "u:", "user:"):
        text = told(base64.b64encode(f"{before}{value}:more".encode()).decode(), value)
        assert "{{NAME}}" in text


def test_a_text_that_was_cut_off_shows_no_part() -> None:
    for length in range(4, len(PLAIN)):
        assert told(f"a {PLAIN[:length]}… b", PLAIN) == "a {{NAME}}… b"
        assert told(f"a …{PLAIN[-length:]} b", PLAIN) == "a …{{NAME}} b"
    encoded = quote(VALUE, safe="")
    assert told(f"{encoded[:12]}…", VALUE) == "{{NAME}}…"
    assert told(f"{base64.b64encode(VALUE.encode()).decode()[:15]}…", VALUE) == "{{NAME}}…"
    assert told(json.dumps(f"{PLAIN[:8]}…"), PLAIN) == json.dumps("{{NAME}}…").replace("\\u2026", "\\u2026")


def test_what_is_no_value_stays() -> None:
    text = 'Page "A" http://a.test/?q=%20&x=\\u0041 &amp; Correct-Horse-4 YWJj'
    assert told(text, PLAIN) == text
    assert told("key keys KEY", "keys") == "key {{NAME}} KEY"  # a short one only in its own case


def test_of_two_values_the_longer_is_found() -> None:
    redactor = Redactor()
    redactor.learn("password", "A")
    redactor.learn("password-of-mine", "B")
    assert redactor.redact("password password-of-mine") == "{{A}} {{B}}"


def test_pictures_stay_as_they_are_and_other_bytes_do_not() -> None:
    REDACTOR.learn(PLAIN, "NAME")
    data = b"\x89PNG" + PLAIN.encode()
    assert redact_file(data, "a.png") == data
    assert redact_file(data, "a.bin") == b"\x89PNG{{NAME}}"
    assert redact_file(b"\xff\xfe" + PLAIN.encode() + b"\x80", "a.txt") == b"\xff\xfe{{NAME}}\x80"


def test_a_megabyte_takes_little_time() -> None:
    text = "".join(f'- link "Number {n} of %20 &amp; \\u0041" [ref=e{n}]\n' for n in range(22_000))
    redactor = Redactor()
    for number in range(50):
        redactor.learn(hashlib.sha256(bytes([number])).hexdigest()[:20], f"N{number}")
    start = time.perf_counter()
    assert redactor.redact(text) == text
    assert time.perf_counter() - start < 10  # 0.3 s on an idle machine


def test_the_log_has_no_value(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    vaults.vault(write_secrets(tmp_path, f"NAME={PLAIN}\n"), None)
    logger = logging.getLogger("bidi_server.test")
    try:
        int(f"about {PLAIN}")
    except ValueError:
        logger.exception("failed with %s", quote(PLAIN))
    assert "failed with {{NAME}}" in caplog.text
    assert "'about {{NAME}}'" in caplog.text
    assert PLAIN not in caplog.text


# The file


def test_the_file_is_dotenv() -> None:
    text = """# of mine
        A=plain value # said
        export B = 'single # "quoted"'   # said
        C="a\\"b\\\\c\\nd"
        D@https://bank.example,http://localhost:8080=x#=y
        E="two
lines"
        F=
        """
    found = {entry.name: (entry.value, entry.origins) for entry in parse(text)}
    assert found == {
        "A": ("plain value", ()),
        "B": ('single # "quoted"', ()),
        "C": ('a"b\\c\nd', ()),
        "D": ("x#=y", ("https://bank.example", "http://localhost:8080")),
        "E": ("two\nlines", ()),
        "F": ("", ()),
    }


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("A=long-enough\nB\n", "line 2 is not NAME=value"),
        ("A='long-enough\n", "line 1 is not NAME=value"),
        ("1A=long-enough\n", "line 1 is not NAME=value"),
        ("A=abc\n", "A in line 1 has fewer than 4 characters"),
        ("A=\n", "A in line 1 has fewer than 4 characters"),
        ("A=long-enough\nA=long-enough\n", "A in line 2 is there already"),
        ("A@bank.example=long-enough\n", "A in line 1 is for an origin that is none"),
        ("A@https://bank.example/path=long-enough\n", "A in line 1 is for an origin that is none"),
        ("A@ftp://bank.example=long-enough\n", "A in line 1 is for an origin that is none"),
        (f"A={'x' * 10_001}\n", "A in line 1 has more than 10000 characters"),
    ],
)
def test_a_wrong_file_is_an_error_without_its_content(tmp_path: Path, text: str, said: str) -> None:
    file = write_secrets(tmp_path, text)
    with pytest.raises(ConfigError, match=re.escape(said)) as error:
        with_secrets(Config(secrets=file))
    assert "long-enough" not in str(error.value)
    assert str(error.value).startswith("--secrets ")


@pytest.mark.skipif(os.name != "posix", reason="modes of files")
def test_others_must_not_read_the_file(tmp_path: Path) -> None:
    file = write_secrets(tmp_path, f"NAME={PLAIN}\n")
    for mode in (0o640, 0o604, 0o620):
        file.chmod(mode)
        with pytest.raises(ConfigError, match=r"other users may read it .* chmod 600"):
            with_secrets(Config(secrets=file))
        vaults._vaults.clear()
    file.chmod(0o400)
    with_secrets(Config(secrets=file))


def test_a_missing_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="No such file"):
        with_secrets(Config(secrets=tmp_path / "none"))


def test_the_file_is_read_again_when_it_changed(tmp_path: Path) -> None:
    file = write_secrets(tmp_path, "NAME=first-value\n")
    vault = Vault(file, ())
    assert vault.get("NAME").value == "first-value"
    file.write_text("NAME=second-one\nMORE=another-value\n")
    assert vault.get("NAME").value == "second-one"
    assert redact("first-value second-one another-value") == "{{NAME}} {{NAME}} {{MORE}}"
    file.write_text("broken\n")
    with pytest.raises(ToolError, match="NAME can't be read: line 1"):
        vault.get("NAME")


def test_an_unknown_name_is_an_error_with_the_names_that_exist(tmp_path: Path) -> None:
    vault = Vault(write_secrets(tmp_path, f"ONE={PLAIN}\nTWO=other-value\n"), ())
    with pytest.raises(InvalidParametersError, match=r"There is no secret THREE\. There are: ONE, TWO\."):
        vault.get("THREE")


# The command


def command(code: str) -> tuple[str, ...]:
    return sys.executable, "-c", code


def test_a_command_is_asked_by_name(tmp_path: Path) -> None:
    vault = Vault(None, command("import sys; print('value of', sys.argv[1])"))
    assert vault.get("BANK").value == "value of BANK"
    assert redact("value of BANK\n") == "{{BANK}}\n"
    vault = Vault(None, command("print('two\\nlines\\n')"))
    assert vault.get("BANK").value == "two\nlines\n"


def test_a_file_says_which_names_a_command_gets(tmp_path: Path) -> None:
    file = write_secrets(tmp_path, f"HERE={PLAIN}\nTHERE@https://bank.example=\n")
    vault = Vault(file, command("import sys; print('value of', sys.argv[1])"))
    assert vault.get("HERE").value == PLAIN
    assert vault.get("THERE") == vaults.Secret("value of THERE", ("https://bank.example",))
    with pytest.raises(InvalidParametersError, match="There are: HERE, THERE"):
        vault.get("ELSEWHERE")


@pytest.mark.parametrize(
    ("code", "said"),
    [
        (f"import sys; print({PLAIN!r}); sys.exit({PLAIN!r})", "has no secret NAME: it ended with status 1"),
        ("print('abc')", "NAME has fewer than 4 characters"),
        ("import sys; sys.stdout.buffer.write(b'\\xff' * 8)", "is not UTF-8"),
        ("print('a\\0bcdef')", "NAME has a NUL character"),
    ],
)
def test_errors_of_a_command_never_show_its_output(code: str, said: str) -> None:
    with pytest.raises(ToolError, match=re.escape(said)) as error:
        Vault(None, command(code)).get("NAME")
    assert PLAIN not in str(error.value)


def test_a_command_that_does_not_exist() -> None:
    with pytest.raises(ToolError, match="can't be run: No such file"):
        Vault(None, ("/none/such",)).get("NAME")


@pytest.mark.skipif(os.name != "posix", reason="process groups")
async def test_a_command_that_hangs_is_ended_with_all_that_it_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vaults, "COMMAND_SECONDS", 1)
    ids = tmp_path / "ids"
    script = f"sleep 60 & echo $! $$ > {ids}; echo {PLAIN}; wait"
    start = time.monotonic()
    with pytest.raises(ToolError, match="did not answer for NAME within 1 s") as error:
        Vault(None, ("/bin/sh", "-c", script)).get("NAME")
    assert time.monotonic() - start < 10
    assert PLAIN not in str(error.value)
    await until(lambda: not any(map(is_running, ids.read_text().split())))


def is_running(process: str) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def test_a_value_of_a_command_is_used_again_for_a_while(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = tmp_path / "calls"
    vault = Vault(None, command(f"open({str(calls)!r}, 'a').write('x'); print('some value')"))
    vault.get("NAME")
    vault.get("NAME")
    assert calls.read_text() == "x"
    later = time.monotonic() + vaults.FRESH_SECONDS + 1
    monkeypatch.setattr(vaults.time, "monotonic", lambda: later)
    vault.get("NAME")
    assert calls.read_text() == "xx"


# One-time codes

KEY = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"


def code_at(key: bytes, moment: float, digits: int = 6, period: int = 30) -> str:
    """Return a code as RFC 6238 defines it."""
    digest = hmac.new(key, struct.pack(">Q", int(moment) // period), hashlib.sha1).digest()
    at = digest[-1] & 15
    return str((struct.unpack(">I", digest[at : at + 4])[0] & 0x7FFFFFFF) % 10**digits).zfill(digits)


@pytest.mark.parametrize(
    ("value", "digits"),
    [
        (KEY, 6),
        (KEY.lower(), 6),
        (" ".join(re.findall("....", KEY)), 6),
        (f"otpauth://totp/Bank:ada?secret={KEY}&issuer=Bank&digits=8", 8),
    ],
)
def test_one_time_codes(tmp_path: Path, value: str, digits: int) -> None:
    vault = Vault(write_secrets(tmp_path, f"OTP='{value}'\n"), ())
    before = code_at(b"12345678901234567890", time.time(), digits)
    code = vault.code("OTP").value
    assert code in {before, code_at(b"12345678901234567890", time.time(), digits)}
    assert redact(f"code {code} of {KEY}") == ("code {{OTP.totp}} of {{OTP}}")


def test_what_is_no_key(tmp_path: Path) -> None:
    for value in ("not a key at all!", "otpauth://hotp/x?secret=ABCDEFGHIJKLMNOP&counter=1", "otpauth://totp/x"):
        vault = Vault(write_secrets(tmp_path, f"OTP='{value}'\n"), ())
        with pytest.raises(ToolError, match="OTP is no key for one-time codes"):
            vault.code("OTP")


# Options


def test_options_take_secrets(tmp_path: Path) -> None:
    file = write_secrets(tmp_path, f"PW='{VALUE}'\nME=ada@example\n")
    config = with_secrets(
        Config(
            secrets=file,
            http_credentials=("https://{{ME}}:{{PW}}@bank.example",),
            extra_header=("X-Key: {{PW}}",),
            proxy_server="http://{{ME}}:{{PW}}@proxy.example:3128",
        )
    )
    assert config.extra_header == (f"X-Key: {VALUE}",)
    assert config.http_credentials == (f"https://{quote('ada@example')}:{quote(VALUE, safe='')}@bank.example",)
    assert config.proxy_server == f"http://{quote('ada@example')}:{quote(VALUE, safe='')}@proxy.example:3128"


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("http_credentials", ("https://me:{{PW}}@evil.example",)),
        ("http_credentials", ("http://me:{{PW}}@bank.example",)),
        ("proxy_server", "http://me:{{PW}}@proxy.example:3128"),
        ("extra_header", ("X-Key: {{PW}}",)),
    ],
)
def test_options_refuse_a_secret_that_is_for_another_origin(tmp_path: Path, option: str, value: object) -> None:
    file = write_secrets(tmp_path, f"PW@https://bank.example={PLAIN}\n")
    with pytest.raises(ConfigError, match=r"PW may not be used .* It is only for https://bank\.example\."):
        with_secrets(Config.model_validate({"secrets": file, option: value}))
    with_secrets(Config(secrets=file, http_credentials=("https://me:{{PW}}@bank.example",)))


def test_two_secrets_in_a_text_are_for_what_both_are_for(tmp_path: Path) -> None:
    file = write_secrets(tmp_path, "A@https://a.test,https://b.test=value-a\nB@https://b.test=value-b\nC=value-c\n")
    config = Config(secrets=file)
    both = fill("{{A}} {{B}} {{C}}", config)
    assert isinstance(both, SecretText)
    assert (both, both.origins, both.names) == ("value-a value-b value-c", ("https://b.test",), "A and B and C")
    assert repr(both) == "'{{A}} {{B}} {{C}}'"
    free = fill("{{C}}", config)
    assert isinstance(free, SecretText)
    assert free.origins is None


# Exported tests


def test_exported_tests_read_the_environment() -> None:
    field = {"selector": Element("textbox", "Text", "input", locators=(Locator("role", "x", 1),))}
    typed = Step("browser_type", {"text": "me: {{PW}}!"}, field, secrets=("PW",))
    coded = Step("browser_type", {"text": "{{OTP.totp}}"}, field, secrets=("OTP",))
    literal = Step("browser_type", {"text": "{{OTHER}}"}, field)
    plan = Plan("x", (typed, coded, literal), "http://site.test")
    files = export_pytest(plan).files
    code = next(text for name, text in files.items() if name.startswith("test_"))
    assert '"me: " + os.environ["PW"] + "!"' in code
    assert 'pyotp.TOTP(os.environ["OTP"]).now()' in code
    assert "import pyotp\n" in code
    assert '"{{OTHER}}"' in code
    assert "pyotp>=" in files["tox.ini"]
    compile(code, "test", "exec")


# Files that the server did not write


def test_a_file_of_another_program_is_not_replaced(tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    file.write_bytes(b"theirs")
    with pytest.raises(FileExistsError):
        write(file, b"ours", overwrite=False)
    assert file.read_bytes() == b"theirs"
    file.unlink()
    write(file, b"ours", overwrite=False)
    write(file, b"ours again", overwrite=False)
    assert file.read_bytes() == b"ours again"
    file.write_bytes(b"changed by them")
    with pytest.raises(FileExistsError):
        write(file, b"ours", overwrite=False)
    (tmp_path / "link").symlink_to(file)
    with pytest.raises(FileExistsError):
        write(tmp_path / "link", b"ours", overwrite=False)
    write(file, b"ours", overwrite=True)
    assert file.read_bytes() == b"ours"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.txt", "link"]


# In a browser


def test_files_of_tools(make_agent: MakeAgent, tmp_path: Path) -> None:
    shots = tmp_path / "shots"
    shots.mkdir()
    for name in ("a.png", "a.har", "state.json"):
        (shots / name).write_bytes(b"theirs")
    for overwrite in (False, True):
        agent = make_agent(caps=["network", "storage"], overwrite=overwrite)
        agent.show("<p>Hello</p>")
        for tool, name in (
            ("browser_take_screenshot", "a.png"),
            ("browser_export_har", "a.har"),
            ("browser_storage_state", str(shots / "state.json")),
        ):
            for _ in range(2):
                answer = agent(tool, filename=name)
                assert answer.is_error is not overwrite
                assert ("--overwrite" in answer) is not overwrite
        assert ((shots / "a.png").read_bytes() == b"theirs") is not overwrite


HOSTILE = f" {PLAIN} " + " ".join(encode(VALUE) for name, encode in ENCODINGS.items() if name != "upper case")
"""What the page puts into each of its places."""


@pytest.mark.usefixtures("axe_core")
def test_no_tool_shows_a_value(make_agent: MakeAgent, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO")
    caplog.set_level("DEBUG", "bidi_server")
    secrets = write_secrets(tmp_path, f"PLAIN={PLAIN}\nVALUE='{VALUE}'\n")
    walk = walked(make_agent, HOSTILE, tmp_path, secrets=secrets)
    assert walk.tools.keys() - walk.said.keys() == set(), "every tool is called"
    values = (PLAIN, VALUE)
    leaks = {tool: found for tool, texts in walk.said.items() if (found := leaks_in("\n".join(texts), values))}
    assert leaks == {}
    assert leaks_in(caplog.text, values) == []
    assert sum("{{" in text for texts in walk.said.values() for text in texts) > 100, "the page shows them everywhere"
    for file in (tmp_path / "shots").rglob("*"):
        if file.is_file() and file.suffix != ".png" and not file.name.startswith(("storage-state", "state")):
            assert leaks_in(file.read_text(errors="replace"), values) == [], file.name


def leaks_in(text: str, values: tuple[str, ...]) -> list[str]:
    return [f"{value}: {each}" for value in values for each in found_in(text, value)]


LOGIN = """<form action="/login"><input id=name aria-label=Name><input id=pw type=password aria-label=Password>
<input id=open aria-label=Open><textarea id=area aria-label=Area></textarea><button>Log in</button></form>
<p id=heard></p>
<script>addEventListener('input', (event) => console.log('heard', event.target.value));</script>"""


def test_a_secret_is_entered_and_told_by_its_name(make_agent: MakeAgent, tmp_path: Path) -> None:
    file = write_secrets(tmp_path, f"PW='{VALUE}'\nME=ada-lovelace\n")
    agent = make_agent(caps=["testing", "storage"], secrets=file)
    page = agent.show(LOGIN)
    answer = agent("browser_type", ref=page.ref("textbox", "Open"), text="{{PW}}")
    assert 'Typed "{{PW}}" into' in answer
    filled = agent(
        "browser_fill_form",
        fields=[{"selector": "#name", "value": "I am {{ME}}"}, {"selector": "#pw", "value": "{{PW}}"}],
    )
    assert 'Filled "I am {{ME}}" into' in filled
    backwards = "e.value.split('').reverse().join('')"
    sums = f"[...document.querySelectorAll('input')].map((e) => btoa(unescape(encodeURIComponent({backwards}))))"
    entered = json.loads(agent.evaluate(sums))
    assert [base64.b64decode(each).decode()[::-1] for each in entered] == ["I am ada-lovelace", VALUE, VALUE]
    shown = agent("browser_snapshot", allRefs=True)
    assert 'textbox "Open"' in shown
    assert "{{PW}}" in shown
    heard = agent("browser_console_messages", level="debug").text
    # The page heard of no beginning of it.
    assert set(re.findall(r"heard (.*?) @", heard)) == {"{{PW}}", "I am {{ME}}"}
    plan = agent("browser_export_test", format="plan", path="plan.json")
    assert "set the variables of the environment: PW, ME" in plan
    steps = json.loads((tmp_path / "shots" / "plan.json").read_text())["steps"]
    assert [step["arguments"]["text"] for step in steps if "text" in step["arguments"]] == ["{{PW}}"]
    exported = agent("browser_export_test", path="tests")
    assert not exported.is_error
    code = "".join(path.read_text() for path in (tmp_path / "shots" / "tests").glob("*.py"))
    assert 'os.environ["PW"]' in code
    assert '"I am " + os.environ["ME"]' in code
    replayed = agent("browser_replay", path=str(tmp_path / "shots" / "plan.json"))
    assert not replayed.is_error, replayed.text


def test_only_marked_parameters_take_secrets(make_agent: MakeAgent, tmp_path: Path) -> None:
    agent = make_agent(secrets=write_secrets(tmp_path, f"PW={PLAIN}\n"))
    agent.show("<p>{{PW}}</p><input id=i aria-label=Field>")
    assert agent("browser_snapshot").text.count("{{PW}}") == 1
    assert agent.evaluate("() => '{{PW}}'.length") == "6"
    assert agent.evaluate("() => document.querySelector('p').textContent.length") == "6"
    assert "?q={{PW}}" in agent("browser_navigate", url=agent.site.url_for("/echo?q={{PW}}")).text.replace(
        "%7B", "{"
    ).replace("%7D", "}")
    answer = agent("browser_type", selector="#i", text="{{NONE}}")
    assert answer.is_error
    assert "There is no secret NONE. There are: PW." in answer


def test_parameters_of_tools_that_take_secrets() -> None:
    marked = {
        f"{name}.{field}"
        for toolset in ("browser", "vision", "extract")
        for name, tool in tools_of(f"bidi_server.tools.{toolset}").items()
        for field, info in tool.model_fields.items()
        if SECRETS in info.metadata
    }
    assert marked == {
        "browser.fill.value",
        "browser_cookie_set.value",
        "browser_handle_dialog.prompt_text",
        "browser_localstorage_set.value",
        "browser_route.body",
        "browser_route.headers",
        "browser_sessionstorage_set.value",
        "browser_type.text",
        "enable_request_interception.body",
        "enable_request_interception.headers",
        "type_text.text",
    }  # beside those in models within them: fields of a form, cookies, the login of a proxy


def test_without_secrets_braces_are_text(agent: Agent) -> None:
    agent.show("<input id=i aria-label=Field>")
    assert 'Typed "{{PW}}"' in agent("browser_type", selector="#i", text="{{PW}}")


def test_other_tools_enter_secrets(make_agent: MakeAgent, tmp_path: Path) -> None:
    agent = make_agent(
        toolset=["browser", "vision", "extract"],
        caps=["storage", "network"],
        secrets=write_secrets(tmp_path, f"PW={PLAIN}\n"),
    )
    agent.show("<button onclick=\"document.title = prompt('Word?').length\">Ask</button>")
    agent("browser_click", selector="button")
    agent("browser_handle_dialog", accept=True, promptText="{{PW}}")
    assert agent.evaluate("() => document.title") == str(len(PLAIN))
    agent("browser_localstorage_set", key="k", value="v={{PW}}")
    agent("browser_sessionstorage_set", key="k", value="v={{PW}}")
    lengths = "() => [localStorage.k.length, sessionStorage.k.length]"
    assert json.loads(agent.evaluate(lengths)) == [len(PLAIN) + 2] * 2
    assert "v={{PW}}" in agent("browser_localstorage_get", key="k")
    agent("browser_cookie_set", name="c", value="{{PW}}")
    assert '"{{PW}}"' in agent("browser_cookie_get", name="c")
    agent("browser_route", pattern="**/echo*", headers=["X-Key: Bearer {{PW}}"])
    sent = "async () => JSON.stringify((await (await fetch('/echo?route')).text())).split('orrect-Horse-42').length"
    assert agent.evaluate(sent) != "1"
    recorded = next(each for each in agent.site.requests if each.query == "route")
    assert recorded.headers["x-key"] == f"Bearer {PLAIN}"
    assert PLAIN in recorded.headers["cookie"]
    assert "X-Key: Bearer {{PW}}" in agent("browser_route_list")


def test_a_page_in_the_other_toolsets(make_agent: MakeAgent, tmp_path: Path) -> None:
    agent = make_agent(toolset=["vision", "extract"], secrets=write_secrets(tmp_path, f"PW={PLAIN}\n"))
    url = agent.run(lambda: agent.site.html(LOGIN))
    session = json.loads(agent("create_browser_session").text)["session_id"]
    agent("navigate", session_id=session, url=url)
    assert not agent("type_text", session_id=session, selector="#open", text="{{PW}}").is_error
    assert "not typed key by key" in agent("type_text", session_id=session, selector="#open", text="{{PW}}", delay=10)
    assert PLAIN not in agent("get_html", session_id=session).text


def test_a_secret_is_not_typed_slowly(make_agent: MakeAgent, tmp_path: Path) -> None:
    agent = make_agent(secrets=write_secrets(tmp_path, f"PW={PLAIN}\nOTP={KEY}\n"))
    agent.show(LOGIN)
    answer = agent("browser_type", selector="#open", text="{{PW}}", slowly=True)
    assert answer.is_error
    assert "not typed key by key" in answer
    answer = agent("browser_type", selector="#area", text="{{OTP.totp}}", slowly=True)
    assert 'Typed "{{OTP.totp}}"' in answer
    assert agent.evaluate("() => /^[0-9]{6}$/.test(document.querySelector('#area').value)") == "true"


# Bound secrets


@pytest.fixture
def bound(make_agent: MakeAgent, tmp_path: Path) -> Agent:
    """A client whose secrets are for the other origin of the site only."""
    file = write_secrets(tmp_path, "")
    agent = make_agent(toolset=["browser", "vision", "extract"], caps=["storage", "network", "sessions"], secrets=file)
    file.write_text(f"PW@{agent.site.other_url}={PLAIN}\nOTP@{agent.site.other_url}={KEY}\n")
    return agent


def assert_refused(answer: object, where: str = "") -> None:
    text = str(answer)
    assert "may not be used" in text, text
    assert where in text, text
    assert "It is only for http://localhost:" in text, text


def other(agent: Agent, url: str) -> str:
    return agent.site.other_url_for(urlsplit(url).path)


FIELDS = """<input id=i aria-label=Field><textarea id=t aria-label=Area></textarea>
<div id=e contenteditable role=textbox aria-label=Editor>x</div>"""


def test_a_bound_secret_is_for_tabs_of_its_origin(bound: Agent) -> None:
    url = bound.run(lambda: bound.site.html(FIELDS))
    for selector in ("#i", "#t", "#e"):
        bound("browser_navigate", url=url)
        assert_refused(bound("browser_type", selector=selector, text="{{PW}}"), "of http://127.0.0.1")
        assert_refused(bound("browser_type", selector=selector, text="{{OTP.totp}}", slowly=True))
        assert_refused(bound("browser_fill_form", fields=[{"selector": selector, "value": "{{PW}}"}]))
        bound("browser.navigate", url=url)
        with pytest.raises(MCPError) as error:
            bound("browser.fill", selector=selector, value="{{PW}}")
        assert_refused(error.value.error.message)
        values = "() => document.querySelector('#i').value + document.querySelector('#t').value"
        bound("browser_navigate", url=url)
        bound("browser_type", selector=selector, text="{{PW}}")
        assert bound.evaluate(f"{values} + document.querySelector('#e').textContent") == "x"
        bound("browser_navigate", url=other(bound, url))
        assert 'Typed "{{PW}}"' in bound("browser_type", selector=selector, text="{{PW}}")


def test_a_bound_secret_is_for_frames_of_its_origin(bound: Agent) -> None:
    inner = bound.run(lambda: bound.site.html(FIELDS))
    outer = bound.run(lambda: bound.site.html(f"<iframe src='{inner}'></iframe>"))
    ours = bound.run(lambda: bound.site.html(f"<iframe src='{other(bound, inner)}'></iframe>"))
    sandboxed = bound.run(
        lambda: bound.site.html(f"<iframe sandbox='allow-scripts' src='{other(bound, inner)}'></iframe>")
    )
    for page, says in (
        (other(bound, outer), "of http://127.0.0.1"),  # a frame of another origin in a page of ours
        (ours, "within http://127.0.0.1"),  # a frame of ours in a page of another origin
        (other(bound, sandboxed), ""),  # a frame with an origin of its own
    ):
        bound("browser_navigate", url=page)
        shown = bound("browser_snapshot")
        assert_refused(bound("browser_type", ref=shown.ref("textbox", "Field"), text="{{PW}}"), says)
        assert_refused(bound("browser_type", selector="#i", text="{{PW}}"), says)
    srcdoc = bound.run(lambda: bound.site.html("<iframe srcdoc='<input id=i aria-label=Field>'></iframe>"))
    bound("browser_navigate", url=other(bound, srcdoc))
    assert 'Typed "{{PW}}"' in bound("browser_type", selector="#i", text="{{PW}}")
    bound("browser_navigate", url=other(bound, ours))
    assert 'Typed "{{PW}}"' in bound("browser_type", selector="#i", text="{{PW}}")


@pytest.mark.parametrize(
    ("form", "is_refused"),
    [
        ("<form action='https://evil.example/'><input id=i></form>", True),
        ("<form id=f action='https://evil.example/'></form><input id=i form=f>", True),
        ("<form><input id=i><button formaction='https://evil.example/'>Go</button></form>", True),
        ("<form action='//evil.example/'><input id=i><input name=action value=x></form>", True),
        ("<form action='mailto:evil@example.com'><input id=i></form>", True),
        ("<base href='https://evil.example/'><form action=login><input id=i></form>", True),
        ("<form action='/login'><input id=i><button formaction='/other'>Go</button></form>", False),
        ("<form><input id=i><input name=elements></form>", False),
        ("<form action='javascript:void 0'><input id=i></form>", False),
        ("<form action='https://evil.example/'></form><input id=i>", False),
    ],
)
def test_a_bound_secret_is_for_forms_of_its_origin(bound: Agent, form: str, is_refused: bool) -> None:
    url = bound.run(lambda: bound.site.html(form))
    bound("browser_navigate", url=other(bound, url))
    for answer in (
        bound("browser_type", selector="#i", text="{{PW}}"),
        bound("browser_fill_form", fields=[{"selector": "#i", "value": "{{PW}}"}]),
    ):
        if is_refused:
            assert_refused(answer, "its form is sent to another origin")
        else:
            assert not answer.is_error, answer.text
    assert (bound.evaluate("() => document.querySelector('#i').value.length") == "0") is is_refused


def test_a_bound_secret_is_for_cookies_and_storage_of_its_origin(bound: Agent) -> None:
    url = bound.run(lambda: bound.site.html("<p>x</p>"))
    session = json.loads(bound("create_browser_session").text)["session_id"]
    bound("browser_navigate", url=url)
    assert_refused(bound("browser_cookie_set", name="c", value="{{PW}}"))
    assert_refused(bound("browser_cookie_set", name="c", value="{{PW}}", domain="evil.example"))
    assert_refused(bound("browser_cookie_set", name="c", value="{{PW}}", domain="x.localhost"))
    bad = [{"name": "c", "value": "{{PW}}", "domain": "evil.example"}]
    assert_refused(bound("set_cookies", session_id=session, cookies=bad))
    for area in ("local", "session"):
        assert_refused(bound(f"browser_{area}storage_set", key="k", value="{{PW}}"))
    assert bound("browser_cookie_list").text == "No cookies."
    assert not bound("browser_cookie_set", name="c", value="{{PW}}", domain="localhost").is_error
    bound("browser_navigate", url=other(bound, url))
    for area in ("local", "session"):
        assert not bound(f"browser_{area}storage_set", key="k", value="{{PW}}").is_error


def test_a_bound_secret_is_for_requests_of_its_origin(bound: Agent) -> None:
    session = json.loads(bound("create_browser_session").text)["session_id"]
    host = bound.site.other_url
    for pattern in (
        "**",
        "**/api",
        "/api",
        "*://*/**",
        "http://*/**",
        f"{host}*",
        f"{host}@evil.example/**",
        host[:-1],
    ):
        assert_refused(bound("browser_route", pattern=pattern, headers=["X: {{PW}}"]))
        assert_refused(bound("browser_route", pattern=pattern, body="{{PW}}"))
    assert_refused(
        bound("enable_request_interception", session_id=session, url_pattern=".*", action="answer", body="{{PW}}")
    )
    assert not bound("browser_route", pattern=f"{host}/**", headers=["X: {{PW}}"]).is_error


def test_a_bound_secret_is_for_proxies_of_its_origin(bound: Agent) -> None:
    proxy = {"server": "http://127.0.0.1:9", "username": "me", "password": "{{PW}}"}
    assert_refused(bound("browser_context_create", name="other", proxy=proxy), "for this proxy")
    assert_refused(bound("create_browser_session", proxy=proxy), "for this proxy")


def test_a_bound_secret_is_for_dialogs_of_its_origin(bound: Agent) -> None:
    inner = bound.run(lambda: bound.site.html("<button onclick=\"document.title = prompt('Word?')\">Ask</button>"))
    ours = bound.run(lambda: bound.site.html(f"<iframe src='{other(bound, inner)}'></iframe>"))
    assert_refused(bound("browser_handle_dialog", accept=True, promptText="{{PW}}"))  # who will ask?
    for page in (inner, ours):
        bound("browser_navigate", url=page)
        bound("browser_click", selector="button")
        assert_refused(bound("browser_handle_dialog", accept=True, promptText="{{PW}}"))
        bound("browser_handle_dialog", accept=False)
    bound("browser_navigate", url=other(bound, inner))
    bound("browser_click", selector="button")
    assert not bound("browser_handle_dialog", accept=True, promptText="{{PW}}").is_error
    assert bound.evaluate("() => document.title.length") == str(len(PLAIN))


# Pictures

PICTURED = """<style>body { margin: 0; background: white } * { font: 20px monospace }</style>
<input id=i style="position: absolute; left: 10px; top: 10px; width: 300px; height: 30px">
<p style="position: absolute; left: 10px; top: 60px; width: 300px">The <b>@</b> is said</p>
<p id=free style="position: absolute; left: 10px; top: 130px; width: 300px; height: 30px; margin: 0; background: lime">
Free</p>
<div id=host style="position: absolute; left: 10px; top: 180px; width: 300px; height: 30px"></div>
<iframe style="position: absolute; left: 10px; top: 230px; border: 0; width: 300px; height: 40px"
srcdoc="<body style='margin: 0'><div style='height: 30px; background: red'>@</div>"></iframe>
<div id=split style="position: absolute; left: 10px; top: 290px; width: 300px; height: 30px; background: red"></div>
<script>
host.attachShadow({mode: 'closed'}).innerHTML = '<div style="height: 30px; background: red">@</div>';
const [first, last] = ['@'.slice(0, 5), '@'.slice(5)];
split.innerHTML = `<i>${first}</i><i>${last}</i>`;
i.value = 'my @';
</script>"""


@pytest.mark.parametrize("full_page", [False, True])
def test_pictures_cover_what_shows_a_secret(make_agent: MakeAgent, tmp_path: Path, full_page: bool) -> None:
    agent = make_agent(caps=["pdf"], secrets=write_secrets(tmp_path, f"PW={PLAIN}\n"), image_responses="inline")
    agent.show(PICTURED.replace("@", PLAIN))
    agent("browser_snapshot")
    answer = agent("browser_take_screenshot", fullPage=full_page)
    assert "What shows a secret is covered." in answer
    picture = Image.open(BytesIO(base64.b64decode(answer.images[0].data))).convert("RGB")
    for place in ((20, 25), (300, 25), (100, 92), (20, 195), (300, 195), (20, 245), (20, 305), (300, 305)):
        around = picture.crop((place[0] - 4, place[1] - 3, place[0] + 5, place[1] + 4))
        # The picture is a JPEG, and the boxes are magenta.
        difference = ImageChops.difference(around, Image.new("RGB", around.size, "magenta"))
        assert max(difference.tobytes()) < 8, f"not covered at {place}"
    free = picture.getpixel((250, 150))
    assert isinstance(free, tuple)
    assert free[0] < 16
    assert free[1] > 240
    assert free[2] < 16
    element = agent("browser_take_screenshot", selector="#i", type="jpeg")
    field = Image.open(BytesIO(base64.b64decode(element.images[0].data))).convert("L")
    inner = field.crop((2, 2, field.width - 2, field.height - 2)).tobytes()
    assert max(inner) - min(inner) < 8
    printed = agent("browser_pdf_save")
    assert printed.is_error
    assert "cannot be covered in a PDF" in printed
    free = agent("browser_take_screenshot", selector="#free")
    assert not free.is_error
    agent.show("<p>Nothing here</p>")
    assert not agent("browser_pdf_save").is_error
    assert "covered" not in agent("browser_take_screenshot")


def test_parts_of_base64_are_those_of_any_text() -> None:
    for before in range(7):
        for after in range(4):
            whole = base64.urlsafe_b64encode(b"\xa5" * before + PLAIN.encode() + b"\x5a" * after).decode()
            assert any(part in whole for part in base64_parts(PLAIN))
