"""The file of tokens: who may use a server over HTTP, and what for.

In TOML each token has a name, and its secret is elsewhere::

    [tokens.ci]
    sha256 = "9f86d0…"            # or env = "CI_TOKEN", or file = "/run/secrets/ci"
    sessions = 2
    calls_per_minute = 120
    egress = ["public", "localhost:3000"]
    tools = ["*_navigate", "*_snapshot"]

    [oauth]                       # each subject of --oauth-issuer
    calls_per_minute = 60

    [subjects."alice@example.com"]  # one of them, in place of [oauth]
    sessions = 5

Another file has the tokens themselves, one per line.
"""

import hashlib
import hmac
import os
import stat
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Annotated, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, PositiveInt, ValidationError, model_validator

from bidi_server.config import UNCONFINED, ByteSize, Capabilities, Config, Egress, File, Names, UrlPatterns, explain

SHORTEST = 16
"""Minimum length of a token, in characters."""


class GrantError(Exception):
    """A file of tokens is wrong. The message names the place and says what fits."""


class Grant(BaseModel):
    """The rights and limits of a client. Those that are not set are as the options of the server say."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    sessions: PositiveInt | None = None
    calls_per_minute: PositiveInt | None = None
    bytes_per_minute: ByteSize | None = None
    egress: Egress | None = None
    allowed_urls: UrlPatterns | None = None
    blocked_urls: UrlPatterns = ()
    """In addition to those of the server."""
    caps: Capabilities | None = None
    tools: Names = ()

    def configured(self, config: Config) -> Config:
        """Return the configuration of sessions with this grant."""
        changes: dict[str, object] = {"blocked_urls": (*config.blocked_urls, *self.blocked_urls)}
        for name in ("egress", "allowed_urls", "caps"):
            value = getattr(self, name)
            if value is not None:
                changes[name] = value
        return config.with_changes(changes)


def _digest_text(value: str) -> str:
    try:
        is_digest = len(bytes.fromhex(value)) == hashlib.sha256().digest_size
    except ValueError:
        is_digest = False
    if not is_digest:
        raise ValueError("64 hexadecimal digits, as sha256sum prints them: printf %s TOKEN | sha256sum")
    return value


class TokenEntry(Grant):
    """A token, by its hash or by the place where it is, and what it allows."""

    sha256: Annotated[str, AfterValidator(_digest_text)] | None = None
    env: str | None = None
    file: File | None = None

    @model_validator(mode="after")
    def _has_one_secret(self) -> Self:
        if sum(each is not None for each in (self.sha256, self.env, self.file)) != 1:
            raise ValueError("a table with one of sha256, env and file, which say what the token is")
        return self


Name = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9._-]{0,63}$")]
"""Name of a token. It is the name of a folder too, on systems that ignore case as well."""


class Grants(BaseModel):
    """A file in TOML."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    tokens: dict[Name, TokenEntry] = {}
    oauth: Grant = Grant()
    subjects: dict[str, Grant] = {}

    def all(self) -> Iterator[tuple[str, Grant]]:
        """Yield each grant and the name of its table."""
        yield from ((f"tokens.{name}", entry) for name, entry in self.tokens.items())
        yield "oauth", self.oauth
        yield from ((f"subjects.{name}", grant) for name, grant in self.subjects.items())


@dataclass(frozen=True, slots=True)
class Holder:
    """The holder of a static token."""

    identity: str
    """Owner of sessions and name of the folder for files."""
    name: str
    """Name in the audit log; "" for a token in a file of lines."""
    grant: Grant


def digest_of(token: str) -> bytes:
    """Return the hash of a token. Tokens are random, so that it needs neither a salt nor to be slow."""
    return hashlib.sha256(token.encode(errors="surrogatepass")).digest()


class TokenFile:
    """A file of tokens, which is read again when it has changed."""

    def __init__(self, path: Path, config: Config, tool_names: tuple[str, ...] = ()) -> None:
        self._path = path
        self._config = config
        self._tool_names = tool_names
        self._seen: object = None
        self._secrets: tuple[Path, ...] = ()
        self._holders: list[tuple[bytes, Holder]] = []
        self._grants = Grants()

    def read(self) -> None:
        """Read the file. Raises `GrantError`, and keeps the earlier content then."""
        seen = self._state()
        try:
            text = self._path.read_text("utf-8-sig")
        except (OSError, UnicodeDecodeError) as error:
            reason = error.strerror if isinstance(error, OSError) else "it is not text"
            raise GrantError(f"it can't be read: {reason}.") from None
        finally:
            self._seen = seen  # a mistake is reported once
        grants, secrets = Grants(), tuple[Path, ...]()
        if self._path.suffix == ".toml":
            grants = parse(text, self._config, self._tool_names)
            holders = [(_secret(name, entry), _holder(name, entry)) for name, entry in grants.tokens.items()]
            _check_different(holders)
            secrets = tuple(entry.file for entry in grants.tokens.values() if entry.file is not None)
        else:
            holders = [(digest_of(token), anonymous(token)) for token in _lines(text)]
        if not holders and self._config.oauth_issuer is None:
            raise GrantError("there is no token in it. " + _HOW[self._path.suffix == ".toml"])
        self._holders, self._grants = holders, grants
        if secrets != self._secrets:
            self._secrets = secrets
            self._seen = self._state()

    @property
    def has_changed(self) -> bool:
        """Whether the file, or one with the secret of a token, is not the one that was read. Not for pipes."""
        state = self._state()
        return state != self._seen and state is not None

    def find(self, token: str) -> Holder | None:
        """Return the holder of a token, or None. Compares with every token, each in constant time."""
        digest = digest_of(token)
        found = None
        for known, holder in self._holders:
            if hmac.compare_digest(digest, known):
                found = holder
        return found

    def of_subject(self, subject: str) -> Grant:
        """Return the grant of a subject of an OAuth issuer."""
        return self._grants.subjects.get(subject, self._grants.oauth)

    def _state(self) -> object:
        """Return what changes with the files; None if one is missing for the moment, or is no file."""
        states: list[tuple[int, int, int]] = []
        for path in (self._path, *self._secrets):
            try:
                found = path.stat()
            except OSError:
                return None
            if not stat.S_ISREG(found.st_mode):
                return None
            states.append((found.st_ino, found.st_mtime_ns, found.st_size))
        return states


_HOW = {
    False: "Put one on a line of its own.",
    True: 'Add one: [tokens.NAME], and below it sha256 = "…", env = "VARIABLE" or file = "PATH".',
}


def anonymous(token: str) -> Holder:
    """Return the holder of a token without a name."""
    return Holder(digest_of(token).hex()[:16], "", Grant())


def _holder(name: str, entry: TokenEntry) -> Holder:
    return Holder(name, name, Grant.model_construct(**{key: getattr(entry, key) for key in Grant.model_fields}))


def _lines(text: str) -> list[str]:
    numbered = enumerate(map(str.strip, text.splitlines()), 1)
    tokens = {number: line for number, line in numbered if line and not line.startswith("#")}
    for number, token in tokens.items():
        if len(token) < SHORTEST:
            raise GrantError(f"the token in line {number} has fewer than {SHORTEST} characters.")
    return list(tokens.values())


def _secret(name: str, entry: TokenEntry) -> bytes:
    """Return the hash of a token."""
    if entry.sha256 is not None:
        return bytes.fromhex(entry.sha256)
    if entry.env is not None:
        token, place = os.environ.get(entry.env, "").strip(), f"the environment variable {entry.env}"
    else:
        assert entry.file is not None
        place = f"the file {entry.file}"
        try:
            token = entry.file.read_text("utf-8").strip()
        except (OSError, UnicodeDecodeError) as error:
            reason = error.strerror if isinstance(error, OSError) else "it is not text"
            raise GrantError(f"tokens.{name}: {place} can't be read: {reason}.") from None
    if len(token) < SHORTEST:
        what = f"has fewer than {SHORTEST} characters" if token else "is not set, or empty"
        raise GrantError(f"tokens.{name}: {place} {what}. Try: openssl rand -hex 32")
    return digest_of(token)


def _check_different(holders: list[tuple[bytes, Holder]]) -> None:
    names: dict[bytes, str] = {}
    for digest, holder in holders:
        if digest in names:
            raise GrantError(f"tokens.{holder.name} and tokens.{names[digest]} are the same token. Use another one.")
        names[digest] = holder.name


def parse(text: str, config: Config, tool_names: tuple[str, ...] = ()) -> Grants:
    """Parse a file in TOML. Raises `GrantError` about the first mistake; it does not contain secrets."""
    try:
        content = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise GrantError(f"it is not TOML: {error}.") from None
    try:
        grants = Grants.model_validate(content)
    except ValidationError as error:
        raise GrantError(_explain(content, error)) from None
    for place, grant in grants.all():
        _check(place, grant, config, tool_names)
    return grants


def _check(place: str, grant: Grant, config: Config, tool_names: tuple[str, ...]) -> None:
    """Check what depends on the server. Raises `GrantError`."""
    if config.allow_shared_sessions and (
        grant.egress is not None or grant.allowed_urls is not None or grant.blocked_urls
    ):
        raise GrantError(
            f"{place}: a policy of its own does not hold with --allow-shared-sessions: a session has the policy of the "
            "token that opened it. Leave one of the two out."
        )
    elsewhere = next((name for name in UNCONFINED if getattr(config, name) is not None), "")
    if elsewhere and grant.egress is not None and grant.configured(config).egress_policy is not None:
        option = f"--{elsewhere.replace('_', '-')}"
        raise GrantError(f"{place}.egress: it does not hold with {option}. Leave one of the two out.")
    for pattern in grant.tools:
        if tool_names and not any(fnmatchcase(name, pattern) for name in tool_names):
            close = get_close_matches(pattern, tool_names, 1)
            hint = f" Did you mean {close[0]}?" if close else ""
            raise GrantError(f"{place}.tools: there is no tool {pattern!r}.{hint}")


def _explain(content: Mapping[str, object], error: ValidationError) -> str:
    first = error.errors()[0]
    path = [str(part) for part in first["loc"] if part != "[key]"]
    place = ".".join(path)
    if first["loc"][-1] == "[key]":
        return f"{place}: a name has lower-case letters, digits, dots, hyphens and underscores only."
    if len(path) == 1:
        tables = ", ".join(Grants.model_fields)
        if first["type"] == "extra_forbidden":
            return f"{place}: there is no such table. Tables: {tables}."
        return f"{place}: it must be a table, such as [tokens.ci]."
    if first["type"] == "model_type" or (len(path) == 2 and first["type"] == "value_error"):
        return f"{place}: it must be {first['msg'].removeprefix('Value error, ').removeprefix('Input should be ')}."
    model = TokenEntry if path[0] == "tokens" else Grant
    name = next((part for part in reversed(path) if part in model.model_fields), path[-1])
    if name in {"sha256", "env", "file"}:
        return f"{place}: it must be {first['msg'].removeprefix('Value error, ').removeprefix('Input should be ')}."
    return f"{place}: {explain(name, first, model)}"
