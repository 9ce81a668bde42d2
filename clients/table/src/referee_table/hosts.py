"""Requests by other names, and by pages of other origins, refused before anything of them is done.

A name that resolves to this machine (DNS rebinding) makes a foreign page one of this origin, so the Host header must be
a known one: a name given for this server, or the address that the connection was made to. A request that is more than
a read, or a WebSocket, must come from a page of the origin that it asks, or from no page.
"""

from collections.abc import Iterable
from typing import Final

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.websockets import WebSocket

LOCAL_HOSTS: Final = ("localhost", "127.0.0.1", "::1")
_READS: Final = frozenset({"GET", "HEAD"})
_MISDIRECTED: Final = 421
_FORBIDDEN: Final = 403
_SHOWN: Final = 100


class HostGuard:
    """Middleware that admits requests to some hosts, by pages of their own origin."""

    def __init__(self, app: ASGIApp, *, hosts: Iterable[str]) -> None:
        self._app = app
        self._hosts = frozenset({host.lower() for host in (*LOCAL_HOSTS, *hosts)})

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        refusal = self._check(scope) if scope["type"] in {"http", "websocket"} else None
        if refusal is None:
            await self._app(scope, receive, send)
        elif scope["type"] == "http":
            await refusal(scope, receive, send)
        else:
            await WebSocket(scope, receive, send).send_denial_response(refusal)

    def _check(self, scope: Scope) -> PlainTextResponse | None:
        headers = Headers(scope=scope)
        host = headers.get("host", "")
        name = name_of(host)
        own = (scope.get("server") or ("",))[0]
        if name not in self._hosts and name != own:
            shown = ascii(name[:_SHOWN])
            return PlainTextResponse(
                f"This table server does not answer for the host {shown}. It answers for "
                f"{', '.join(sorted(self._hosts))} and its own address; add a name with --host.\n",
                status_code=_MISDIRECTED,
            )
        origin = headers.get("origin")
        is_read = scope["type"] == "http" and scope["method"] in _READS
        if is_read or origin is None or origin.partition("://")[2].lower() == host.lower():
            return None
        return PlainTextResponse(
            f"A page of {origin[:_SHOWN]!a} may not ask this of the table server at {host[:_SHOWN]!a}.\n",
            status_code=_FORBIDDEN,
        )


def name_of(host: str) -> str:
    """Return the name or address in a Host header, without port and brackets, in lower case.

    >>> [name_of(host) for host in ("LocalHost:8800", "[::1]:8800", "10.0.0.7", "")]
    ['localhost', '::1', '10.0.0.7', '']
    """
    if host.startswith("["):
        return host[1:].partition("]")[0].lower()
    return host.partition(":")[0].lower()
