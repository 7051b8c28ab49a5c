"""Our names against those of selenium, whose classes are generated from the specification's own grammar.

A field, method or event that one side spells differently fails unless it stands here with a reason.
"""

import dataclasses
import importlib
import inspect
import re
from types import ModuleType
from typing import Literal, get_args, get_origin

import pytest
from pydantic import AliasPath, BaseModel

from bidi_server.bidi import (
    browser,
    browsing_context,
    cdp,
    emulation,
    input,  # noqa: A004 - the protocol's name
    log,
    network,
    permissions,
    script,
    session,
    storage,
    web_extension,
)
from bidi_server.bidi.wire import EVENTS, Command

MODULES: dict[str, ModuleType] = {
    "browser": browser,
    "browsing_context": browsing_context,
    "emulation": emulation,
    "input": input,
    "log": log,
    "network": network,
    "permissions": permissions,
    "script": script,
    "session": session,
    "storage": storage,
    "webextension": web_extension,
}
"""Our modules by selenium's names for them."""

MERGED: dict[str, type[BaseModel]] = {
    r"browser\.ClientWindowRectState": browser.SetClientWindowState,
    r"browsing_context\.BaseInfo": browsing_context.Info,
    r"browsing_context\.BaseNavigationInfo": browsing_context.NavigationInfo,
    r"browsing_context\.Download(Canceled)?Params": browsing_context.DownloadEnd,
    r"input\.FileDialogInfo": input.FileDialogOpened,
    r"log\.(Base|Generic|Console|Javascript)LogEntry": log.EntryAdded,
    r"network\.ContinueWithAuthCredentials": network.ContinueWithAuth,
    r"script\.EvaluateResult(Success|Exception)": script.EvaluateResult,
    r"script\.\w+RealmInfo": script.RealmInfo,
    r"script\.\w+RemoteValue": script.RemoteValue,
    r"session\.SocksProxyConfiguration": session.ManualProxyConfiguration,
    r"session\.UnsubscribeBy\w+Request": session.Unsubscribe,
    r"storage\.StorageCookie": network.Cookie,
}
"""Several of theirs, or one with another name, that are one class of ours."""

LEFT_OUT = {
    r"script\.(Array|Date|Map|Object|RegExp|Set)LocalValue|script\.RegExpValue": "values.to_local makes plain dicts",
    r"script\.(Undefined|Null|String|Number|Boolean|BigInt)Value": "values.to_local makes plain dicts",
    r"script\.(NodeProperties|WindowProxyProperties)": "what is nested in a RemoteValue stays as it came",
    r"session\.CapabilityResponse": "capabilities stay a dict: half of them are the browser's own",
}
"""Classes of theirs that we have no counterpart for."""

THEIRS_ONLY = {
    "browsing_context.AccessibilityLocator": ({"name", "role"}, "their generator flattens the nested value"),
    "browsing_context.ContextLocator": ({"context"}, "their generator flattens the nested value"),
    "browsing_context.DownloadEnd": ({"downloadParams"}, "their own wrapper"),
    "input.PointerDown": ({"properties"}, "their own wrapper around PointerCommonProperties"),
    "input.PointerMove": ({"properties"}, "their own wrapper around PointerCommonProperties"),
    "log.EntryAdded": ({"stacktrace"}, "a slip of theirs: elsewhere they have stackTrace"),
}
"""Fields of theirs that we leave out."""

_NAVIGATION = {"context", "navigation", "timestamp", "url", "userContext"}
_POINTER = {"width", "height", "pressure", "tangentialPressure", "twist", "altitudeAngle", "azimuthAngle"}

OURS_ONLY = {
    "browsing_context.AccessibilityLocator": ({"value"}, "their generator flattens it"),
    "browsing_context.ContextLocator": ({"value"}, "their generator flattens it"),
    "browsing_context.DownloadEnd": ({"download", "userContext"}, "newer than their hand-written class"),
    "browsing_context.DownloadWillBegin": ({"download", *_NAVIGATION}, "their generator drops the included group"),
    "browsing_context.Print": ({"orientation", "pageRanges"}, "their generator drops fields with a union"),
    "emulation.SetTouchOverride": ({"maxTouchPoints"}, "their generator drops it"),
    "input.FileDialogOpened": ({"userContext"}, "newer than their class"),
    "input.PointerDown": (_POINTER, "in their wrapper"),
    "input.PointerMove": (_POINTER, "in their wrapper"),
}
"""Fields of ours that they leave out."""

OURS_ALONE: dict[str, str] = {
    "browsing_context.AccessibilityAttributes": "name role",
    "browsing_context.ContextReference": "context",
    "browsing_context.ImageSize": "maxWidth maxHeight",
    "emulation.MediaFeatures": """
        any-hover any-pointer color color-gamut color-index display-mode dynamic-range environment-blending
        forced-colors grid horizontal-viewport-segments hover inverted-colors monochrome nav-controls overflow-block
        overflow-inline pointer prefers-color-scheme prefers-contrast prefers-reduced-data prefers-reduced-motion
        prefers-reduced-transparency scan scripting update vertical-viewport-segments video-color-gamut
        video-dynamic-range
    """,
    "network.BytesValue": "type value",
    "network.RequestData": """
        request url method headers cookies headersSize bodySize destination initiatorType timings
    """,
    "permissions.PermissionDescriptor": "name",
    "script.SerializationOptions": "maxDomDepth maxObjectDepth includeShadowTree",
    "storage.BrowsingContextPartitionDescriptor": "type context",
    "cdp.GetSession": "context",
    "cdp.GetSessionResult": "session",
    "cdp.SendCommand": "method params session",
    "cdp.SendCommandResult": "result session",
    "cdp.CdpEvent": "session",
    "cdp.ConsoleApiCalled": "session params.type params.args params.timestamp params.stackTrace.callFrames",
    "cdp.AttachedToTarget": """
        session params.sessionId params.targetInfo.type params.targetInfo.url params.targetInfo.browserContextId
    """,
    "cdp.DetachedFromTarget": "session params.sessionId",
    "cdp.TracingComplete": "session params.stream params.dataLossOccurred",
    "cdp.RequestWillBeSent": """
        session params.requestId params.request.url params.request.method params.type params.frameId
    """,
    "cdp.LoadingFinished": "session params.requestId",
    "cdp.ResponseReceived": "session params.requestId params.response",
    "cdp.LoadingFailed": "session params.requestId params.blockedReason params.corsErrorStatus.corsError",
    "cdp.IssueAdded": "session params.issue.code params.issue.details",
}
"""Classes that selenium doesn't have, with their fields as the specification names them."""

ENUMS = {
    "browsing_context.ReadinessState": browsing_context.ReadinessState,
    "input.PointerType": input.PointerParameters.model_fields["pointer_type"].annotation,
    "network.DataType": network.DataType,
    "network.InterceptPhase": network.InterceptPhase,
    "network.SameSite": network.SameSite,
    "permissions.PermissionState": permissions.SetPermission.model_fields["state"].annotation,
    "script.RealmType": script.RealmType,
    "script.ResultOwnership": script.ResultOwnership,
    "session.UserPromptHandlerType": session.UserPromptHandler.model_fields["default"].annotation,
    "emulation.ScreenOrientationType": emulation.ScreenOrientation.model_fields["type"].annotation,
}


def _selenium(module: str) -> ModuleType:
    return importlib.import_module(f"selenium.webdriver.common.bidi.{module}")


def _name(kind: type) -> str:
    return f"{kind.__module__.rpartition('.')[2]}.{kind.__name__}"


def _our_classes() -> list[type[BaseModel]]:
    kinds = [kind for module in [*MODULES.values(), cdp] for kind in vars(module).values() if isinstance(kind, type)]
    ours = {kind for kind in kinds if issubclass(kind, BaseModel) and not kind.__module__.endswith(".wire")}
    return sorted(ours, key=_name)


def _their_classes() -> dict[str, type]:
    return {
        f"{module}.{kind.__name__}": kind  # some have an alias as well
        for module in MODULES
        for kind in vars(_selenium(module)).values()
        if dataclasses.is_dataclass(kind) and isinstance(kind, type) and kind.__module__ == _selenium(module).__name__
    }


def _counterpart(name: str) -> type[BaseModel] | None:
    module, _, class_name = name.partition(".")
    for pattern, kind in MERGED.items():
        if re.fullmatch(pattern, name):
            return kind
    for candidate in (class_name, re.sub(r"(Parameters|Params|Action)$", "", class_name)):
        kind = vars(MODULES[module]).get(candidate)
        if isinstance(kind, type):
            return kind
    return None


def _is_merged(name: str) -> bool:
    return any(re.fullmatch(pattern, name) for pattern in MERGED)


def _literals(annotation: object) -> set[object]:
    if get_origin(annotation) is Literal:
        return set(get_args(annotation))
    return {value for part in get_args(annotation) for value in _literals(part)}


OURS = _our_classes()
THEIRS = _their_classes()
COUNTERPARTS = {name: ours for name in THEIRS if (ours := _counterpart(name))}


def _camel(name: str) -> str:
    first, *rest = name.rstrip("_").split("_")
    return first + "".join(part.capitalize() for part in rest)


def _snake(name: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()


def _our_fields(kind: type[BaseModel]) -> set[str]:
    aliases = [field.validation_alias for field in kind.model_fields.values()]
    return {".".join(map(str, alias.path)) if isinstance(alias, AliasPath) else str(alias) for alias in aliases}


def _inherited_fields(kind: type[BaseModel]) -> set[str]:
    bases = [base for base in kind.__bases__ if issubclass(base, BaseModel)]
    return {name for base in bases for name in _our_fields(base)}


def _method_parameters(kind: type[BaseModel]) -> set[str]:
    """What the method of theirs that sends the command takes: their classes lack fields that these have."""
    if not issubclass(kind, Command):
        return set()
    module = next((name for name, ours in MODULES.items() if ours.__name__ == kind.__module__), None)
    if module is None:
        return set()
    methods = [
        vars(owner).get(_snake(kind.__name__)) for owner in vars(_selenium(module)).values() if isinstance(owner, type)
    ]
    return {
        _camel(name) for method in methods if callable(method) for name in [*inspect.signature(method).parameters][1:]
    }


@pytest.mark.parametrize("name", THEIRS)
def test_each_class_of_theirs_has_a_counterpart(name: str) -> None:
    left_out = any(re.fullmatch(pattern, name) for pattern in LEFT_OUT)
    assert (name in COUNTERPARTS) != left_out


@pytest.mark.parametrize("kind", OURS, ids=_name)
def test_fields_are_spelled_like_theirs(kind: type[BaseModel]) -> None:
    names = [name for name, ours in COUNTERPARTS.items() if ours is kind]
    theirs = {_camel(field.name) for name in names for field in dataclasses.fields(THEIRS[name])}
    arguments = _method_parameters(kind)
    ours = _our_fields(kind)
    if _name(kind) in OURS_ALONE:
        assert not names
        assert ours == set(OURS_ALONE[_name(kind)].split())
    elif names or ours - _inherited_fields(kind):
        assert theirs - ours == THEIRS_ONLY.get(_name(kind), (set(), ""))[0]
        assert ours - theirs - arguments == OURS_ONLY.get(_name(kind), (set(), ""))[0]


@pytest.mark.parametrize("name", [name for name in COUNTERPARTS if not _is_merged(name)])
def test_constants_are_theirs(name: str) -> None:
    constants = {_camel(field.name): field.default for field in dataclasses.fields(THEIRS[name]) if not field.init}
    ours = {str(field.validation_alias): field.default for field in COUNTERPARTS[name].model_fields.values()}
    assert {field: ours[field] for field in constants} == constants


@pytest.mark.parametrize("name", ENUMS)
def test_values_are_theirs(name: str) -> None:
    module, _, class_name = name.partition(".")
    enum: type = vars(_selenium(module))[class_name]
    theirs = {value for key, value in vars(enum).items() if key.isupper()}
    assert _literals(ENUMS[name]) == theirs


def test_methods_are_theirs() -> None:
    sources = [inspect.getsource(_selenium(module)) for module in MODULES]
    theirs = {method for source in sources for method in re.findall(r'command_builder\(\s*"([^"]+)"', source)}
    ours = {kind.method for kind in OURS if issubclass(kind, Command)}
    assert {method for method in ours if not method.startswith("goog:")} == theirs


def test_events_are_theirs() -> None:
    mappings = [vars(_selenium(module)).get("EVENT_NAME_MAPPING", {}) for module in MODULES]
    assert {method for mapping in mappings for method in mapping.values()} == {
        method for method in EVENTS if not method.startswith(("test.", "goog:"))
    }


def test_every_exception_to_the_rule_is_still_one() -> None:
    assert {*THEIRS_ONLY, *OURS_ONLY, *OURS_ALONE} <= {_name(kind) for kind in OURS}
    for pattern in (*MERGED, *LEFT_OUT):
        assert any(re.fullmatch(pattern, name) for name in THEIRS), pattern
