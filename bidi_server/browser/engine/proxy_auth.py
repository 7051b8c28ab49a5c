"""Answers to the authentication challenges of servers and proxies, with the credentials of each."""

from typing import TYPE_CHECKING

import trio

from bidi_server.bidi import session
from bidi_server.bidi.connection import Connection
from bidi_server.bidi.network import (
    AddIntercept,
    AuthCredentials,
    AuthRequired,
    BaseParameters,
    ContinueWithAuth,
    RemoveIntercept,
    ResponseStarted,
)
from bidi_server.bidi.wire import Event
from bidi_server.browser.bounded import Recent
from bidi_server.browser.network.proxy import LOGIN_NEEDED
from bidi_server.browser.origin import origin_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from bidi_server.browser.contexts.context import Context
    from bidi_server.browser.tab.state import Shared
    from bidi_server.http_credentials import HttpCredentials


class Logins:
    """Authentication for all contexts of a browser.

    ``proxied`` returns the context of a browsing context if it has a proxy. ``owner`` returns the shared state of the
    context that sent a request, or None if the context is not ours.
    """

    def __init__(
        self,
        connection: Connection,
        proxied: "Callable[[str | None], Context | None]",
        owner: "Callable[[BaseParameters], Shared | None]",
    ) -> None:
        self._connection = connection
        self._proxied = proxied
        self._owner = owner
        self._answered: Recent[tuple[str, bool]] = Recent(1000)
        """Requests whose challenge was answered, each with whether a proxy asked."""
        self._asked_for_proxy: Recent[str] = Recent(1000)
        self._intercept = ""
        self._stays_on = False
        self._new: set[int] = set()
        """Ids of the shared state of contexts whose login our own proxy has not seen yet."""
        self._switching = trio.Lock()
        self.attended = False
        """Whether a person may answer the browser's own login prompt, since the browser has a window."""
        connection.add_listener(self._on_event)

    async def switch_on(self, until_login_of: "Shared | None" = None) -> None:
        """Make the browser send authentication challenges to us from now on.

        With a context, only until our own proxy has accepted its login: the browser keeps it, and interception slows
        each request down (Chromium 156: a navigation of 40 ms by 2 ms).
        """
        async with self._switching:
            if until_login_of is None:
                self._stays_on = True
            else:
                self._new.add(id(until_login_of))
            if not self._intercept:
                await self._connection.send(session.Subscribe(events=[AuthRequired.method]))
                self._intercept = (await self._connection.send(AddIntercept(phases=["authRequired"]))).intercept

    def forget(self, shared: "Shared") -> None:
        """Wait no more for the login of a context, which our own proxy has accepted or which is closed."""
        self._new.discard(id(shared))
        if self._intercept and not self._stays_on and not self._new:
            self._connection.send_nowait(RemoveIntercept(intercept=self._intercept))
            self._intercept = ""

    def _on_event(self, event: Event) -> None:
        if isinstance(event, ResponseStarted):
            self._note_acceptance(event)
        if not isinstance(event, AuthRequired) or not event.is_blocked:
            return
        request = event.request.request
        by_proxy = self._asked_by_proxy(event)
        login = self._login_of_proxy(event) if by_proxy else self._login_of_server(event)
        if login is None:
            # The default is a prompt, which nobody sees in a headless browser: the request would wait for it.
            is_ours = self._owner(event) is not None and not self.attended
            answer = ContinueWithAuth(request=request, action="cancel" if is_ours else "default")
        elif (request, by_proxy) in self._answered:
            # The server or the proxy refused the first answer, and would refuse it again.
            answer = ContinueWithAuth(request=request, action="cancel")
        else:
            answer = ContinueWithAuth(request=request, action="provideCredentials", credentials=login)
        self._answered.add((request, by_proxy))
        self._connection.send_nowait(answer)

    def _login_of_proxy(self, event: AuthRequired) -> AuthCredentials | None:
        context = self._proxied(event.context)
        proxy = context.used_proxy if context else None
        if context is None or proxy is None or not proxy.answers_login:
            return None
        if (event.request.request, True) in self._answered:
            context.shared.login_refused = True
        self._asked_for_proxy.add(event.request.request)
        return AuthCredentials(username=proxy.username, password=proxy.password)

    def _login_of_server(self, event: AuthRequired) -> AuthCredentials | None:
        shared = self._owner(event)
        login = shared.http_credentials.get(origin_of(event.request.url)) if shared is not None else None
        return AuthCredentials(username=login.username, password=login.password) if login is not None else None

    def _asked_by_proxy(self, event: AuthRequired) -> bool:
        context = self._proxied(event.context)
        if context is not None and context.entrance is not None and event.request.request in self._asked_for_proxy:
            return False  # our own proxy accepts our login; Firefox 153 reports its 407 for the server's challenge too
        status = event.response.status
        if status > 0 or event.response.auth_challenges:
            return status == LOGIN_NEEDED
        # Chromium 156 reports neither the status nor the challenge when a proxy asks for a login; 156.0.8078.79 does
        # not report them for servers either. A proxy asks before any server can, and not again after it has let a
        # request through. Later challenges come from servers, which must not get the proxy's login.
        return context is not None and not context.shared.login_accepted

    def _note_acceptance(self, event: ResponseStarted) -> None:
        if event.response.status == LOGIN_NEEDED or event.request.request not in self._asked_for_proxy:
            return
        if context := self._proxied(event.context):
            context.shared.login_accepted = True
            self.forget(context.shared)


def login_advice(url: str, known: "Mapping[str, HttpCredentials]") -> str:
    """Return advice for a page that requires a login."""
    origin = origin_of(url)
    if origin in known:
        return f"It refused the login that --http-credentials has for {origin}."
    scheme, _, place = origin.partition("://")
    return f"For pages with a login, start the server with --http-credentials {scheme}://USER:PASSWORD@{place}"
