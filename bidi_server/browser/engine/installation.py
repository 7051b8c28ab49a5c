"""Getting a browser onto this machine at an agent's word."""

import logging

from bidi_server.config import BrowserName
from bidi_server.errors import BrowserUnavailableError
from drivers import InstallError

logger = logging.getLogger(__name__)


async def download(browser: BrowserName) -> None:
    """Get a browser that is missing into our cache, without changing the system. Raises `BrowserUnavailableError`."""
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
    """Get a browser if it is missing; return what was done. Raises `BrowserUnavailableError`.

    Whoever lets an agent call this agrees to what it does to the system; the answer names the commands.
    """
    from drivers.install import install

    done: list[str] = []

    def progress(message: str, _: float | None) -> None:
        # "apt-get install: Unpacking …", "apt-get install: Setting up …": what is done, not each step of it.
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
    """Return chromium if it is there, else firefox."""
    from drivers.find import candidates

    def there(browser: BrowserName) -> bool:
        return next(candidates(browser, "browser"), None) is not None

    return "firefox" if not there("chromium") and there("firefox") else "chromium"
