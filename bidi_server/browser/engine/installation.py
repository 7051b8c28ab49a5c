"""Installing a missing browser on this machine when an agent needs it."""

import logging

from bidi_server.config import BrowserName
from bidi_server.errors import BrowserUnavailableError
from drivers import InstallError

logger = logging.getLogger(__name__)


async def download(browser: BrowserName) -> None:
    """Download a missing browser into our cache, without changing the system. Raises `BrowserUnavailableError`."""
    from drivers.install import install

    def progress(message: str, _: float | None) -> None:
        logger.info(message)

    logger.warning("no %s was found; getting one", browser)
    try:
        await install(browser, progress=progress, consent=lambda _: False)
    except InstallError as error:
        raise BrowserUnavailableError(
            f"bidi-server install {browser} installs the browser that is missing; so does the tool browser_install. "
            f"Without changing the system: {error.message}",
            error.advice,
        ) from error


async def provide(browser: BrowserName | None) -> list[str]:
    """Install a browser if it is missing. Return the steps that were taken. Raises `BrowserUnavailableError`.

    It may change the system without asking: offering it to an agent counts as consent. The steps include the commands.
    """
    from drivers.install import install

    done: list[str] = []

    def progress(message: str, _: float | None) -> None:
        # Keep one line for each command, not for each of its steps, such as "apt-get install: Unpacking …" and
        # "apt-get install: Setting up …".
        done[:] = [*done, message] if not done or done[-1].partition(": ")[0] != message.partition(": ")[0] else done

    def consent(commands: str) -> bool:
        done.append(f"Changing the system: {commands}")
        return True

    try:
        await install(browser or default_browser(), progress=progress, consent=consent)
    except InstallError as error:
        raise BrowserUnavailableError(error.message, error.advice) from error
    return done


def default_browser() -> BrowserName:
    """Return ``firefox`` if it is the only installed browser, otherwise ``chromium``."""
    from drivers.find import candidates

    def there(browser: BrowserName) -> bool:
        return next(candidates(browser, "browser"), None) is not None

    return "firefox" if not there("chromium") and there("firefox") else "chromium"
