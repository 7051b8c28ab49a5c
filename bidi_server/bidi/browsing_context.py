"""The browsingContext module. https://w3c.github.io/webdriver-bidi/#module-browsingContext"""

from typing import Literal

from .script import RemoteValue, SerializationOptions, SharedReference
from .wire import Command, EmptyResult, Event, Parameters, Result

ReadinessState = Literal["none", "interactive", "complete"]
"""https://w3c.github.io/webdriver-bidi/#type-browsingContext-ReadinessState"""


class Info(Result):
    """A tab, window or frame. https://w3c.github.io/webdriver-bidi/#type-browsingContext-Info"""

    context: str
    url: str
    user_context: str | None = None
    children: "list[Info] | None" = None
    client_window: str | None = None
    original_opener: str | None = None
    parent: str | None = None


class AccessibilityAttributes(Parameters):
    name: str | None = None
    role: str | None = None


class AccessibilityLocator(Parameters):
    type: Literal["accessibility"] = "accessibility"
    value: AccessibilityAttributes


class CssLocator(Parameters):
    type: Literal["css"] = "css"
    value: str


class ContextReference(Parameters):
    context: str


class ContextLocator(Parameters):
    """Locates the container element of a child context."""

    type: Literal["context"] = "context"
    value: ContextReference


class InnerTextLocator(Parameters):
    type: Literal["innerText"] = "innerText"
    value: str
    ignore_case: bool | None = None
    match_type: Literal["full", "partial"] | None = None
    max_depth: int | None = None


class XPathLocator(Parameters):
    type: Literal["xpath"] = "xpath"
    value: str


Locator = AccessibilityLocator | CssLocator | ContextLocator | InnerTextLocator | XPathLocator
"""https://w3c.github.io/webdriver-bidi/#type-browsingContext-Locator"""


class Activate(Command[EmptyResult], method="browsingContext.activate"):
    """https://w3c.github.io/webdriver-bidi/#command-browsingContext-activate"""

    context: str


class ImageFormat(Parameters):
    """``type`` is a MIME type, ``quality`` from 0 to 1."""

    type: str
    quality: float | None = None


class ImageSize(Parameters):
    """Maximum size of a screenshot, in pixels."""

    max_width: int | None = None
    max_height: int | None = None


class BoxClipRectangle(Parameters):
    """CSS pixels from the screenshot's origin."""

    type: Literal["box"] = "box"
    x: float
    y: float
    width: float
    height: float


class ElementClipRectangle(Parameters):
    type: Literal["element"] = "element"
    element: SharedReference


class CaptureScreenshotResult(Result):
    """``data`` is the image in Base64."""

    data: str


class CaptureScreenshot(Command[CaptureScreenshotResult], method="browsingContext.captureScreenshot"):
    """https://w3c.github.io/webdriver-bidi/#command-browsingContext-captureScreenshot"""

    context: str
    origin: Literal["viewport", "document"] | None = None
    format: ImageFormat | None = None
    clip: BoxClipRectangle | ElementClipRectangle | None = None
    image_size: ImageSize | None = None


class Close(Command[EmptyResult], method="browsingContext.close"):
    """https://w3c.github.io/webdriver-bidi/#command-browsingContext-close"""

    context: str
    prompt_unload: bool | None = None


class CreateResult(Result):
    context: str
    user_context: str | None = None


class Create(Command[CreateResult], method="browsingContext.create"):
    """https://w3c.github.io/webdriver-bidi/#command-browsingContext-create"""

    type: Literal["tab", "window"]
    reference_context: str | None = None
    background: bool | None = None
    user_context: str | None = None


class GetTreeResult(Result):
    contexts: list[Info]


class GetTree(Command[GetTreeResult], method="browsingContext.getTree"):
    """https://w3c.github.io/webdriver-bidi/#command-browsingContext-getTree"""

    max_depth: int | None = None
    root: str | None = None


class HandleUserPrompt(Command[EmptyResult], method="browsingContext.handleUserPrompt"):
    """https://w3c.github.io/webdriver-bidi/#command-browsingContext-handleUserPrompt"""

    context: str
    accept: bool | None = None
    user_text: str | None = None


class LocateNodesResult(Result):
    nodes: list[RemoteValue]


class LocateNodes(Command[LocateNodesResult], method="browsingContext.locateNodes"):
    """https://w3c.github.io/webdriver-bidi/#command-browsingContext-locateNodes"""

    context: str
    locator: Locator
    max_node_count: int | None = None
    serialization_options: SerializationOptions | None = None
    start_nodes: list[SharedReference] | None = None


class NavigateResult(Result):
    navigation: str | None = None
    url: str


class Navigate(Command[NavigateResult], method="browsingContext.navigate"):
    """https://w3c.github.io/webdriver-bidi/#command-browsingContext-navigate"""

    context: str
    url: str
    wait: ReadinessState | None = None


class PrintMarginParameters(Parameters):
    """Centimetres. https://w3c.github.io/webdriver-bidi/#command-browsingContext-print"""

    bottom: float | None = None
    left: float | None = None
    right: float | None = None
    top: float | None = None


class PrintPageParameters(Parameters):
    """Centimetres. https://w3c.github.io/webdriver-bidi/#command-browsingContext-print"""

    height: float | None = None
    width: float | None = None


class PrintResult(Result):
    """``data`` is the PDF in Base64."""

    data: str


class Print(Command[PrintResult], method="browsingContext.print"):
    """https://w3c.github.io/webdriver-bidi/#command-browsingContext-print"""

    context: str
    background: bool | None = None
    margin: PrintMarginParameters | None = None
    orientation: Literal["portrait", "landscape"] | None = None
    page: PrintPageParameters | None = None
    page_ranges: list[int | str] | None = None
    scale: float | None = None
    shrink_to_fit: bool | None = None


class Reload(Command[NavigateResult], method="browsingContext.reload"):
    """https://w3c.github.io/webdriver-bidi/#command-browsingContext-reload"""

    context: str
    ignore_cache: bool | None = None
    wait: ReadinessState | None = None


class SetBypassCSP(Command[EmptyResult], method="browsingContext.setBypassCSP"):
    """https://w3c.github.io/webdriver-bidi/#command-browsingContext-setBypassCSP"""

    bypass: Literal[True] | None
    contexts: list[str] | None = None
    user_contexts: list[str] | None = None


class Viewport(Parameters):
    """CSS pixels. https://w3c.github.io/webdriver-bidi/#command-browsingContext-setViewport"""

    width: int
    height: int


class SetViewport(Command[EmptyResult], method="browsingContext.setViewport"):
    """Null resets. https://w3c.github.io/webdriver-bidi/#command-browsingContext-setViewport"""

    context: str | None = None
    viewport: Viewport | None = None
    device_pixel_ratio: float | None = None
    user_contexts: list[str] | None = None


class MediaTrackConstraints(Parameters):
    width: int | None = None
    height: int | None = None
    frame_rate: int | None = None


class StartScreencastResult(Result):
    screencast: str
    path: str


class StartScreencast(Command[StartScreencastResult], method="browsingContext.startScreencast"):
    """https://w3c.github.io/webdriver-bidi/#command-browsingContext-startScreencast"""

    context: str
    destination_folder: str | None = None
    mime_type: str | None = None
    video: MediaTrackConstraints | None = None
    audio: bool | None = None


class StopScreencastResult(Result):
    path: str
    error: str | None = None


class StopScreencast(Command[StopScreencastResult], method="browsingContext.stopScreencast"):
    """https://w3c.github.io/webdriver-bidi/#command-browsingContext-stopScreencast"""

    screencast: str


class TraverseHistory(Command[EmptyResult], method="browsingContext.traverseHistory"):
    """https://w3c.github.io/webdriver-bidi/#command-browsingContext-traverseHistory"""

    context: str
    delta: int


class ContextCreated(Info, Event, method="browsingContext.contextCreated"):
    """https://w3c.github.io/webdriver-bidi/#event-browsingContext-contextCreated"""

    has_planned_navigation: bool | None = None


class ContextDestroyed(Info, Event, method="browsingContext.contextDestroyed"):
    """https://w3c.github.io/webdriver-bidi/#event-browsingContext-contextDestroyed"""


class NavigationInfo(Event):
    """Parameters of all navigation events. ``timestamp`` is in milliseconds since the epoch.

    https://w3c.github.io/webdriver-bidi/#type-browsingContext-NavigationInfo
    """

    context: str
    navigation: str | None = None
    timestamp: float
    url: str
    user_context: str | None = None


class NavigationStarted(NavigationInfo, method="browsingContext.navigationStarted"):
    """https://w3c.github.io/webdriver-bidi/#event-browsingContext-navigationStarted"""


class FragmentNavigated(NavigationInfo, method="browsingContext.fragmentNavigated"):
    """https://w3c.github.io/webdriver-bidi/#event-browsingContext-fragmentNavigated"""


class DomContentLoaded(NavigationInfo, method="browsingContext.domContentLoaded"):
    """https://w3c.github.io/webdriver-bidi/#event-browsingContext-domContentLoaded"""


class Load(NavigationInfo, method="browsingContext.load"):
    """https://w3c.github.io/webdriver-bidi/#event-browsingContext-load"""


class NavigationAborted(NavigationInfo, method="browsingContext.navigationAborted"):
    """https://w3c.github.io/webdriver-bidi/#event-browsingContext-navigationAborted"""


class NavigationCommitted(NavigationInfo, method="browsingContext.navigationCommitted"):
    """https://w3c.github.io/webdriver-bidi/#event-browsingContext-navigationCommitted"""


class NavigationFailed(NavigationInfo, method="browsingContext.navigationFailed"):
    """Firefox omits a ``javascript:`` URL. https://w3c.github.io/webdriver-bidi/#event-browsingContext-navigationFailed"""

    url: str = ""


class HistoryUpdated(Event, method="browsingContext.historyUpdated"):
    """``timestamp`` is in milliseconds since the epoch.

    https://w3c.github.io/webdriver-bidi/#event-browsingContext-historyUpdated
    """

    context: str
    timestamp: float | None = None
    url: str
    user_context: str | None = None


class DownloadWillBegin(NavigationInfo, method="browsingContext.downloadWillBegin"):
    """https://w3c.github.io/webdriver-bidi/#event-browsingContext-downloadWillBegin"""

    suggested_filename: str
    download: str | None = None


class DownloadEnd(NavigationInfo, method="browsingContext.downloadEnd"):
    """``status`` is "complete" or "canceled"; ``filepath`` is None if the browser does not report it.

    https://w3c.github.io/webdriver-bidi/#event-browsingContext-downloadEnd
    """

    status: str
    filepath: str | None = None
    download: str | None = None


class UserPromptOpened(Event, method="browsingContext.userPromptOpened"):
    """A dialog: ``type`` is "alert", "beforeunload", "confirm" or "prompt"; ``handler`` is its default handling.

    https://w3c.github.io/webdriver-bidi/#event-browsingContext-userPromptOpened
    """

    context: str
    type: str
    message: str
    handler: str | None = None
    default_value: str | None = None
    user_context: str | None = None


class UserPromptClosed(Event, method="browsingContext.userPromptClosed"):
    """https://w3c.github.io/webdriver-bidi/#event-browsingContext-userPromptClosed"""

    context: str
    accepted: bool
    type: str | None = None
    user_text: str | None = None
    user_context: str | None = None
