"""Starting or reaching a browser, and connecting to it."""

import trio

from bidi_server.bidi.errors import BidiError, ConnectionLostError
from bidi_server.browser.browser import Browser
from bidi_server.errors import BrowserUnavailableError
from drivers import BrowserNotFoundError, DriverError, Launched, LaunchOptions, Tell, launch


async def open_browser(options: LaunchOptions, nursery: trio.Nursery, tell: Tell | None = None) -> Browser:
    """Start a browser and connect to it; one that is not there is downloaded. Raises `BrowserUnavailableError`.

    The nursery runs the connection's tasks for as long as the browser lives. While a Grid has no place for it, ``tell``
    hears of that.
    """
    try:
        launched = await _launch(options, tell)
    except DriverError as error:
        raise BrowserUnavailableError(error.message, error.advice) from error
    browser = Browser(launched, keeps_profile=options.user_data_dir is not None)
    try:
        await browser.start(nursery, session_ready=launched.session_ready, url=launched.web_socket_url)
    except (BidiError, ConnectionLostError) as error:
        await browser.aclose()
        if launched.stays:
            raise BrowserUnavailableError(f"--endpoint: {error}.", "Check the address, and that it runs.") from error
        raise BrowserUnavailableError(
            f"The browser started, but WebDriver BiDi does not work there: {error}", "Run: bidi-server doctor"
        ) from error
    except BaseException:
        await browser.aclose()
        raise
    return browser


async def _launch(options: LaunchOptions, tell: Tell | None) -> Launched:
    try:
        return await launch(options, tell)
    except BrowserNotFoundError:
        if options.executable or options.driver or options.remote:
            raise
    from bidi_server.browser.installation import download

    await download(options.browser)
    return await launch(options, tell)
