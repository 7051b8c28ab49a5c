"""Running the agent's JavaScript in the page."""

import json

from bidi_server.bidi.errors import BidiError
from bidi_server.bidi.script import EvaluateResult, RemoteValue
from bidi_server.bidi.values import from_remote
from bidi_server.browser.element import Target, on_element
from bidi_server.browser.tab import Tab
from bidi_server.errors import ElementNotFoundError, ScriptError

# The text may be a function, an expression, or statements; only the engine can tell.
# Names of ours must not stand before the page's own.
_AS_VALUE = (
    "async (...$bidiArguments) => {{ const $bidiValue = (\n{0}\n);"
    " return typeof $bidiValue === 'function' ? await $bidiValue(...$bidiArguments) : await $bidiValue; }}"
)
_AS_VALUE_AT_ONCE = (
    "(...$bidiArguments) => {{ const $bidiValue = (\n{0}\n);"
    " return typeof $bidiValue === 'function' ? $bidiValue(...$bidiArguments) : $bidiValue; }}"
)
_AS_BODY = "async (element) => {{\n{0}\n}}"


async def evaluate(tab: Tab, script: str, target: Target | None = None) -> object:
    """Return what the function or expression gives, promises awaited, as plain data. Raises `ScriptError`."""
    return from_remote(await evaluate_raw(tab, script, target))


async def evaluate_raw(
    tab: Tab, script: str, target: Target | None = None, *, await_promise: bool = True
) -> RemoteValue:
    """Return what the function or expression gives as the browser tells it. Raises `ScriptError`."""
    frame = tab.main
    arguments: list[dict[str, object]] = []
    if target is not None:
        found = await on_element(tab, target, "look")
        frame = found.frame
        reference = await frame.element(target.wire())
        if reference is None:
            raise ElementNotFoundError(f"{found} has just gone.", "Take a new snapshot.")
        arguments.append(reference.to_wire())
    script = script.strip().rstrip(";")
    try:
        form = _AS_VALUE if await_promise else _AS_VALUE_AT_ONCE
        result = await frame.evaluate_function(form.format(script), arguments, await_promise=await_promise)
        if _is_syntax_error(result):
            body = _AS_BODY if await_promise else _AS_BODY.removeprefix("async ")
            second = await frame.evaluate_function(body.format(script), arguments, await_promise=await_promise)
            result = result if _is_syntax_error(second) else second
    except BidiError as error:
        # Firefox can't say more of an error that was thrown outside of any function.
        _, stackless, thrown = error.message.partition("unable to build exceptionDetails for exception: ")
        if stackless:
            raise ScriptError(f"The script threw {thrown.splitlines()[0]}", "Mend it and try again.") from error
        raise ScriptError(
            f"The script could not run: {error.message.splitlines()[0]}", "Mend it and try again."
        ) from error
    if result.result is None:
        raise _failed(result)
    return result.result


def _is_syntax_error(result: EvaluateResult) -> bool:
    details = result.exception_details
    return details is not None and details.text.startswith("SyntaxError")


def _failed(result: EvaluateResult) -> ScriptError:
    details = result.exception_details
    if details is None:
        return ScriptError("The script failed without saying why.")
    lines = [details.text]
    # Lines of the agent's own script: ours is one line longer.
    lines += [
        f"    at {frame.function_name or '(anonymous)'} (line {frame.line_number})"
        for frame in details.stack_trace.call_frames[:5]
        if frame.function_name not in {"$bidiValue", "callFunction"}
    ]
    return ScriptError("The script threw " + "\n".join(lines), "Mend it and try again.")


def show(value: object) -> str:
    """Return a result as text: a string as it is, anything else as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=None, default=str)
