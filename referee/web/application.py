"""What a browser finds at the door: the methods of the protos, and a page where there is one.

The law: every request passes the same gates in the same order: the name it was asked by, then whose page asks, then
the method. A request that fails one of them has reached nothing behind it.
"""

from pathlib import Path
from typing import Final

from connectrpc.server import ConnectASGIApplication
from starlette.middleware.cors import CORSMiddleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from referee.server.web_settings import WebSettings
from referee.web.codec import CODECS
from referee.web.forwarder import FORWARDED, Forwarder
from referee.web.page_files import PageFiles
from referee.web.routes import routes

_PROTOCOL: Final = ("connect-protocol-version", "connect-timeout-ms", "grpc-timeout", "x-grpc-web", "x-user-agent")
ALLOWED_HEADERS: Final = (*FORWARDED, *_PROTOCOL)
"""What a page from elsewhere may send."""
EXPOSED_HEADERS: Final = (
    "grpc-message",
    "grpc-status",
    "grpc-status-details-bin",
    "trailer-x-request-id",
    "x-request-id",
)
"""What it may read."""
_SLACK: Final = 4
"""A question so many times as large as the service takes is refused here; of smaller ones the service says why."""
_PREFLIGHT_SECONDS: Final = 86400


class MethodRoutes(ConnectASGIApplication[Forwarder]):
    """Every method of the protos."""

    def __init__(self, forward: Forwarder, *, message_bytes: int) -> None:
        super().__init__(service=forward, endpoints=routes, codecs=CODECS, read_max_bytes=_SLACK * message_bytes)
        self.paths = frozenset(routes(forward))

    @property
    def path(self) -> str:
        """Where it stands: at the top."""
        return ""


class WebApplication:
    """The application that the web server runs."""

    def __init__(self, forward: Forwarder, settings: WebSettings, *, message_bytes: int) -> None:
        self._methods = MethodRoutes(forward, message_bytes=message_bytes)
        self._page = PageFiles(Path(settings.page)) if settings.page else _no_page
        self._gates: ASGIApp = TrustedHostMiddleware(
            CORSMiddleware(
                self._serve,
                allow_origins=settings.origins,
                allow_methods=("GET", "POST"),
                allow_headers=ALLOWED_HEADERS,
                expose_headers=EXPOSED_HEADERS,
                max_age=_PREFLIGHT_SECONDS,
            ),
            allowed_hosts=settings.names,
            www_redirect=False,
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request, through the gates."""
        if scope["type"] == "http":
            await self._gates(scope, receive, send)

    async def _serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        behind = self._methods if scope["path"] in self._methods.paths else self._page
        await behind(scope, receive, send)


async def _no_page(scope: Scope, receive: Receive, send: Send) -> None:
    await PlainTextResponse("There is no such method, and no page here.\n", status_code=404)(scope, receive, send)
