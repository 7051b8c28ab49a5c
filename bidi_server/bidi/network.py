"""The network module. https://w3c.github.io/webdriver-bidi/#module-network"""

from base64 import b64decode
from typing import Literal

from pydantic import Field, TypeAdapter

from .script import StackTrace
from .wire import Command, EmptyResult, Event, Exchanged, Packed, Parameters, Result

DataType = Literal["request", "response"]
"""https://w3c.github.io/webdriver-bidi/#type-network-DataType"""

InterceptPhase = Literal["beforeRequestSent", "responseStarted", "authRequired"]
"""https://w3c.github.io/webdriver-bidi/#command-network-addIntercept"""

SameSite = Literal["strict", "lax", "none", "default"]
"""https://w3c.github.io/webdriver-bidi/#type-network-SameSite"""


class BytesValue(Exchanged):
    """Bytes as UTF-8 (``type`` "string") or Base64 ("base64"); send a `StringValue` or a `Base64Value`.

    https://w3c.github.io/webdriver-bidi/#type-network-BytesValue
    """

    type: str
    value: str

    def to_bytes(self) -> bytes:
        """Return the bytes of the value."""
        return b64decode(self.value) if self.type == "base64" else self.value.encode()

    def __str__(self) -> str:
        """Return the value as text; invalid UTF-8 is replaced."""
        return self.to_bytes().decode(errors="replace") if self.type == "base64" else self.value


class StringValue(BytesValue):
    """https://w3c.github.io/webdriver-bidi/#type-network-BytesValue"""

    type: str = "string"


class Base64Value(BytesValue):
    """https://w3c.github.io/webdriver-bidi/#type-network-BytesValue"""

    type: str = "base64"


class Header(Exchanged):
    """https://w3c.github.io/webdriver-bidi/#type-network-Header"""

    name: str
    value: BytesValue


class CookieHeader(Parameters):
    """https://w3c.github.io/webdriver-bidi/#type-network-CookieHeader"""

    name: str
    value: BytesValue


class SetCookieHeader(Parameters):
    """``expiry`` is an HTTP date, ``max_age`` is in seconds.

    https://w3c.github.io/webdriver-bidi/#type-network-SetCookieHeader
    """

    name: str
    value: BytesValue
    domain: str | None = None
    http_only: bool | None = None
    expiry: str | None = None
    max_age: int | None = None
    path: str | None = None
    same_site: SameSite | None = None
    secure: bool | None = None


class Cookie(Result):
    """``size`` is in bytes, ``expiry`` in seconds since the epoch; a session cookie has none.

    https://w3c.github.io/webdriver-bidi/#type-network-Cookie
    """

    name: str
    value: BytesValue
    domain: str
    path: str
    size: int
    http_only: bool
    secure: bool
    same_site: str | None = None
    expiry: float | None = None


_HEADERS = TypeAdapter(list[Header])
_COOKIES = TypeAdapter(list[Cookie])


class AuthChallenge(Result):
    """https://w3c.github.io/webdriver-bidi/#type-network-AuthChallenge"""

    scheme: str
    realm: str


class AuthCredentials(Parameters):
    """https://w3c.github.io/webdriver-bidi/#type-network-AuthCredentials"""

    type: Literal["password"] = "password"
    username: str
    password: str


class FetchTimingInfo(Result):
    """Milliseconds after ``time_origin``, which is in milliseconds since the epoch; 0 if the step did not happen.

    https://w3c.github.io/webdriver-bidi/#type-network-FetchTimingInfo
    """

    time_origin: float
    request_time: float
    redirect_start: float
    redirect_end: float
    fetch_start: float
    dns_start: float
    dns_end: float
    connect_start: float
    connect_end: float
    tls_start: float
    request_start: float
    response_start: float
    response_end: float


class RequestData(Result):
    """Sizes are in bytes. https://w3c.github.io/webdriver-bidi/#type-network-RequestData"""

    request: str
    url: str
    method: str
    headers_size: int | None = None
    body_size: int | None = None
    destination: str | None = None
    initiator_type: str | None = None
    raw_timings: Packed = Field(validation_alias="timings")
    raw_headers: Packed = Field(default=b"[]", validation_alias="headers")
    raw_cookies: Packed = Field(default=b"[]", validation_alias="cookies")

    @property
    def timings(self) -> FetchTimingInfo:
        """Timings of the request."""
        return FetchTimingInfo.model_validate_json(self.raw_timings)

    @property
    def headers(self) -> list[Header]:
        """The headers that were sent."""
        return _HEADERS.validate_json(self.raw_headers)

    @property
    def cookies(self) -> list[Cookie]:
        """The cookies that were sent."""
        return _COOKIES.validate_json(self.raw_cookies)


class ResponseContent(Result):
    """``size`` is in bytes, after decoding. https://w3c.github.io/webdriver-bidi/#type-network-ResponseContent"""

    size: int | None = None


class ResponseData(Result):
    """Sizes are in bytes. https://w3c.github.io/webdriver-bidi/#type-network-ResponseData"""

    url: str
    protocol: str
    status: int
    status_text: str
    from_cache: bool
    mime_type: str
    bytes_received: int
    headers_size: int | None = None
    body_size: int | None = None
    content: ResponseContent
    auth_challenges: list[AuthChallenge] | None = None
    raw_headers: Packed = Field(default=b"[]", validation_alias="headers")

    @property
    def headers(self) -> list[Header]:
        """The headers of the response."""
        return _HEADERS.validate_json(self.raw_headers)


class Initiator(Result):
    """Lines and columns count from 0. https://w3c.github.io/webdriver-bidi/#type-network-Initiator"""

    type: str | None = None
    request: str | None = None
    line_number: int | None = None
    column_number: int | None = None
    stack_trace: StackTrace | None = None


class UrlPatternPattern(Parameters):
    """https://w3c.github.io/webdriver-bidi/#type-network-UrlPattern"""

    type: Literal["pattern"] = "pattern"
    protocol: str | None = None
    hostname: str | None = None
    port: str | None = None
    pathname: str | None = None
    search: str | None = None


class UrlPatternString(Parameters):
    """https://w3c.github.io/webdriver-bidi/#type-network-UrlPattern"""

    type: Literal["string"] = "string"
    pattern: str


UrlPattern = UrlPatternPattern | UrlPatternString
"""https://w3c.github.io/webdriver-bidi/#type-network-UrlPattern"""


class AddDataCollectorResult(Result):
    collector: str


class AddDataCollector(Command[AddDataCollectorResult], method="network.addDataCollector"):
    """``max_encoded_data_size`` is in bytes. https://w3c.github.io/webdriver-bidi/#command-network-addDataCollector"""

    data_types: list[DataType]
    max_encoded_data_size: int
    collector_type: Literal["blob"] | None = None
    contexts: list[str] | None = None
    user_contexts: list[str] | None = None


class AddInterceptResult(Result):
    intercept: str


class AddIntercept(Command[AddInterceptResult], method="network.addIntercept"):
    """https://w3c.github.io/webdriver-bidi/#command-network-addIntercept"""

    phases: list[InterceptPhase]
    contexts: list[str] | None = None
    url_patterns: list[UrlPattern] | None = None


class ContinueRequest(Command[EmptyResult], method="network.continueRequest"):
    """https://w3c.github.io/webdriver-bidi/#command-network-continueRequest"""

    request: str
    body: BytesValue | None = None
    cookies: list[CookieHeader] | None = None
    headers: list[Header] | None = None
    # "method" on the wire, which is also the class argument of commands.
    http_method: str | None = Field(default=None, validation_alias="method", serialization_alias="method")
    url: str | None = None


class ContinueResponse(Command[EmptyResult], method="network.continueResponse"):
    """https://w3c.github.io/webdriver-bidi/#command-network-continueResponse"""

    request: str
    cookies: list[SetCookieHeader] | None = None
    credentials: AuthCredentials | None = None
    headers: list[Header] | None = None
    reason_phrase: str | None = None
    status_code: int | None = None


class ContinueWithAuth(Command[EmptyResult], method="network.continueWithAuth"):
    """``credentials`` are only valid with the action "provideCredentials".

    https://w3c.github.io/webdriver-bidi/#command-network-continueWithAuth
    """

    request: str
    action: Literal["provideCredentials", "default", "cancel"]
    credentials: AuthCredentials | None = None


class DisownData(Command[EmptyResult], method="network.disownData"):
    """https://w3c.github.io/webdriver-bidi/#command-network-disownData"""

    data_type: DataType
    collector: str
    request: str


class FailRequest(Command[EmptyResult], method="network.failRequest"):
    """https://w3c.github.io/webdriver-bidi/#command-network-failRequest"""

    request: str


class GetDataResult(Result):
    bytes: BytesValue


class GetData(Command[GetDataResult], method="network.getData"):
    """https://w3c.github.io/webdriver-bidi/#command-network-getData"""

    data_type: DataType
    request: str
    collector: str | None = None
    disown: bool | None = None


class ProvideResponse(Command[EmptyResult], method="network.provideResponse"):
    """https://w3c.github.io/webdriver-bidi/#command-network-provideResponse"""

    request: str
    body: BytesValue | None = None
    cookies: list[SetCookieHeader] | None = None
    headers: list[Header] | None = None
    reason_phrase: str | None = None
    status_code: int | None = None


class RemoveDataCollector(Command[EmptyResult], method="network.removeDataCollector"):
    """https://w3c.github.io/webdriver-bidi/#command-network-removeDataCollector"""

    collector: str


class RemoveIntercept(Command[EmptyResult], method="network.removeIntercept"):
    """https://w3c.github.io/webdriver-bidi/#command-network-removeIntercept"""

    intercept: str


class SetCacheBehavior(Command[EmptyResult], method="network.setCacheBehavior"):
    """https://w3c.github.io/webdriver-bidi/#command-network-setCacheBehavior"""

    cache_behavior: Literal["default", "bypass"]
    contexts: list[str] | None = None


class SetExtraHeaders(Command[EmptyResult], method="network.setExtraHeaders"):
    """https://w3c.github.io/webdriver-bidi/#command-network-setExtraHeaders"""

    headers: list[Header]
    contexts: list[str] | None = None
    user_contexts: list[str] | None = None


class BaseParameters(Event):
    """Parameters of all network events. ``timestamp`` is in milliseconds since the epoch.

    ``is_blocked`` means that the request waits for our reply because of ``intercepts``.

    https://w3c.github.io/webdriver-bidi/#type-network-BaseParameters
    """

    request: RequestData
    context: str | None = None
    user_context: str | None = None
    navigation: str | None = None
    is_blocked: bool
    redirect_count: int
    timestamp: float
    intercepts: list[str] | None = None


class AuthRequired(BaseParameters, method="network.authRequired"):
    """https://w3c.github.io/webdriver-bidi/#event-network-authRequired"""

    response: ResponseData


class BeforeRequestSent(BaseParameters, method="network.beforeRequestSent"):
    """https://w3c.github.io/webdriver-bidi/#event-network-beforeRequestSent"""

    initiator: Initiator | None = None


class FetchError(BaseParameters, method="network.fetchError"):
    """https://w3c.github.io/webdriver-bidi/#event-network-fetchError"""

    error_text: str


class ResponseStarted(BaseParameters, method="network.responseStarted"):
    """https://w3c.github.io/webdriver-bidi/#event-network-responseStarted"""

    response: ResponseData


class ResponseCompleted(BaseParameters, method="network.responseCompleted"):
    """https://w3c.github.io/webdriver-bidi/#event-network-responseCompleted"""

    response: ResponseData
