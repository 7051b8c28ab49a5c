"""The options in the form that users write and read: the source of argparse, ``--help`` and the README."""

import types
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal, Union, cast, get_args, get_origin

from bidi_server.config import ENVIRONMENT_PREFIX, FORMER, HTTP_ONLY, Config


@dataclass(frozen=True, slots=True)
class Option:
    """One option of `Config`."""

    name: str
    """Name of the field, and key in a file."""
    values: str
    """Placeholder for its value, or its choices; "" for an option without a value."""
    default: str
    """Default in the form that users write; "" for none."""
    text: str
    """Description in one paragraph."""
    repeats: bool = False
    """Whether it can be given several times, with one value each."""

    @property
    def flag(self) -> str:
        """The command-line argument."""
        return _flag(self.name)

    @property
    def flags(self) -> list[str]:
        """The command-line argument, and its former names."""
        return [self.flag, *(_flag(former) for former, name in FORMER.items() if name == self.name)]

    @property
    def variable(self) -> str:
        """The environment variable."""
        return f"{ENVIRONMENT_PREFIX}{self.name.upper()}"


def options() -> Iterator[Option]:
    """Yield every option, in the order of the model."""
    for name, field in Config.model_fields.items():
        text = field.description or ""
        values = REPEATED.get(name) or _values(field.annotation)
        yield Option(name, values, _default(field.default), text, repeats=name in REPEATED)


REPEATED = {
    "browser_arg": "ARGUMENT",
    "browser_pref": "NAME=VALUE",
    "browser_env": "NAME=VALUE",
    "http_credentials": "URL",
    "extra_header": "HEADER",
    "init_script": "PATH",
}
"""Options that can be given several times, because their values may contain commas, and placeholders for the values."""

GROUPS = {
    "the browser": (
        "browser",
        "headed",
        "executable",
        "driver",
        "browser_arg",
        "browser_pref",
        "browser_env",
        "user_data_dir",
        "viewport",
        "isolation",
    ),
    "a browser elsewhere": ("grid_url", "grid_capabilities", "grid_timeout", "endpoint"),
    "pages": (
        "device",
        "user_agent",
        "locale",
        "timezone",
        "grant_permissions",
        "test_id_attribute",
        "proxy_server",
        "proxy_bypass",
        "extra_header",
        "init_script",
        "storage_state",
        "ignore_https_errors",
    ),
    "tools": ("caps", "toolset", "evaluate_in", "rate_limit"),
    "answers": (
        "snapshot_mode",
        "snapshot_budget",
        "hidden_text",
        "console_level",
        "image_responses",
        "structured",
        "picture_side",
        "output_dir",
        "output_max_size",
        "overwrite",
    ),
    "testing": ("baseline_dir", "update_baselines"),
    "access": ("allowed_urls", "blocked_urls", "egress", "http_credentials", "upload_dirs", "profile_dir"),
    "secrets": ("secrets", "secrets_command"),
    "time": ("action_timeout", "navigation_timeout"),
    "sessions": ("prelaunch", "idle_timeout", "max_sessions", "allow_shared_sessions"),
    "transport": ("transport", *HTTP_ONLY, "handle_key"),
    "audit": ("audit_log",),
    "log": ("log_level",),
}
"""Headings of ``--help``, and the options below each."""

_OF_A_SESSION = (
    "the browser",
    "a browser elsewhere",
    "pages",
    "tools",
    "answers",
    "testing",
    "access",
    "secrets",
    "time",
    "log",
)

USED = {
    "": tuple(GROUPS),
    "call": _OF_A_SESSION,
    "demo": tuple(group for group in _OF_A_SESSION if group not in {"access", "testing", "secrets"}),
    "doctor": ("the browser", "a browser elsewhere", "answers", "access", "secrets", "log"),
    "replay": tuple(group for group in _OF_A_SESSION if group != "tools"),
    "compare": tuple(group for group in _OF_A_SESSION if group != "tools"),
    "policy": ("access",),
    "tools": ("tools",),
    "open": (*(group for group in _OF_A_SESSION if group != "tools"), "sessions"),
}
"""Groups of options that each command uses; "" is the server itself."""


def groups(command: str) -> Iterator[tuple[str, list[Option]]]:
    """Yield the headings and options that a command uses."""
    known = {option.name: option for option in options()}
    for group in USED[command]:
        names = GROUPS[group]
        if command == "tools":
            names = ("caps", "toolset", "transport")  # clients over HTTP are offered fewer tools
        elif command == "policy":
            names = ("allowed_urls", "blocked_urls", "egress")
        elif command == "open" and group == "sessions":
            names = ("idle_timeout",)
        yield group, [known[name] for name in names]


def _flag(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _values(annotation: object) -> str:
    arguments = get_args(annotation)
    match get_origin(annotation):
        case types.UnionType:
            return "|".join(_values(argument) for argument in arguments if argument is not type(None))
        case origin if origin is Union:
            return "|".join(_values(argument) for argument in arguments if argument is not type(None))
        case origin if origin is Annotated:
            return _values(arguments[0])
        case origin if origin is Literal:
            return "|".join(arguments)
        case origin if origin is tuple:
            return {"NUMBER": "WIDTHxHEIGHT", "TEXT": "TEXT,…", "PATH": "PATH,…"}.get(_values(arguments[0]), "NAME,…")
        case _:
            return {bool: "", Path: "PATH", str: "TEXT"}.get(cast("type", annotation), "NUMBER")


def _default(value: object) -> str:
    match value:
        case None | False | ():
            return ""
        case (int(width), int(height)):
            return f"{width}x{height}"
        case tuple():
            return ",".join(map(str, cast("tuple[object, ...]", value)))
        case _:
            return str(value)
