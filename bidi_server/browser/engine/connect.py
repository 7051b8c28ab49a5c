"""Connecting to a browser that has been started or reached."""

import trio

from bidi_server.bidi.errors import BidiError, ConnectionLostError
from bidi_server.bidi.input import FileDialogOpened
from bidi_server.bidi.session import Subscribe
from bidi_server.browser.engine.browser import Browser, scripts
from bidi_server.errors import BrowserUnavailableError
from drivers import DriverError, Launched, LaunchOptions, WebDriverSession, resume

_EVENTS = [
    "browsingContext",
    "network.beforeRequestSent",
    "network.responseStarted",
    "network.responseCompleted",
    "network.fetchError",
    "log.entryAdded",
]


FILE_CHOOSERS_GAP = "file choosers are not reported (name the input when files are to be chosen)"
"""Description of the gap in a browser without input.fileDialogOpened."""

RESUME_SECONDS = 15.0
"""Timeout for a running browser to answer, in seconds."""


async def connect(launched: Launched, options: LaunchOptions, nursery: trio.Nursery) -> Browser:
    """Connect to a browser that was just started or reached. End it if that fails.

    The nursery runs the connection's tasks for as long as the browser lives. Raises `BrowserUnavailableError`.
    """
    try:
        return await _connected(launched, options, nursery)
    except (BidiError, ConnectionLostError) as error:
        if launched.stays:
            raise BrowserUnavailableError(f"--endpoint: {error}.", "Check the address, and that it runs.") from error
        raise BrowserUnavailableError(
            f"The browser started, but WebDriver BiDi does not work there: {error}", "Run: bidi-server doctor"
        ) from error


async def resume_browser(options: LaunchOptions, session: WebDriverSession, nursery: trio.Nursery) -> Browser:
    """Connect to a browser that was started by another server, or by us before the connection was lost.

    Raises `BrowserUnavailableError`; the browser keeps running then.
    """
    reason = f"no answer within {RESUME_SECONDS:g} s"
    try:
        launched = resume(options, session)
        with trio.move_on_after(RESUME_SECONDS):
            launched.farewell, farewell = None, launched.farewell
            browser = await _connected(launched, options, nursery, resume=True)
            launched.farewell = farewell
            return browser
    except (BidiError, ConnectionLostError, DriverError) as error:
        reason = str(error)
    raise BrowserUnavailableError(f"its browser can't be reached any more: {reason}")


async def _connected(
    launched: Launched, options: LaunchOptions, nursery: trio.Nursery, *, resume: bool = False
) -> Browser:
    browser = Browser(launched, keeps_profile=options.user_data_dir is not None)
    browser.logins.attended = options.headed
    try:
        await browser.connect(nursery, resume=resume)
        await _subscribe(browser, with_scripts=not resume and not launched.stays)
        if resume:
            # The first connection has prepared the browser. Intercepts of connections that have ended still block
            # requests, which wait for an answer.
            browser.interceptor.listen()
            browser.documents.listen()
        else:
            nursery.start_soon(browser.quirks.prepare)
            if browser.quirks.waits_for_login and not options.headed:
                # Only there: with this intercept, Chromium would pause every request.
                await browser.logins.switch_on()
    except BaseException:
        await browser.aclose()
        raise
    return browser


async def _subscribe(browser: Browser, *, with_scripts: bool) -> None:
    """Subscribe to events, and have our scripts run in every document. All is sent before the first reply arrives."""
    post, quirks = browser.connection.post, browser.quirks
    choosers = post(Subscribe(events=[FileDialogOpened.method]))
    subscribed = [post(Subscribe(events=_EVENTS))]
    if quirks.events:
        subscribed.append(post(Subscribe(events=[event.method for event in quirks.events])))
    added = [*map(post, scripts(type(quirks)))] if with_scripts else []
    for reply in (*subscribed, *added):
        await reply.answer()
    try:
        await choosers.answer()
    except BidiError:
        browser.gaps.add(FILE_CHOOSERS_GAP)
