"""Run the agent's JavaScript in the page."""

import json
import re
from collections.abc import Sequence
from secrets import token_hex

import trio

from bidi_server.bidi.connection import Sent
from bidi_server.bidi.errors import BidiError
from bidi_server.bidi.script import EvaluateResult, RemoteValue
from bidi_server.bidi.values import from_remote, to_local
from bidi_server.browser.actions.target import Target, on_element
from bidi_server.browser.console.script_errors import THROWN, raise_if_thrown
from bidi_server.browser.snapshot.frame import Frame, Question
from bidi_server.browser.tab.tab import SuspendedScript, Tab
from bidi_server.browser.words import without_halves
from bidi_server.errors import ElementNotFoundError, ScriptError
from bidi_server.escapes import indented, quote
from bidi_server.page.api import Look
from drivers.json_values import objects

# The script may be a function, an expression, or statements; only the engine can tell which.
# Our own names must not shadow those of the page.
_AS_VALUE = (
    "{1}(...{3}) => {{ const $bidiValue = (\n{0}\n);"
    " return typeof $bidiValue === 'function' ? {2}$bidiValue(...{3}) : {2}$bidiValue; }}"
)
_AS_BODY = "{1}function ({3}) {{\n{0}\n}}"
# A script that begins like this is not an expression: as one, its error would only be an unexpected "const".
_STATEMENTS = re.compile(
    r"(?:\s|//[^\n]*\n|/\*.*?\*/)*+(?:const|let|var|return|if|for|while|do|switch|try|throw)\b", re.DOTALL
)
# Exceptions are returned as values, because Firefox reports little of exceptions in async functions, and Chromium
# little of thrown values that are not an Error.
_CATCHING = (
    "{1}(...$bidiArguments) => {{ const $bidiMeasured = {4};"
    " try {{ return $bidiMeasured({3}({2}({0})(...$bidiArguments))); }}"
    " catch ($bidiError) {{ return " + THROWN + "; }} }}"
)
MAX_RESULT = 10_000_000
"""Maximum size of a result, in characters, with `_VALUE_SIZE` more for each value.

Chromium 156 needs 1.5 s for a string of this size, 2 s for a list, and 8 s for a string of quotation marks and
non-ASCII letters; Firefox 153 needs 0.5 to 1.3 s. For 50 million characters, Chromium takes longer than a call may.
"""

_VALUE_SIZE = 40
"""Number of characters around a value in BiDi's JSON: ``{"type":"string","value":""},``."""

_TOO_LARGE = f"too large {token_hex(8)}"

# Measured in the page, since the protocol cannot stop a reply that has begun.
# Only plain containers are traversed, as in the reply.
_MEASURED = (
    """(value) => {
  let size = 0;
  const seen = new Set();
  const add = (item) => {
    size += VALUE_SIZE + (typeof item === 'string' ? item.length : 0);
    if (size > MAX_RESULT || typeof item !== 'object' || item === null || seen.has(item)) return;
    const isList = Array.isArray(item);
    if (!isList && ![Object.prototype, null].includes(Object.getPrototypeOf(item))) return;
    seen.add(item);
    if (isList) for (let index = 0; index < item.length && size <= MAX_RESULT; index++) add(item[index]);
    else for (const key in item) { size += key.length; add(item[key]); if (size > MAX_RESULT) return; }
  };
  try { add(value); } catch { return value; }
  return size > MAX_RESULT ? ['TOO_LARGE', typeof value === 'string' ? value.length : 0] : value;
}""".replace("\n", " ")
    .replace("VALUE_SIZE", str(_VALUE_SIZE))
    .replace("MAX_RESULT", str(MAX_RESULT))
    .replace("TOO_LARGE", _TOO_LARGE)
)
SCRIPT_TIMEOUT = 5.0
"""Timeout for a script to end after its dialog was answered, in seconds: the same as for the effects of an action."""


async def evaluate(
    tab: Tab,
    script: str,
    target: Target | Frame | None = None,
    *,
    arguments: Sequence[object] = (),
    sandbox: str | None = None,
    leaving: Question | None = None,
) -> object:
    """Return the result of a function, an expression or statements as plain data. Promises are awaited.

    The ``target`` is an element, which becomes the first parameter, or the frame to run in instead of the main one.
    ``arguments`` are plain data: the parameters of a function, and ``args`` in other scripts. A ``sandbox`` names a
    realm that has the page's DOM but not its globals. With ``leaving``, the page is also
    asked whether it is about to leave, and a script that opens a dialog can be resumed. Raises `ScriptError`.
    """
    value = await evaluate_raw(tab, script, target, arguments=arguments, sandbox=sandbox, leaving=leaving)
    return from_remote(value)


async def evaluate_json(
    tab: Tab, script: str, arguments: Sequence[object] = (), *, leaving: Question | None = None
) -> object:
    """Do the same as `evaluate` for values that JSON can represent, many times faster; ``undefined`` becomes None.

    Raises `ScriptError`, also for circular values.
    """
    value = (await evaluate_raw(tab, script, arguments=arguments, as_json=True, leaving=leaving)).value
    if value is None:
        return None
    read = json.loads(str(value))
    # Lone surrogates arrive escaped.
    return json.loads(without_halves(read)) if "\\ud" in str(value) else read


async def evaluate_raw(
    tab: Tab,
    script: str,
    target: Target | Frame | None = None,
    *,
    arguments: Sequence[object] = (),
    sandbox: str | None = None,
    await_promise: bool = True,
    as_json: bool = False,
    leaving: Question | None = None,
) -> RemoteValue:
    """Return the result of a function, an expression or statements as a BiDi value. Raises `ScriptError`."""
    frame = target if isinstance(target, Frame) else tab.main
    values = [to_local(argument) for argument in arguments]
    if isinstance(target, Target):
        found = await on_element(tab, target, Look, "act.look")
        frame = found.frame
        reference = await frame.element(target.wire())
        if reference is None:
            raise ElementNotFoundError(f"{found} has just gone.", "Take a new snapshot.")
        values.insert(0, reference.to_wire())
    words = ("async ", "await ") if await_promise else ("", "")
    # Replies of documents in other processes may arrive in another order.
    question = leaving if frame is tab.main else None

    def abandon(sent: Sent[EvaluateResult]) -> None:
        if tab.dialogs.open is not None and leaving is not None and await_promise and not as_json:
            tab.suspend(SuspendedScript(frame, sent, script))
        else:
            sent.forget()

    async def run(function: str) -> EvaluateResult:
        declaration = _CATCHING.format(
            function,
            *words,
            "JSON.stringify" if as_json else "",
            _MEASURED,
        )
        return await frame.evaluate_function(
            declaration,
            arguments=values,
            await_promise=await_promise,
            sandbox=sandbox,
            question=question,
            abandon=abandon,
        )

    try:
        # The statements have named parameters, unless they declare the same names.
        forms = [
            _AS_BODY.format(script, *words, names)
            for names in ("element, ...args" if isinstance(target, Target) else "...args", "")
        ]
        is_value = _STATEMENTS.match(script) is None
        if is_value:
            given = "args" if arguments else "$bidiArguments"
            forms.insert(0, _AS_VALUE.format(script.rstrip().rstrip(";"), *words, given))
        result = first = await run(forms[0])
        for form in forms[1:]:
            if not _is_syntax_error(result):
                break
            result = await run(form)
        if is_value and _is_syntax_error(result):
            result = first
    except BidiError as error:
        raise ScriptError(f"The script could not run: {error.first_line}", "Fix the script and try again.") from error
    return _value(result, script)


async def resume_script(tab: Tab) -> str:
    """Return, as text, the result of the script whose dialog was just answered; "" if no script waited for that.

    Call this after answering the dialog. If the script opens another dialog, it stays suspended. Raises `ScriptError`
    for exceptions of the script, and `FrameGoneError`.
    """
    suspended = tab.take_suspended()
    if suspended is None:
        return ""
    with trio.move_on_after(SCRIPT_TIMEOUT), tab.interruptible():
        try:
            result = await suspended.frame.answer_of(suspended.sent)
        except BidiError as error:
            raise ScriptError(
                f"The script could not run: {error.first_line}", "Fix the script and try again."
            ) from error
        except trio.Cancelled:
            if tab.dialogs.open is not None:
                tab.suspend(suspended)
            else:
                suspended.sent.forget()
            raise
        return f"The script returned: {show(from_remote(_value(result, suspended.script)))}"
    return "" if tab.is_stopped else "The script is still running."


def _value(result: EvaluateResult, script: str) -> RemoteValue:
    if result.result is None:
        what = quote(result.exception_details.text) if result.exception_details else "an error without saying which"
        raise ScriptError(f"The script threw {what}.", "Fix the script and try again.")
    raise_if_thrown(result.result, script)
    _raise_if_too_large(result.result)
    return result.result


def _raise_if_too_large(value: RemoteValue) -> None:
    told = objects(value.value) if value.type == "array" else []
    if len(told) != 2 or told[0].get("value") != _TOO_LARGE:
        return
    length = told[1].get("value")
    what = f"a text of {length:,} characters" if isinstance(length, int) and length else "more"
    raise ScriptError(
        f"The result is too large: {what}, where {MAX_RESULT:,} characters are the most that one call returns.",
        "Return what you need of it, or one part in each call, such as text.slice(0, 100000) or list.slice(0, 1000).",
    )


def _is_syntax_error(result: EvaluateResult) -> bool:
    details = result.exception_details
    return details is not None and details.text.startswith("SyntaxError")


def show(value: object) -> str:
    """Return a result as text: a string of one line unchanged, one of several lines as a block, other values as JSON.

    A script often returns a text of the page, whose lines could be mistaken for the server's own.
    """
    if not isinstance(value, str):
        return json.dumps(value, ensure_ascii=False, default=str)
    return f"Text:\n{indented(value)}" if "\n" in value or "\r" in value else value
