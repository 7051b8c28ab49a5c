"""Every option of the server: defaults < file < ``BIDI_SERVER_*`` < arguments."""

import json
import os
import re
import shlex
import tomllib
from collections.abc import Mapping
from difflib import get_close_matches
from functools import cached_property
from pathlib import Path
from typing import Annotated, Literal, Self, cast
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
    model_validator,
)
from pydantic_core import ErrorDetails

from bidi_server.egress import OPEN, PUBLIC, EgressPolicy
from bidi_server.http_credentials import HttpCredentials
from bidi_server.url_patterns import UrlPattern
from drivers.json_values import is_array, is_object

ENVIRONMENT_PREFIX = "BIDI_SERVER_"
"""What the variables of the environment begin with; ``BIDI_SERVER_CONFIG`` names the file."""

Capability = Literal[
    "vision", "pdf", "dev", "sessions", "storage", "network", "emulate", "input", "webmcp", "perf", "testing", "config"
]
ConsoleLevel = Literal["error", "warning", "info", "debug"]
Toolset = Literal["browser", "vision", "extract"]
SnapshotMode = Literal["diff", "full", "none"]
HiddenText = Literal["omit", "mark", "show"]
BrowserName = Literal["chromium", "firefox", "webkit"]


FORMER = {"screenshot_dir": "output_dir"}
"""Options by their former names, which are valid everywhere."""


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


def _egress(entries: tuple[str, ...]) -> tuple[str, ...]:
    EgressPolicy.parse(entries or (OPEN,))
    return entries


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


def _resource_url(value: str) -> str:
    """Check the identifier of a resource: https://www.rfc-editor.org/rfc/rfc9728#section-1.2."""
    try:
        parts = urlsplit(value)
        is_url = parts.scheme in {"http", "https"} and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        is_url, parts = False, urlsplit("")
    if not is_url or parts.query or parts.fragment or parts.username is not None or re.search(r"[\s\"\\]", value):
        raise ValueError("a URL without login, query and fragment, such as https://bidi.example.com/mcp")
    return value


def _secure_url(value: str) -> str:
    """Check a URL that keys are fetched from: https, except on this machine."""
    parts = urlsplit(_resource_url(value))
    if parts.scheme != "https" and parts.hostname not in {"localhost", "127.0.0.1", "::1"}:
        raise ValueError("an https URL, such as https://login.example.com")
    return value


def _url_pattern(value: str) -> str:
    UrlPattern.parse(value)
    return value


def _byte_size(value: object) -> object:
    units = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9}
    found = re.fullmatch(r"\s*(\d+)\s*([kmg]?)b?\s*", str(value), re.IGNORECASE)
    if not found:
        raise ValueError("a number of bytes, such as 500000000 or 500MB")
    return int(found[1]) * units[found[2].lower()]


def _host_name(value: str) -> str:
    if not re.fullmatch(r"\[?[0-9A-Fa-f:]*:[0-9A-Fa-f:]*\]?|[\w-]+(\.[\w-]+)*\.?", value):
        raise ValueError("the name of a host, such as bidi.example.com, without scheme, port, path and *")
    return value.strip("[]")


def _preference(value: str) -> str:
    if not value.partition("=")[0].strip() or "=" not in value:
        raise ValueError("NAME=VALUE, where VALUE is true, false, a whole number or a text")
    return value


def _variable(value: str) -> str:
    if not value.partition("=")[0] or "=" not in value or "\0" in value:
        raise ValueError("NAME=VALUE")
    return value


def _attribute(value: str) -> str:
    if not re.fullmatch(r"[A-Za-z_][\w-]*", value, re.ASCII):
        raise ValueError("the name of an attribute, such as data-qa")
    return value


def _command(value: str) -> str:
    try:
        words = shlex.split(value)
    except ValueError:
        words = []
    if not words:
        raise ValueError("a command, with quotation marks that are closed")
    return value


def _header(value: str) -> str:
    name, colon, _ = value.partition(":")
    if not colon or not re.fullmatch(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+", name.strip()) or "\n" in value:
        raise ValueError('"NAME: VALUE"')
    return value


def _credentials(value: str) -> str:
    HttpCredentials.parse(value)
    return value


UrlPatterns = Annotated[tuple[Annotated[str, AfterValidator(_url_pattern)], ...], BeforeValidator(_names)]
"""Patterns of URLs, see `UrlPattern`; as a text separated by commas."""

Egress = Annotated[tuple[str, ...], BeforeValidator(_names), AfterValidator(_egress)]
"""Entries of a policy, see `EgressPolicy`."""

Capabilities = Annotated[tuple[Capability, ...], BeforeValidator(_names)]
"""Values of ``--caps``."""

Names = Annotated[tuple[str, ...], BeforeValidator(_names)]
"""Names, as a text separated by commas."""

ByteSize = Annotated[PositiveInt, BeforeValidator(_byte_size)]
"""A number of bytes, with a unit or without."""

GridUrl = Annotated[str, _address("http", "https")]
"""Address of a Selenium Grid."""


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
"""A path that the system accepts."""


def _shareable(value: bool, info: ValidationInfo) -> bool:
    if value and info.data.get("isolation") == "process":
        raise ValueError("off with --isolation process, where each session starts its own browser")
    return value


class Config(BaseModel):
    """The options. ``--help`` shows the docstrings of the attributes."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    @model_validator(mode="before")
    @classmethod
    def _renamed(cls, values: object) -> object:
        return {FORMER.get(name, name): value for name, value in values.items()} if is_object(values) else values

    browser: BrowserName | None = None
    """Browser to drive; webkit is experimental. Default: firefox if only that is installed, else chromium."""
    headed: bool = False
    """Show the browser's window. Default: headless."""
    executable: File | None = None
    """Browser to start instead of the one that is found."""
    driver: File | None = None
    """Driver to start (chromedriver; geckodriver, which Firefox does not need)."""
    browser_arg: Annotated[tuple[str, ...], BeforeValidator(_words)] = ()
    """Argument for the browser, after ours, such as --lang=de; repeatable."""
    browser_pref: Annotated[tuple[Annotated[str, AfterValidator(_preference)], ...], BeforeValidator(_words)] = ()
    """Preference of the browser, NAME=VALUE, such as intl.accept_languages=de; repeatable."""
    browser_env: Annotated[tuple[Annotated[str, AfterValidator(_variable)], ...], BeforeValidator(_words)] = ()
    """Environment variable of a browser that is started on this machine, NAME=VALUE, such as TZ=UTC; repeatable."""
    grid_url: GridUrl | None = None
    """Selenium Grid to start browsers on: http://HOST:4444, with user:password@ if it needs a login."""
    grid_capabilities: File | None = None
    """JSON file of capabilities to request from the Grid: platformName, browserVersion, se:…, vendor options."""
    grid_timeout: PositiveFloat = 300
    """Seconds to wait for a free slot of the Grid."""
    endpoint: Annotated[str, _address("ws", "wss", "http", "https")] | None = None
    """Running browser to use beside its own tabs: Firefox by its BiDi port (ws://HOST:9222), Chromium by its debugging
    port (http://HOST:9222). Or a driver that starts one: http://HOST:9515."""
    viewport: Viewport = (1280, 720)
    """Size of a new page in CSS pixels, WIDTHxHEIGHT."""
    caps: Capabilities = ()
    """More tools, separated by commas: vision, pdf, dev, sessions, storage, network, emulate, input, webmcp, perf,
    testing, config."""
    toolset: Annotated[tuple[Toolset, ...], BeforeValidator(_names)] = ("browser",)
    """Sets of tools to offer, separated by commas: browser, vision, extract."""
    device: str | None = None
    """Device to emulate, such as "iPhone 16", "Pixel 9 landscape" or "iPad Mini"."""
    user_agent: str | None = None
    """User agent that pages see."""
    locale: str | None = None
    """Language that pages see, such as de-DE."""
    timezone: str | None = None
    """Time zone that pages see, such as Europe/Berlin."""
    grant_permissions: Annotated[tuple[str, ...], BeforeValidator(_names)] = ()
    """Permissions that every page has, separated by commas: geolocation, notifications, clipboard-read …"""
    test_id_attribute: Annotated[str, AfterValidator(_attribute)] | None = None
    """Attribute that getByTestId searches. Default: data-testid, data-test, data-test-id and data-cy."""
    proxy_server: Annotated[str, _address("http", "https", "socks5", "socks4")] | None = None
    """Proxy: http://, https://, socks4:// or socks5://HOST:PORT, with user:password@ if it needs a login."""
    proxy_bypass: Annotated[tuple[str, ...], BeforeValidator(_names)] = ()
    """Hosts that are reached without it, separated by commas."""
    extra_header: Annotated[tuple[Annotated[str, AfterValidator(_header)], ...], BeforeValidator(_words)] = ()
    """Header to send with every request, "NAME: VALUE"; repeatable."""
    init_script: Annotated[tuple[File, ...], BeforeValidator(_words)] = ()
    """JavaScript file that runs in every document before its own scripts, as the body of a function; repeatable."""
    storage_state: File | None = None
    """Cookies and localStorage to begin with: a file that was saved here or by Playwright."""
    ignore_https_errors: bool = False
    """Open pages with invalid certificates."""
    snapshot_mode: SnapshotMode = "diff"
    """Lines of the page in the answer to an action: those that changed since the last answer, all, or none."""
    snapshot_budget: PositiveInt = 2000
    """Maximum tokens (of about 4 characters) of these lines; a larger page is outlined."""
    hidden_text: HiddenText = "mark"
    """Text of the page that no person sees (transparent, off the page, clipped, of no size, as its background):
    left out, marked with "(hidden)", or shown like any other."""
    console_level: ConsoleLevel | None = None
    """Minimum severity of console messages in answers to actions, and in lists of them that were requested without a
    level. Default: error in answers, info in lists."""
    output_dir: File = Path(".bidi-server-screenshots")
    """Folder for screenshots, downloads and other files that tools write; also --screenshot-dir."""
    output_max_size: ByteSize | None = None
    """Maximum size of the files that the server keeps in --output-dir, in bytes or such as 500MB. The oldest that it
    wrote since it started go first."""
    overwrite: bool = False
    """Let tools replace files that this server has not written since it started."""
    baseline_dir: File = Path("baselines")
    """Folder for baselines: the pictures that pages are compared with (--caps testing)."""
    update_baselines: bool = False
    """Replace baselines that differ, instead of an error."""
    image_responses: Literal["file", "inline", "omit"] = "file"
    """Content of the answer to a screenshot: its path, its path and the picture, or neither."""
    structured: bool = False
    """Answer with data beside the text, and list tools with titles and output schemas, 2.5 kB for each tool."""
    user_data_dir: File | None = None
    """Profile to keep: logins, cookies, storage. Default: a new temporary one for each start."""
    picture_side: PositiveInt = 2000
    """Longest side of the pictures of the toolset vision, in pixels."""
    evaluate_in: Literal["page", "sandbox"] = "page"
    """Realm in which the toolset vision runs JavaScript: the page's, or a separate one with the same DOM."""
    allowed_urls: UrlPatterns = ()
    """The only pages that may be opened, separated by commas: example.com, *.example.com, http://localhost:*,
    https://example.com/docs/*, ip:loopback. Methods may stand before a pattern: "GET|HEAD example.com"."""
    blocked_urls: UrlPatterns = ()
    """Pages and other resources that are not requested, separated by commas, even if --allowed-urls allows them, like
    ip:local (every address that is not public; names are not looked up) or "DELETE *.example.com".
    Requests of shared and service workers may pass; in Chromium, WebSockets and requests of nested workers do too."""
    egress: Egress = ()
    """What browsers may connect to, enforced by a proxy outside of the page for all that a page can cause: open, public
    (no address of this machine or of private networks), or hosts and ip: ranges, separated by commas, also after
    public: "public, localhost:3000". Default: open; public with --transport http."""
    http_credentials: Annotated[tuple[Annotated[str, AfterValidator(_credentials)], ...], BeforeValidator(_words)] = ()
    """Login for HTTP authentication of one origin, https://USER:PASSWORD@HOST; repeatable."""
    secrets: File | None = None
    """File of secrets, NAME=value or NAME@https://bank.example=value, one a line: tools enter a value for {{NAME}}, and
    no answer, file or log of the server contains it."""
    secrets_command: Annotated[str, AfterValidator(_command)] | None = None
    """Command that prints the value of a secret when it is needed, with its name as the last argument: "op read" …"""
    rate_limit: NonNegativeInt = 100
    """Maximum calls a minute of a session of the toolset extract; 0 for no limit."""
    upload_dirs: Annotated[tuple[File, ...], BeforeValidator(_names)] = ()
    """Folders, besides --output-dir, whose files clients over HTTP and the toolset extract may use."""
    profile_dir: File | None = None
    """Folder for the named profiles of the toolset extract. Default: in the user's data folder."""
    isolation: Literal["context", "process"] = "context"
    """Isolation of sessions: own cookies, storage and tabs in a shared browser, or own browser processes."""
    prelaunch: Annotated[bool, AfterValidator(_shareable)] = False
    """Start the browser and a tab with the server, not at the first call, and keep it until the server ends."""
    idle_timeout: PositiveFloat = 1800
    """Seconds after which an unused session is closed."""
    max_sessions: PositiveInt = 10
    """Maximum number of open sessions."""
    allow_shared_sessions: bool = False
    """Let every client of the server use the named sessions of the others."""
    action_timeout: PositiveFloat = 10
    """Timeout for an action, in seconds, without a navigation that it starts."""
    navigation_timeout: PositiveFloat = 30
    """Timeout for a navigation, in seconds."""
    transport: Literal["stdio", "http"] = "stdio"
    """Transport: stdio for one client that starts the server, or http for any number of clients (Streamable HTTP)."""
    host: str = "127.0.0.1"
    """Address to listen on for http. Any address but a loopback one needs a token."""
    port: Annotated[int, Field(ge=0, le=65535)] = 8931
    """Port to listen on for http; 0 for any free one."""
    token_file: File | None = None
    """File of the tokens of http clients: one per line, or in TOML (*.toml), with names, limits and policies of their
    own. A changed file is read again. Default: a token is generated and shown if one is needed."""
    oauth_issuer: Annotated[str, AfterValidator(_secure_url)] | None = None
    """Authorization server (OAuth 2.1) whose access tokens are accepted, as JWTs: the URL in their claim iss."""
    oauth_audience: Annotated[str, AfterValidator(_resource_url)] | None = None
    """URL of this server as clients know it, for which the tokens must be issued (claim aud), such as
    https://bidi.example.com/mcp. Default: the URL that it listens on, if that is a loopback one."""
    handle_key: File | None = None
    """File of the key that signs handles of sessions. Servers with the same key share their sessions on a Grid."""
    allowed_hosts: Annotated[tuple[Annotated[str, AfterValidator(_host_name)], ...], BeforeValidator(_names)] = ()
    """Host names of the server that http clients may use, besides its addresses, separated by commas."""
    certfile: File | None = None
    """Certificate chain for http over TLS, as PEM."""
    keyfile: File | None = None
    """Private key of the certificate, if it is in a separate file."""
    audit_log: File | None = None
    """File to which a JSON line is appended for each call and each refusal: who, what, where to, the decision. What was
    typed and full URLs are not in it."""
    log_level: Literal["debug", "info", "warning", "error"] = "warning"
    """Minimum severity of messages logged to stderr."""

    @cached_property
    def egress_policy(self) -> EgressPolicy | None:
        """The policy of ``egress`` and ``blocked_urls``, or the default of the transport; None allows everything."""
        entries = self.egress or ((PUBLIC,) if self.transport == "http" else (OPEN,))
        return EgressPolicy.parse(entries, self.blocked_urls)

    def with_changes(self, changes: Mapping[str, object]) -> Self:
        """Return a copy with other values, which must be valid. `model_copy` would keep the policy of the old ones."""
        return self.model_construct(self.model_fields_set | changes.keys(), **{**dict(self), **changes})


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
        for name, value in source.items():
            option = FORMER.get(name, name)
            values[option] = value
            origin[option] = place.format(name=name, upper=name.upper(), dashed=name.replace("_", "-"))
    try:
        config = Config.model_validate(values)
    except ValidationError as error:
        first = error.errors()[0]
        name = str(first["loc"][0])
        raise ConfigError(f"{origin[name]}: {explain(name, first, Config)}") from None
    if config.proxy_server is not None and config.user_data_dir is not None:
        raise ConfigError(
            f"{origin['proxy_server']}: a profile has the proxy of its own settings. Leave out one of the two, or pass "
            "--browser-arg=--proxy-server=… for Chromium."
        )
    if config.egress_policy is not None and (elsewhere := next((each for each in UNCONFINED if each in origin), "")):
        raise ConfigError(
            f"{origin[elsewhere]}: --egress {config.egress_policy.text} holds only for browsers that the server starts "
            "on this machine, with profiles of its own. Leave that out, or pass --egress open."
        )
    # A file and the environment may be shared with a server over HTTP; on its command line such an option is a mistake.
    if config.transport == "stdio" and (idle := next((name for name in HTTP_ONLY if name in arguments), "")):
        raise ConfigError(f"{origin[idle]}: it does nothing without --transport http. Add that, or leave it out.")
    return config


_HIDDEN = "…"

_LOGIN_IN_URL = re.compile(r"(?<=//)[^/\s]*@")

_QUERY_OF_URL = re.compile(r"(?<=\?).*", re.DOTALL)

_OF_SECRET = re.compile(r"token|passw|secret|credential|api.?key|auth", re.IGNORECASE)
"""Names of browser arguments and preferences whose values may be secrets."""


def without_secrets(config: Config) -> dict[str, object]:
    """Return the options that are set or have a default, as a file may contain them, with `_HIDDEN` for secrets."""
    values = config.model_dump(mode="json", exclude_none=True)
    width, height = config.viewport
    return {
        **{name: _shown(name, value) for name, value in values.items() if value != []},
        "viewport": f"{width}x{height}",
    }


def _shown(name: str, value: object) -> object:
    if is_array(value):
        return [_shown(name, each) for each in value]
    if not isinstance(value, str):
        return value
    match name:
        case "extra_header":
            return f"{value.partition(':')[0]}: {_HIDDEN}"
        case "secrets_command":
            return f"{value.split()[0]} {_HIDDEN}"
        case "browser_env":
            return f"{value.partition('=')[0]}={_HIDDEN}"
        case "browser_arg" | "browser_pref" if _OF_SECRET.search(value.partition("=")[0]):
            return f"{value.partition('=')[0]}={_HIDDEN}"
        case "endpoint" | "grid_url" | "proxy_server":
            value = _QUERY_OF_URL.sub(_HIDDEN, value)
        case _:
            pass
    return _LOGIN_IN_URL.sub(f"{_HIDDEN}@", value)


UNCONFINED = ("endpoint", "grid_url", "user_data_dir")
"""Options for browsers and profiles that --egress does not hold for."""

HTTP_ONLY = (
    "host",
    "port",
    "token_file",
    "oauth_issuer",
    "oauth_audience",
    "allowed_hosts",
    "certfile",
    "keyfile",
)
"""Options without effect where the transport is stdio."""


_FITTING = {
    "bool": "true or false",
    "int": "a whole number",
    "float": "a number",
    "path": "a path",
    "tuple": "names, separated by commas",
}
"""Words for the expected type of a value, instead of pydantic's."""


_SECRET = {"http_credentials", "extra_header", "proxy_server", "browser_env", "secrets_command"}
"""Options whose values errors do not repeat."""


def explain(name: str, error: ErrorDetails, model: type[BaseModel]) -> str:
    """Return an error about a field of a model in words for people, without the field's name."""
    kind, value = error["type"], error["input"]
    if kind == "extra_forbidden":
        return no_such_option(name, model.model_fields)
    if kind == "literal_error":
        fitting = f"one of {error.get('ctx', {}).get('expected', '')}"
    else:
        said = error["msg"].removeprefix("Value error, ").removeprefix("Input should be ")
        fitting = _FITTING.get(kind.partition("_")[0], said)
    return f"it must be {fitting}." if name in _SECRET else f"it must be {fitting}, not {value!r}."


def no_such_option(name: str, names: Mapping[str, object]) -> str:
    """Return a hint for an unknown name: the closest match, or all valid names."""
    close = get_close_matches(name, names, 1)
    return "there is no such option. " + (f"Did you mean {close[0]}?" if close else f"Options: {', '.join(names)}.")


def _of_environment(environment: Mapping[str, str]) -> dict[str, object]:
    """Return the options that the environment sets.

    A name that is close to that of an option is an error. Other names may belong to other programs, as does
    ``BIDI_SERVER_PORT``, which Kubernetes sets for a service of that name:
    https://kubernetes.io/docs/concepts/services-networking/service/#environment-variables
    """
    found: dict[str, object] = {}
    for variable, value in environment.items():
        name = variable.removeprefix(ENVIRONMENT_PREFIX).lower()
        if name == variable.lower() or name == "config" or (name == "port" and "://" in value):
            continue
        if name in Config.model_fields or name in FORMER:
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
    if not is_object(content):
        raise ConfigError(f'--config {file}: it must be an object of options, such as {{"browser": "firefox"}}')
    return {_plain(name): value for name, value in content.items()}


def _plain(name: str) -> str:
    """Return an option's name as `Config` has it: files may say ``max-sessions`` or ``maxSessions``."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower().replace("-", "_")
