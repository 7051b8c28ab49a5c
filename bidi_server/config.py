"""Every option of the server: defaults < file < ``BIDI_SERVER_*`` < arguments."""

import json
import os
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

ENVIRONMENT_PREFIX = "BIDI_SERVER_"

Capability = Literal["vision", "pdf", "dev"]
Toolset = Literal["browser"]
BrowserName = Literal["chromium", "firefox"]


class ConfigError(Exception):
    """An option is wrong; the message names it, where it came from and what fits."""


def _size(value: object) -> object:
    if isinstance(value, str):
        width, separator, height = value.lower().partition("x")
        if not (separator and width.strip().isdigit() and height.strip().isdigit()):
            raise ValueError("a size is WIDTHxHEIGHT in pixels, such as 1280x720")
        return int(width), int(height)
    return value


def _names(value: object) -> object:
    if isinstance(value, str):
        return tuple(name.strip() for name in value.split(",") if name.strip())
    return value


class Config(BaseModel):
    """The options. Attribute docstrings are what ``--help`` says."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    browser: BrowserName | None = None
    """Browser to drive: chromium or firefox. Default: chromium if it is there, else firefox."""
    headed: bool = False
    """Show the browser's window. Default: headless."""
    executable: Path | None = None
    """The browser to start instead of the one that is found."""
    driver: Path | None = None
    """The driver to start (chromedriver; geckodriver, which Firefox doesn't need)."""
    viewport: Annotated[tuple[int, int], BeforeValidator(_size)] = (1280, 720)
    """Size of a new page in CSS pixels, WIDTHxHEIGHT."""
    caps: Annotated[tuple[Capability, ...], BeforeValidator(_names)] = ()
    """Additional tools, separated by commas: vision, pdf, dev."""
    toolset: Annotated[tuple[Toolset, ...], BeforeValidator(_names)] = ("browser",)
    """Sets of tools to offer, separated by commas: browser."""
    screenshot_dir: Path = Path(".bidi-server-screenshots")
    """Folder for screenshots and downloads."""
    image_responses: Literal["file", "inline", "omit"] = "file"
    """What a screenshot answers: its path, its path and the picture, or only that it was taken."""
    user_data_dir: Path | None = None
    """Profile that outlives the browser: logins, cookies, storage. Default: a fresh one each time."""
    idle_timeout: Annotated[float, Field(gt=0)] = 1800
    """Seconds after which an unused session is closed."""
    max_sessions: Annotated[int, Field(gt=0)] = 10
    """Sessions at a time."""
    action_timeout: Annotated[float, Field(gt=0)] = 10
    """Seconds that an action may take, without a navigation it starts."""
    navigation_timeout: Annotated[float, Field(gt=0)] = 30
    """Seconds that a navigation may take."""


def load_config(
    arguments: Mapping[str, object], environment: Mapping[str, str] | None = None, file: Path | None = None
) -> Config:
    """Merge the sources of options. ``arguments`` holds only what was given. Raises `ConfigError`."""
    environment = os.environ if environment is None else environment
    if file is None and (named := environment.get(f"{ENVIRONMENT_PREFIX}CONFIG")):
        file = Path(named)
    values: dict[str, object] = {}
    origin: dict[str, str] = {}

    def add(source: Mapping[str, object], describe: str) -> None:
        for name, value in source.items():
            values[name] = value
            origin[name] = describe.format(name=name, upper=name.upper(), dashed=name.replace("_", "-"))

    if file is not None:
        add(_read(file), f"{{name}} in {file}")
    from_environment = {
        name: environment[f"{ENVIRONMENT_PREFIX}{name.upper()}"]
        for name in Config.model_fields
        if f"{ENVIRONMENT_PREFIX}{name.upper()}" in environment
    }
    add(from_environment, f"{ENVIRONMENT_PREFIX}{{upper}}")
    add(arguments, "--{dashed}")
    try:
        return Config.model_validate(values)
    except ValidationError as error:
        first = error.errors()[0]
        name = str(first["loc"][0])
        what = first["msg"].removeprefix("Value error, ")
        if first["type"] == "extra_forbidden":
            what = f"there is no such option. Options: {', '.join(Config.model_fields)}"
        raise ConfigError(f"{origin.get(name, name)}: {what}") from error


def _read(file: Path) -> dict[str, object]:
    try:
        text = file.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"--config {file}: it can't be read: {error}") from error
    try:
        content: object = json.loads(text) if file.suffix == ".json" else tomllib.loads(text)
    except ValueError as error:
        raise ConfigError(
            f"--config {file}: it is not {'JSON' if file.suffix == '.json' else 'TOML'}: {error}"
        ) from error
    if not isinstance(content, dict):
        raise ConfigError(f'--config {file}: it must be a table of options, such as browser = "firefox"')
    return {str(name).replace("-", "_"): value for name, value in content.items()}  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
