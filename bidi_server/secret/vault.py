"""The secrets of ``--secrets`` and ``--secrets-command``: where values come from, and which of them are fresh."""

import os
import shlex
import signal
import stat
import subprocess
import threading
import time
from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from ada_url import URL

from bidi_server.errors import InvalidParametersError, ToolError
from bidi_server.secret import totp
from bidi_server.secret.dotenv import parse
from bidi_server.secret.log import guard_log
from bidi_server.secret.redaction import REDACTOR, SHORTEST

COMMAND_SECONDS = 10
"""Timeout for ``--secrets-command``, in seconds."""

FRESH_SECONDS = 300
"""Time for which a value of ``--secrets-command`` is used again, in seconds."""

MAX_FILE = 1_000_000
"""Maximum size of the file of secrets, in bytes."""

MAX_VALUE = 10_000
"""Maximum length of a value, in characters."""

CODE_SECONDS = 600
"""Time for which a one-time code is replaced in answers, in seconds."""

LONG_LINE = 8
"""Minimum length of a line of a value that is found alone too, in characters."""

_OTHERS = 0o077
"""Permissions of the group and of others."""


class VaultError(Exception):
    """The file of secrets is wrong. The message says what to change, and never has a value in it."""


@dataclass(frozen=True, slots=True)
class Secret:
    """The value of a secret, and the only origins that it may go to; None for all."""

    value: str
    origins: tuple[str, ...] | None


@dataclass(frozen=True, slots=True)
class _Known:
    value: str
    until: float


class Vault:
    """The secrets of a file, of a command, or of both: then the file says which names there are.

    All methods block, and may be called in any thread.
    """

    def __init__(self, file: Path | None, command: Sequence[str]) -> None:
        self._file, self._command = file, command
        self._lock = threading.Lock()
        self._read: tuple[int, ...] = ()
        """What identifies the content of the file that was read last."""
        self._secrets: dict[str, Secret] = {}
        self._answers: dict[str, _Known] = {}
        """Values of the command."""
        guard_log()
        REDACTOR.is_used = True
        with suppress(VaultError):  # `get` raises it
            self.check()

    def check(self) -> None:
        """Read the file. Raises `VaultError`."""
        with self._lock:
            self._refresh()

    @property
    def names(self) -> Collection[str] | None:
        """The names of the secrets; None if only the command knows them."""
        return None if self._file is None else self._secrets.keys()

    def get(self, name: str) -> Secret:
        """Return a secret. Raises `InvalidParametersError` for an unknown name, and `ToolError` if it can't be read."""
        with self._lock:
            try:
                self._refresh()
            except VaultError as error:
                raise ToolError(f"The secret {name} can't be read: {error}") from None
            secret = self._secrets.get(name)
            if secret is None and (self._file is not None or not self._command):
                there = ", ".join(self._secrets) or "none"
                raise InvalidParametersError(f"There is no secret {name}.", f"There are: {there}.")
            if secret is not None and secret.value:
                return secret
            return Secret(self._ask(name), secret.origins if secret is not None else None)

    def code(self, name: str) -> Secret:
        """Return the one-time code of a secret that is a key for such codes. Raises as `get` does."""
        secret = self.get(name)
        code = totp.code(name, secret.value)
        with self._lock:
            REDACTOR.learn(code, f"{name}.totp", CODE_SECONDS)
        return Secret(code, secret.origins)

    def _refresh(self) -> None:
        if self._file is None:
            return
        try:
            with self._file.open("rb") as source:
                found = os.fstat(source.fileno())
                signature = (found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_mode)
                if signature == self._read:
                    return
                _check_mode(found)
                text = source.read(MAX_FILE + 1).decode("utf-8-sig")
        except OSError as error:
            raise VaultError(f"it can't be read: {error.strerror}.") from None
        except UnicodeDecodeError:
            raise VaultError("it is not UTF-8.") from None
        if len(text) > MAX_FILE:
            raise VaultError(f"it has more than {MAX_FILE} bytes.")
        self._secrets = self._parsed(text)
        self._read = signature

    def _parsed(self, text: str) -> dict[str, Secret]:
        secrets: dict[str, Secret] = {}
        try:
            for entry in parse(text):
                where = f"{entry.name} in line {entry.line}"
                if entry.name in secrets:
                    raise VaultError(f"{where} is there already. Give it another name.")
                if entry.value or not self._command:
                    _check_value(entry.value, where)
                origins = tuple(_origin(each, where) for each in entry.origins) or None
                secrets[entry.name] = Secret(entry.value, origins)
        except ValueError as error:
            raise VaultError(str(error)) from None
        for name, secret in secrets.items():
            if secret.value:
                _learn(name, secret.value)
        return secrets

    def _ask(self, name: str) -> str:
        known = self._answers.get(name)
        if known is not None and known.until > time.monotonic():
            return known.value
        value = _run([*self._command, name], name)
        try:
            _check_value(value, name)
        except VaultError as error:
            raise ToolError(f"--secrets-command: {error}") from None
        _learn(name, value)
        self._answers[name] = _Known(value, time.monotonic() + FRESH_SECONDS)
        return value


def _check_mode(found: os.stat_result) -> None:
    """Raise `VaultError` if others may read a file of this user, as ssh does for keys."""
    if os.name == "posix" and found.st_uid == os.geteuid() and found.st_mode & _OTHERS:
        mode = stat.filemode(found.st_mode)[1:]
        raise VaultError(f"other users may read it ({mode}). Take their permissions away: chmod 600.")


def _check_value(value: str, where: str) -> None:
    if len(value) < SHORTEST:
        raise VaultError(
            f"{where} has fewer than {SHORTEST} characters, which would be found by chance in every page. Leave it out."
        )
    if len(value) > MAX_VALUE:
        raise VaultError(f"{where} has more than {MAX_VALUE} characters. Leave it out.")
    if "\0" in value:
        raise VaultError(f"{where} has a NUL character. Leave it out.")


def _origin(text: str, where: str) -> str:
    if not URL.can_parse(text):
        raise VaultError(f"{where} is for an origin that is none. Write NAME@https://HOST=value.")
    url = URL(text)
    if url.protocol not in {"http:", "https:"} or url.pathname != "/" or url.search or url.hash or url.username:
        raise VaultError(f"{where} is for an origin that is none. Write NAME@https://HOST=value.")
    return str(url.origin)


def _learn(name: str, value: str) -> None:
    """Let a value, and what else identifies it, be replaced from now on."""
    lines = [line for line in value.splitlines() if len(line) >= LONG_LINE] if "\n" in value else []
    for each in (*lines, *totp.keys(value), value):
        if len(each) >= SHORTEST:
            REDACTOR.learn(each, name)


def _run(command: Sequence[str], name: str) -> str:
    """Return what a command writes, without its last line end. Errors have nothing in them that it wrote."""
    try:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    except OSError as error:
        raise ToolError(f"--secrets-command can't be run: {error.strerror}.", "Correct the option.") from None
    try:
        data, _ = process.communicate(timeout=COMMAND_SECONDS)
    except subprocess.TimeoutExpired:
        _kill(process)
        raise ToolError(
            f"--secrets-command did not answer for {name} within {COMMAND_SECONDS} s.",
            "It may wait for a login: log in, or unlock the password manager, and call again.",
        ) from None
    except BaseException:
        _kill(process)
        raise
    if process.returncode:
        raise ToolError(
            f"--secrets-command has no secret {name}: it ended with status {process.returncode}.",
            "Its output is not shown. Run it by hand, or use another name.",
        )
    try:
        text = data.decode()
    except UnicodeDecodeError:
        raise ToolError(f"--secrets-command answered for {name} with something that is not UTF-8.") from None
    return text.removesuffix("\n").removesuffix("\r")


def _kill(process: subprocess.Popen[bytes]) -> None:
    """End a command and the processes that it has started."""
    with suppress(ProcessLookupError, PermissionError):
        if os.name == "posix":
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
    if process.stdout is not None:
        process.stdout.close()
    process.wait()


_vaults: dict[tuple[Path | None, str | None], Vault] = {}


def vault(file: Path | None, command: str | None) -> Vault:
    """Return the vault of a file and a command, the same one for each client and session."""
    key = file, command
    if key not in _vaults:
        _vaults[key] = Vault(file, shlex.split(command or ""))
    return _vaults[key]
