"""Install a browser, and the driver that it needs, on this machine.

Methods, in this order: use what is installed already; the system's packages (Debian and its derivatives, as root, with
the user's consent); downloads into our cache with Selenium Manager and webdriver-manager. Nothing is downloaded twice.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from drivers.apt import apt_install
from drivers.download import Mirrors, download
from drivers.errors import InstallError
from drivers.find import installed
from drivers.ways import Unavailable

if TYPE_CHECKING:
    from drivers.find import Installation
    from drivers.options import BrowserName
    from drivers.ways import Consent, Progress

__all__ = ["Mirrors", "install"]


async def install(
    browser: BrowserName,
    *,
    progress: Progress,
    consent: Consent,
    mirrors: Mirrors | None = None,
    version: str | None = None,
) -> list[Installation]:
    """Return a browser that can be launched, and its driver if it needs one, after installing what is missing.

    `progress` receives each step, with the fraction done (0 to 1) if it is known. `consent` is asked, with the exact
    commands, before the system is changed; downloads into our cache need no consent. `version` is the version to
    download, such as "140.0". Raises InstallError if every method failed.
    """
    if found := await installed(browser, version):
        progress(f"Already there: {described(found)}", 1.0)
        return found
    from_packages = partial(apt_install, browser, progress, consent)
    from_makers = partial(download, browser, progress, mirrors or Mirrors(), version)
    failures: list[str] = []
    for way in [from_makers] if version else [from_packages, from_makers]:
        failure = "what was installed does not start"
        try:
            await way()
        except Unavailable as error:
            failure = str(error)
        if found := await installed(browser, version):
            progress(f"Installed: {described(found)}", 1.0)
            return found
        failures.append(failure)
    raise InstallError(
        "\n- ".join([f"{browser.capitalize()} could not be installed.", *failures]),
        "Install it another way and give its path, or name mirrors that this machine can reach.",
    )


def described(found: list[Installation]) -> str:
    """Return the paths and versions of programs as readable text."""
    return ", ".join(f"{item.path} ({item.version})" for item in found)
