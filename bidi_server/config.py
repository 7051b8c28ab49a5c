"""Every option of the server: defaults < file < ``BIDI_SERVER_*`` < arguments."""

import json
import os
import re
import shlex
import tomllib
from collections.abc import Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Literal, cast
from urllib.parse import urlsplit

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    NonNegativeInt,
    PositiveFloat,
    PositiveInt,
    ValidationError,
    ValidationInfo,
    WithJsonSchema,
)
from pydantic_core import ErrorDetails

from bidi_server.http_credentials import HttpCredentials
from bidi_server.url_patterns import UrlPattern

ENVIRONMENT_PREFIX = "BIDI_SERVER_"
"""What the variables of the environment begin with; ``BIDI_SERVER_CONFIG`` names the file."""

Capability = Literal["vision", "pdf", "dev", "sessions"]
Toolset = Literal["browser", "vision", "extract"]
SnapshotMode = Literal["diff", "full", "none"]
BrowserName = Literal["chromium", "firefox"]


class ConfigError(Exception):
    """An option is wrong; the message names it, where it came from and what fits."""


def _size(value: object) -> object:
    text = "x".join(map(str, cast("list[object]", value))) if isinstance(value, list | tuple) else str(value)
    found = re.fullmatch(r"\s*(\d+)\s*x\s*(\d+)\s*", text, re.IGNORECASE)
    if not found:
        raise ValueError("WIDTHxHEIGHT in pixels, such as 1280x720")
    return found[1], found[2]


Viewport = Annotated[
    tuple[PositiveInt, PositiveInt], BeforeValidator(_size), WithJsonSchema({"type": "string", "pattern": r"^\d+x\d+$"})
]
"""Width and height in CSS pixels, written WIDTHxHEIGHT."""


def _names(value: object) -> object:
    if isinstance(value, str):
        return tuple(name.strip() for name in value.split(",") if name.strip())
    return value


def _words(value: object) -> object:
    """Split a text at white space, as a shell does; options that can be repeated are in lists already."""
    if isinstance(value, str):
        try:
            return tuple(shlex.split(value))
        except ValueError:
            raise ValueError("words, with quotation marks that are closed") from None
    return value


def _address(*schemes: str) -> AfterValidator:
    def check(value: str) -> str:
        parts = urlsplit(value)
        if parts.scheme not in schemes or not parts.hostname:
            raise ValueError(f"an address such as {schemes[0]}://HOST:PORT")
        return value

    return AfterValidator(check)


def _url_pattern(value: str) -> str:
    UrlPattern.parse(value)
    return value


def _host_name(value: str) -> str:
    if not re.fullmatch(r"\[?[0-9A-Fa-f:]*:[0-9A-Fa-f:]*\]?|[\w-]+(\.[\w-]+)*\.?", value):
        raise ValueError("the name of a host, such as bidi.example.com, without scheme, port, path and *")
    return value.strip("[]")


def _preference(value: str) -> str:
    if not value.partition("=")[0].strip() or "=" not in value:
        raise ValueError("NAME=VALUE, where VALUE is true, false, a whole number or a text")
    return value


def _credentials(value: str) -> str:
    HttpCredentials.parse(value)
    return value


GridUrl = Annotated[str, _address("http", "https")]
"""Where a Selenium Grid is."""


def _expanded(path: Path) -> Path:
    # Neither a file of options nor a client's JSON is read by a shell, which would know what ~ means.
    try:
        path = path.expanduser()
    except RuntimeError:
        raise ValueError("a path that begins with the home of a user whom this machine knows") from None
    if "\0" in str(path):
        raise ValueError("a path without NUL characters")
    return path


File = Annotated[Path, AfterValidator(_expanded)]
"""What the system may take for a path."""


def _shareable(value: bool, info: ValidationInfo) -> bool:
    if value and info.data.get("isolation") == "process":
        raise ValueError("off with --isolation process, where each session starts a browser of its own")
    return value


class Config(BaseModel):
    """The options. Attribute docstrings are what ``--help`` says."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    browser: BrowserName | None = None
    """Browser to drive: chromium or firefox. Default: chromium if it is there, else firefox."""
    headed: bool = False
    """Show the browser's window. Default: headless."""
    executable: File | None = None
    """The browser to start instead of the one that is found."""
    driver: File | None = None
    """The driver to start (chromedriver; geckodriver, which Firefox doesn't need)."""
    browser_arg: Annotated[tuple[str, ...], BeforeValidator(_words)] = ()
    """Argument for the browser, after ours, such as --lang=de; again for each other one."""
    browser_pref: Annotated[tuple[Annotated[str, AfterValidator(_preference)], ...], BeforeValidator(_words)] = ()
    """Preference of the browser, such as intl.accept_languages=de: NAME=VALUE; again for each other one."""
    grid_url: GridUrl | None = None
    """Selenium Grid that browsers are started on: http://HOST:4444, with user:password@ if it wants a login."""
    grid_capabilities: File | None = None
    """JSON file of capabilities to ask the Grid for: platformName, browserVersion, se:…, options of browser makers."""
    grid_timeout: PositiveFloat = 300
    """Seconds to wait until the Grid has a place."""
    endpoint: Annotated[str, _address("ws", "wss", "http", "https")] | None = None
    """Browser to attach to: a BiDi port (ws://HOST:PORT), which is left running, or a driver (http://HOST:9515)."""
    viewport: Viewport = (1280, 720)
    """Size of a new page in CSS pixels, WIDTHxHEIGHT."""
    caps: Annotated[tuple[Capability, ...], BeforeValidator(_names)] = ()
    """Additional tools, separated by commas: vision, pdf, dev, sessions."""
    toolset: Annotated[tuple[Toolset, ...], BeforeValidator(_names)] = ("browser",)
    """Sets of tools to offer, separated by commas: browser, vision, extract."""
    snapshot_mode: SnapshotMode = "diff"
    """What an action answers of the page: the lines that changed since the last answer, every line, or none."""
    snapshot_budget: PositiveInt = 2000
    """Tokens (of about 4 characters) up to which an action answers that; above it an outline."""
    screenshot_dir: File = Path(".bidi-server-screenshots")
    """Folder for screenshots and downloads."""
    image_responses: Literal["file", "inline", "omit"] = "file"
    """What a screenshot answers: its path, its path and the picture, or only that it was taken."""
    user_data_dir: File | None = None
    """Profile that outlives the browser: logins, cookies, storage. Default: a fresh one each time."""
    picture_side: PositiveInt = 2000
    """Longest side of the pictures of the toolset vision, in pixels."""
    evaluate_in: Literal["page", "sandbox"] = "page"
    """Where the toolset vision runs JavaScript: as a script of the page, or in a realm of its own with the same DOM."""
    allowed_urls: Annotated[tuple[Annotated[str, AfterValidator(_url_pattern)], ...], BeforeValidator(_names)] = ()
    """The only pages that may be opened, separated by commas: example.com, *.example.com, http://localhost:*,
    https://example.com/docs/*."""
    http_credentials: Annotated[tuple[Annotated[str, AfterValidator(_credentials)], ...], BeforeValidator(_words)] = ()
    """Login for HTTP authentication of one origin, https://USER:PASSWORD@HOST; again for each other origin."""
    rate_limit: NonNegativeInt = 100
    """Calls a minute that a session of the toolset extract may make; 0 for any number."""
    upload_dirs: Annotated[tuple[File, ...], BeforeValidator(_names)] = ()
    """Folders, besides that for screenshots, whose files clients over HTTP and the toolset extract may use."""
    profile_dir: File | None = None
    """Folder of the profiles that sessions of the toolset extract name. Default: in the user's folder for data."""
    isolation: Literal["context", "process"] = "context"
    """What a session has to itself: its cookies, storage and tabs in a shared browser, or a browser process."""
    prelaunch: Annotated[bool, AfterValidator(_shareable)] = False
    """Start the browser, with a tab, beside the server, not with the first call, and keep it until the server ends."""
    idle_timeout: PositiveFloat = 1800
    """Seconds after which an unused session is closed."""
    max_sessions: PositiveInt = 10
    """Sessions at a time."""
    allow_shared_sessions: bool = False
    """Let every client of the server use the sessions that another has named."""
    action_timeout: PositiveFloat = 10
    """Seconds that an action may take, without a navigation it starts."""
    navigation_timeout: PositiveFloat = 30
    """Seconds that a navigation may take."""
    transport: Literal["stdio", "http"] = "stdio"
    """How clients reach the server: stdio, one client that starts it, or http, any number of them (Streamable HTTP)."""
    host: str = "127.0.0.1"
    """Address to listen on for http. Any but this machine's own needs a token."""
    port: Annotated[int, Field(ge=0, le=65535)] = 8931
    """Port to listen on for http; 0 for any that is free."""
    token_file: File | None = None
    """File of the tokens that http clients must send, one a line. Default: one is made and shown where it is needed."""
    handle_key: File | None = None
    """File of the key that seals handles of sessions. Servers that share one share their sessions on a Grid."""
    allowed_hosts: Annotated[tuple[Annotated[str, AfterValidator(_host_name)], ...], BeforeValidator(_names)] = ()
    """Names that http clients may call the server by, besides its addresses, separated by commas."""
    certfile: File | None = None
    """Certificate chain for http over TLS, as PEM."""
    keyfile: File | None = None
    """Private key of the certificate, if it is in a file of its own."""
    log_level: Literal["debug", "info", "warning", "error"] = "warning"
    """Minimum severity of messages that are logged to stderr."""


def load_config(
    arguments: Mapping[str, object], environment: Mapping[str, str] | None = None, file: Path | None = None
) -> Config:
    """Merge the sources of options. ``arguments`` holds only what was given. Raises `ConfigError`."""
    environment = os.environ if environment is None else environment
    if file is None and (named := environment.get(f"{ENVIRONMENT_PREFIX}CONFIG")):
        file = Path(named)
    values: dict[str, object] = {}
    origin: dict[str, str] = {}
    sources = [
        *([(_read(file.expanduser()), f"{{name}} in {file}")] if file is not None else []),
        (_of_environment(environment), f"{ENVIRONMENT_PREFIX}{{upper}}"),
        (arguments, "--{dashed}"),
    ]
    for source, place in sources:
        values.update(source)
        for name in source:
            origin[name] = place.format(name=name, upper=name.upper(), dashed=name.replace("_", "-"))
    try:
        config = Config.model_validate(values)
    except ValidationError as error:
        first = error.errors()[0]
        name = str(first["loc"][0])
        raise ConfigError(f"{origin[name]}: {_explain(name, first)}") from None
    # A file and the environment may be shared with a server over HTTP; on its command line such an option is a mistake.
    if config.transport == "stdio" and (idle := next((name for name in HTTP_ONLY if name in arguments), "")):
        raise ConfigError(f"{origin[idle]}: it does nothing without --transport http. Add that, or leave it out.")
    return config


HTTP_ONLY = ("host", "port", "token_file", "allowed_hosts", "certfile", "keyfile")
"""Options without effect where the transport is stdio."""


_FITTING = {
    "bool": "true or false",
    "int": "a whole number",
    "float": "a number",
    "path": "a path",
    "tuple": "names, separated by commas",
}
"""What to say instead of pydantic's words, by the type that was wanted."""


_SECRET = {"http_credentials"}
"""Options whose values errors do not repeat."""


def _explain(name: str, error: ErrorDetails) -> str:
    kind, value = error["type"], error["input"]
    if kind == "extra_forbidden":
        return no_such_option(name, Config.model_fields)
    if kind == "literal_error":
        fitting = f"one of {error.get('ctx', {}).get('expected', '')}"
    else:
        said = error["msg"].removeprefix("Value error, ").removeprefix("Input should be ")
        fitting = _FITTING.get(kind.partition("_")[0], said)
    return f"it must be {fitting}." if name in _SECRET else f"it must be {fitting}, not {value!r}."


def no_such_option(name: str, names: Mapping[str, object]) -> str:
    """Return what to say of a name that is none: the closest that is one, else all of them."""
    close = get_close_matches(name, names, 1)
    return "there is no such option. " + (f"Did you mean {close[0]}?" if close else f"Options: {', '.join(names)}.")


def _of_environment(environment: Mapping[str, str]) -> dict[str, object]:
    """Return what the environment sets.

    A name that nearly is an option's is a mistake. Others may be anybody's; so is ``BIDI_SERVER_PORT`` where Kubernetes
    sets it for a service of that name: https://kubernetes.io/docs/concepts/services-networking/service/#environment-variables
    """
    found: dict[str, object] = {}
    for variable, value in environment.items():
        name = variable.removeprefix(ENVIRONMENT_PREFIX).lower()
        if name == variable.lower() or name == "config" or (name == "port" and "://" in value):
            continue
        if name in Config.model_fields:
            found[name] = value
        elif close := get_close_matches(name, Config.model_fields, 1, 0.8):
            raise ConfigError(
                f"{variable}: there is no such option. Did you mean {ENVIRONMENT_PREFIX}{close[0].upper()}?"
            )
    return found


def _read(file: Path) -> dict[str, object]:
    kind = "JSON" if file.suffix == ".json" else "TOML"
    try:
        text = file.read_text("utf-8-sig")
        content: object = json.loads(text) if kind == "JSON" else tomllib.loads(text)
    except OSError as error:
        raise ConfigError(f"--config {file}: it can't be read: {error.strerror}") from None
    except ValueError as error:
        raise ConfigError(f"--config {file}: it is not {kind}: {error}") from None
    if not isinstance(content, dict):
        raise ConfigError(f'--config {file}: it must be an object of options, such as {{"browser": "firefox"}}')
    return {_plain(name): value for name, value in cast("dict[str, object]", content).items()}


def _plain(name: str) -> str:
    """Return an option's name as `Config` has it: files may say ``max-sessions`` or ``maxSessions``."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower().replace("-", "_")
