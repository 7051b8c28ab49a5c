"""The storage module. https://w3c.github.io/webdriver-bidi/#module-storage"""

from typing import Literal

from .network import BytesValue, Cookie, SameSite
from .wire import Command, Parameters, Result


class PartitionKey(Result):
    """https://w3c.github.io/webdriver-bidi/#type-storage-PartitionKey"""

    user_context: str | None = None
    source_origin: str | None = None


class CookieFilter(Parameters):
    """Cookies that equal every field given. https://w3c.github.io/webdriver-bidi/#command-storage-getCookies"""

    name: str | None = None
    value: BytesValue | None = None
    domain: str | None = None
    path: str | None = None
    size: int | None = None
    http_only: bool | None = None
    secure: bool | None = None
    same_site: SameSite | None = None
    expiry: int | None = None


class BrowsingContextPartitionDescriptor(Parameters):
    """https://w3c.github.io/webdriver-bidi/#command-storage-getCookies"""

    type: Literal["context"] = "context"
    context: str


class StorageKeyPartitionDescriptor(Parameters):
    """https://w3c.github.io/webdriver-bidi/#command-storage-getCookies"""

    type: Literal["storageKey"] = "storageKey"
    user_context: str | None = None
    source_origin: str | None = None


PartitionDescriptor = BrowsingContextPartitionDescriptor | StorageKeyPartitionDescriptor
"""https://w3c.github.io/webdriver-bidi/#command-storage-getCookies"""


class GetCookiesResult(Result):
    cookies: list[Cookie]
    partition_key: PartitionKey


class GetCookies(Command[GetCookiesResult], method="storage.getCookies"):
    """https://w3c.github.io/webdriver-bidi/#command-storage-getCookies"""

    filter: CookieFilter | None = None
    partition: PartitionDescriptor | None = None


class PartialCookie(Parameters):
    """``expiry`` is in seconds since the epoch; without it the cookie ends with the session.

    https://w3c.github.io/webdriver-bidi/#command-storage-setCookie
    """

    name: str
    value: BytesValue
    domain: str
    path: str | None = None
    http_only: bool | None = None
    secure: bool | None = None
    same_site: SameSite | None = None
    expiry: int | None = None


class SetCookieResult(Result):
    partition_key: PartitionKey


class SetCookie(Command[SetCookieResult], method="storage.setCookie"):
    """https://w3c.github.io/webdriver-bidi/#command-storage-setCookie"""

    cookie: PartialCookie
    partition: PartitionDescriptor | None = None


class DeleteCookiesResult(Result):
    partition_key: PartitionKey


class DeleteCookies(Command[DeleteCookiesResult], method="storage.deleteCookies"):
    """https://w3c.github.io/webdriver-bidi/#command-storage-deleteCookies"""

    filter: CookieFilter | None = None
    partition: PartitionDescriptor | None = None
