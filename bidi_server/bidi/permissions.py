"""The permissions module. https://w3c.github.io/permissions/#automation-webdriver-bidi"""

from typing import Literal

from .wire import Command, EmptyResult, Parameters


class PermissionDescriptor(Parameters):
    """``name`` is that of the page's ``navigator.permissions.query``, such as "geolocation".

    https://w3c.github.io/permissions/#webdriver-bidi-type-permissions-PermissionDescriptor
    """

    name: str


class SetPermission(Command[EmptyResult], method="permissions.setPermission"):
    """https://w3c.github.io/permissions/#webdriver-bidi-command-permissions-setPermission"""

    descriptor: PermissionDescriptor
    state: Literal["granted", "denied", "prompt"]
    origin: str
    embedded_origin: str | None = None
    user_context: str | None = None
