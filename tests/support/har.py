"""HTTP Archive 1.2 as its specification has it, strictly. http://www.softwareishard.com/blog/har-12-spec/"""

from datetime import datetime
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

Milliseconds = Annotated[float, Field(ge=0)]
MillisecondsOrUnknown = Annotated[float, Field(ge=-1)]
Bytes = Annotated[int, Field(ge=-1)]


class Part(BaseModel):
    """An object; custom fields begin with an underscore, others are mistakes."""

    model_config = ConfigDict(extra="forbid", alias_generator=to_camel)


class Program(Part):
    name: str
    version: str


class PageTimings(Part):
    on_content_load: MillisecondsOrUnknown | None = None
    on_load: MillisecondsOrUnknown | None = None


class Page(Part):
    started_date_time: datetime
    id: str
    title: str
    page_timings: PageTimings


class Pair(Part):
    name: str
    value: str


class PostData(Part):
    mime_type: str
    text: str


class Request(Part):
    method: str
    url: str
    http_version: str
    cookies: list[Pair]
    headers: list[Pair]
    query_string: list[Pair]
    post_data: PostData | None = None
    headers_size: Bytes
    body_size: Bytes


class Content(Part):
    size: Annotated[int, Field(ge=0)]
    mime_type: str
    text: str | None = None
    encoding: str | None = None


class Response(Part):
    status: Annotated[int, Field(ge=0)]
    status_text: str
    http_version: str
    cookies: list[Pair]
    headers: list[Pair]
    content: Content
    redirect_url: str = Field(alias="redirectURL")
    headers_size: Bytes
    body_size: Bytes


class Timings(Part):
    blocked: MillisecondsOrUnknown = -1
    dns: MillisecondsOrUnknown = -1
    connect: MillisecondsOrUnknown = -1
    ssl: MillisecondsOrUnknown = -1
    send: Milliseconds
    wait: Milliseconds
    receive: Milliseconds


class Cache(Part):
    """Nothing is known of it."""


class Entry(Part):
    model_config = ConfigDict(extra="allow")

    pageref: str | None = None
    started_date_time: datetime
    time: Milliseconds
    request: Request
    response: Response
    cache: Cache
    timings: Timings


class Log(Part):
    version: str
    creator: Program
    browser: Program
    pages: list[Page]
    entries: list[Entry]


class Archive(Part):
    log: Log
