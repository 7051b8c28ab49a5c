"""The script module. https://w3c.github.io/webdriver-bidi/#module-script"""

from typing import Literal

from .wire import Command, EmptyResult, Event, Exchanged, Parameters, Result

RealmType = Literal[
    "window",
    "dedicated-worker",
    "shared-worker",
    "service-worker",
    "worker",
    "paint-worklet",
    "audio-worklet",
    "worklet",
]
"""https://w3c.github.io/webdriver-bidi/#type-script-RealmType"""

ResultOwnership = Literal["root", "none"]
"""https://w3c.github.io/webdriver-bidi/#type-script-ResultOwnership"""

LocalValue = dict[str, object]
"""A value to send, as `values.to_local` returns it. https://w3c.github.io/webdriver-bidi/#type-script-LocalValue"""


class SerializationOptions(Parameters):
    """Depth of serialisation. ``None`` means no limit; an absent field means the browser's default.

    https://w3c.github.io/webdriver-bidi/#type-script-SerializationOptions
    """

    max_dom_depth: int | None = None
    max_object_depth: int | None = None
    include_shadow_tree: Literal["none", "open", "all"] | None = None


class SharedReference(Exchanged):
    """Reference to a node by an id that is valid in every realm. https://w3c.github.io/webdriver-bidi/#type-script-RemoteReference"""

    shared_id: str
    handle: str | None = None


class RemoteObjectReference(Exchanged):
    """Reference to any object by a handle of its realm. https://w3c.github.io/webdriver-bidi/#type-script-RemoteReference"""

    handle: str
    shared_id: str | None = None


class ChannelProperties(Parameters):
    """https://w3c.github.io/webdriver-bidi/#type-script-ChannelValue"""

    channel: str
    serialization_options: SerializationOptions | None = None
    ownership: ResultOwnership | None = None


class ChannelValue(Parameters):
    """An argument that becomes a function in the page; each value passed to it arrives as `Message`.

    https://w3c.github.io/webdriver-bidi/#type-script-ChannelValue
    """

    type: Literal["channel"] = "channel"
    value: ChannelProperties


class RealmTarget(Parameters):
    """https://w3c.github.io/webdriver-bidi/#type-script-Target"""

    realm: str


class ContextTarget(Parameters):
    """https://w3c.github.io/webdriver-bidi/#type-script-Target"""

    context: str
    sandbox: str | None = None


Target = ContextTarget | RealmTarget
"""https://w3c.github.io/webdriver-bidi/#type-script-Target"""


class RemoteValue(Result):
    """A value of the page: any of the specification's kinds, named by ``type``; `values` converts it.

    Values nested in ``value`` keep their form on the wire.

    https://w3c.github.io/webdriver-bidi/#type-script-RemoteValue
    """

    type: str
    value: object = None
    handle: str | None = None
    internal_id: str | None = None
    shared_id: str | None = None


class StackFrame(Result):
    """Lines and columns count from 0. https://w3c.github.io/webdriver-bidi/#type-script-StackTrace"""

    url: str
    function_name: str
    line_number: int
    column_number: int


class StackTrace(Result):
    """https://w3c.github.io/webdriver-bidi/#type-script-StackTrace"""

    call_frames: list[StackFrame]


class ExceptionDetails(Result):
    """Lines and columns count from 0. https://w3c.github.io/webdriver-bidi/#type-script-ExceptionDetails"""

    text: str
    exception: RemoteValue
    line_number: int
    column_number: int
    stack_trace: StackTrace


class Source(Result):
    """The source of an event. https://w3c.github.io/webdriver-bidi/#type-script-Source"""

    realm: str
    context: str | None = None
    user_context: str | None = None


class RealmInfo(Result):
    """A realm of any type: a window realm has a context, a dedicated worker has owners.

    https://w3c.github.io/webdriver-bidi/#type-script-RealmInfo
    """

    realm: str
    origin: str
    type: str
    context: str | None = None
    user_context: str | None = None
    sandbox: str | None = None
    owners: list[str] | None = None


class AddPreloadScriptResult(Result):
    script: str


class AddPreloadScript(Command[AddPreloadScriptResult], method="script.addPreloadScript"):
    """https://w3c.github.io/webdriver-bidi/#command-script-addPreloadScript"""

    function_declaration: str
    arguments: list[ChannelValue] | None = None
    contexts: list[str] | None = None
    user_contexts: list[str] | None = None
    sandbox: str | None = None


class RemovePreloadScript(Command[EmptyResult], method="script.removePreloadScript"):
    """https://w3c.github.io/webdriver-bidi/#command-script-removePreloadScript"""

    script: str


class Disown(Command[EmptyResult], method="script.disown"):
    """https://w3c.github.io/webdriver-bidi/#command-script-disown"""

    handles: list[str]
    target: Target


class EvaluateResult(Result):
    """``type`` is "success" with a ``result``, or "exception" with ``exception_details``.

    https://w3c.github.io/webdriver-bidi/#type-script-EvaluateResult
    """

    type: str
    realm: str
    result: RemoteValue | None = None
    exception_details: ExceptionDetails | None = None


class Evaluate(Command[EvaluateResult], method="script.evaluate"):
    """https://w3c.github.io/webdriver-bidi/#command-script-evaluate"""

    expression: str
    target: Target
    await_promise: bool
    result_ownership: ResultOwnership | None = None
    serialization_options: SerializationOptions | None = None
    user_activation: bool | None = None


class CallFunction(Command[EvaluateResult], method="script.callFunction"):
    """https://w3c.github.io/webdriver-bidi/#command-script-callFunction"""

    function_declaration: str
    await_promise: bool
    target: Target
    arguments: list[LocalValue] | None = None
    result_ownership: ResultOwnership | None = None
    serialization_options: SerializationOptions | None = None
    this: LocalValue | None = None
    user_activation: bool | None = None


class GetRealmsResult(Result):
    realms: list[RealmInfo]


class GetRealms(Command[GetRealmsResult], method="script.getRealms"):
    """https://w3c.github.io/webdriver-bidi/#command-script-getRealms"""

    context: str | None = None
    type: RealmType | None = None


class RealmCreated(RealmInfo, Event, method="script.realmCreated"):
    """https://w3c.github.io/webdriver-bidi/#event-script-realmCreated"""


class RealmDestroyed(Event, method="script.realmDestroyed"):
    """https://w3c.github.io/webdriver-bidi/#event-script-realmDestroyed"""

    realm: str


class Message(Event, method="script.message"):
    """A value that a page passed to the function of a `ChannelValue`. https://w3c.github.io/webdriver-bidi/#event-script-message"""

    channel: str
    data: RemoteValue
    source: Source
