"""Answering the login that a proxy asks for, and nobody else's."""

from typing import TYPE_CHECKING

import trio

from bidi_server.bidi import session
from bidi_server.bidi.connection import Connection
from bidi_server.bidi.network import AddIntercept, AuthCredentials, AuthRequired, ContinueWithAuth
from bidi_server.bidi.wire import Event
from bidi_server.browser.ring import Ring

if TYPE_CHECKING:
    from collections.abc import Callable

    from bidi_server.browser.context import Context

PROXY_LOGIN_NEEDED = 407
"""https://www.rfc-editor.org/rfc/rfc9110#name-407-proxy-authentication-re"""


class ProxyLogins:
    """Answers for every context of a browser.

    ``proxied`` gives the context that a browsing context is in, if it has a proxy.
    """

    def __init__(self, connection: Connection, proxied: "Callable[[str | None], Context | None]") -> None:
        self._connection = connection
        self._proxied = proxied
        self._answered: Ring[str] = Ring(1000)
        self._on = False
        self._switching = trio.Lock()
        connection.add_listener(self._on_event)

    async def switch_on(self) -> None:
        """Have the browser ask us from now on."""
        async with self._switching:
            if not self._on:
                await self._connection.send(session.Subscribe(events=[AuthRequired.method]))
                await self._connection.send(AddIntercept(phases=["authRequired"]))
                self._on = True

    def _on_event(self, event: Event) -> None:
        if not isinstance(event, AuthRequired) or not event.is_blocked:
            return
        request = event.request.request
        context = self._proxied(event.context) if _asked_by_proxy(event) else None
        proxy = context.proxy if context else None
        answer = ContinueWithAuth(request=request, action="default")
        if context is not None and proxy is not None and proxy.answers_login:
            # Asked again means that the proxy did not like the first answer, and it will not like it better now.
            if request in self._answered:
                context.shared.login_refused = True
                answer = ContinueWithAuth(request=request, action="cancel")
            else:
                login = AuthCredentials(username=proxy.username, password=proxy.password)
                answer = ContinueWithAuth(request=request, action="provideCredentials", credentials=login)
        self._answered.append(request)
        self._connection.send_nowait(answer)


def _asked_by_proxy(event: AuthRequired) -> bool:
    # Chromium 156 reports neither status nor challenge of a proxy's question, and both of a server's.
    status = event.response.status
    return status == PROXY_LOGIN_NEEDED or (status <= 0 and not event.response.auth_challenges)
