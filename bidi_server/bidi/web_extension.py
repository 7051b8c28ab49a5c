"""The webExtension module. https://w3c.github.io/webdriver-bidi/#module-webExtension"""

from typing import Literal

from .wire import Command, EmptyResult, Parameters, Result


class ExtensionPath(Parameters):
    """A folder on the browser's machine. https://w3c.github.io/webdriver-bidi/#command-webExtension-install"""

    type: Literal["path"] = "path"
    path: str


class ExtensionArchivePath(Parameters):
    """A packed extension on the browser's machine.

    https://w3c.github.io/webdriver-bidi/#command-webExtension-install
    """

    type: Literal["archivePath"] = "archivePath"
    path: str


class ExtensionBase64Encoded(Parameters):
    """A packed extension as Base64. https://w3c.github.io/webdriver-bidi/#command-webExtension-install"""

    type: Literal["base64"] = "base64"
    value: str


ExtensionData = ExtensionArchivePath | ExtensionBase64Encoded | ExtensionPath
"""https://w3c.github.io/webdriver-bidi/#command-webExtension-install"""


class InstallResult(Result):
    extension: str


class Install(Command[InstallResult], method="webExtension.install"):
    """https://w3c.github.io/webdriver-bidi/#command-webExtension-install"""

    extension_data: ExtensionData


class Uninstall(Command[EmptyResult], method="webExtension.uninstall"):
    """https://w3c.github.io/webdriver-bidi/#command-webExtension-uninstall"""

    extension: str
