"""The beginning of a context: the options of the server that apply to each."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import trio

from bidi_server.bidi.errors import BidiError, UnknownCommandError, UnsupportedOperationError
from bidi_server.bidi.network import Header, SetExtraHeaders, StringValue
from bidi_server.bidi.script import AddPreloadScript
from bidi_server.browser import web_tools
from bidi_server.browser.contexts.emulate import apply, emulate
from bidi_server.browser.contexts.emulation import Emulation
from bidi_server.browser.disk import read
from bidi_server.browser.network.proxy import Proxy
from bidi_server.errors import InvalidParametersError, NotSupportedError

if TYPE_CHECKING:
    from collections.abc import Collection

    from bidi_server.browser.contexts.context import Context
    from bidi_server.config import Capability, Config

MAX_SCRIPT = 10_000_000
"""Maximum size of the file of a script, in bytes: it is sent to the browser as one message."""


def proxy_of(config: "Config") -> Proxy | None:
    """Return the proxy of a configuration."""
    if not config.proxy_server:
        return None
    return replace(Proxy.parse(config.proxy_server, bypass=",".join(config.proxy_bypass)), trusted=True)


async def begin(context: "Context", config: "Config", emulation: Emulation | None) -> None:
    """Apply the configuration to a new context; an ``emulation`` comes in place of the configuration's.

    Raises `NotSupportedError` if the browser does not support it, `InvalidParametersError` for invalid values and for
    files that can't be read.
    """
    if emulation is None:
        if config.device is not None:
            await _be(context, config.device, keeps_size="viewport" in config.model_fields_set)
        emulation = replace(
            context.emulation,
            user_agent=config.user_agent or context.emulation.user_agent,
            locale=config.locale,
            timezone=config.timezone,
            granted=config.grant_permissions,
        )
    await apply(context, replace(emulation, viewport=emulation.viewport or context.usual.viewport))
    await enable(context, config.caps)
    if config.extra_header:
        await _add_headers(context, config.extra_header)
    for path in config.init_script:
        await _add_script(context, path)


async def enable(context: "Context", capabilities: "Collection[Capability]") -> None:
    """Let later documents of a context begin with what some capabilities need."""
    if "emulate" in capabilities:
        await context.clock.prepare()  # before pages set timers, which can't be moved otherwise
    if "webmcp" in capabilities:
        script = AddPreloadScript(function_declaration=web_tools.preload(), user_contexts=[context.user_context])
        await context.browser.connection.send(script)


async def _be(context: "Context", device: str, *, keeps_size: bool) -> None:
    """Emulate a device, as far as the browser can."""
    from bidi_server.browser.contexts.devices import emulation_of

    wanted = emulation_of(device)
    if keeps_size:
        wanted = replace(wanted, viewport=context.usual.viewport)
    if missing := await emulate(context, wanted):
        context.shared.notices.append(f"{context.browser.name} can't emulate {', '.join(missing)} of {device}.")


async def _add_headers(context: "Context", lines: tuple[str, ...]) -> None:
    pairs = [line.partition(":") for line in lines]
    headers = [Header(name=name.strip(), value=StringValue(value=value.strip())) for name, _, value in pairs]
    try:
        await context.browser.connection.send(SetExtraHeaders(headers=headers, user_contexts=[context.user_context]))
    except (UnknownCommandError, UnsupportedOperationError) as error:
        raise NotSupportedError(
            f"{context.browser.name} can't send extra headers.", "Leave out --extra-header, or use a newer version."
        ) from error
    except BidiError as error:
        raise InvalidParametersError(f"--extra-header: {error.first_line}", "Correct it.") from error


async def _add_script(context: "Context", path: Path) -> None:
    try:
        text = (await trio.to_thread.run_sync(read, path, MAX_SCRIPT)).decode()
    except OSError as error:
        raise InvalidParametersError(
            f"--init-script {path} can't be read: {error.strerror}.", "Correct the option of the server."
        ) from error
    except UnicodeDecodeError as error:
        raise InvalidParametersError(
            f"--init-script {path} is not UTF-8: {error.reason}.", "Save it as UTF-8."
        ) from error
    script = AddPreloadScript(function_declaration=f"() => {{\n{text}\n}}", user_contexts=[context.user_context])
    try:
        await context.browser.connection.send(script)
    except BidiError as error:
        raise InvalidParametersError(f"--init-script {path}: {error.first_line}", "Correct the script.") from error
