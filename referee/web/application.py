"""The gateway's web application: the services' methods, and a page if there is one.

Every request passes the same checks in order: host name, origin, method. Probes come before them, as a probe calls a
machine by its address; pages of other origins cannot read what they answer.
"""

from pathlib import Path
from typing import Final

from connectrpc.method import IdempotencyLevel, StreamType
from connectrpc.server import ConnectASGIApplication
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.responses import PlainTextResponse, Response
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Receive, Scope, Send

from referee.server.process.probes import LIVE, METHODS, READY, answer_of
from referee.server.settings.web import LOCAL, WebSettings
from referee.web.bodies import BoundedBodies
from referee.web.callers import WebBounds
from referee.web.codec import CODECS, refusal
from referee.web.forwarder import FORWARDED, Forwarder
from referee.web.origins import ListedOrigins
from referee.web.routes import routes

_PROTOCOL: Final = ("connect-protocol-version", "connect-timeout-ms", "grpc-timeout", "x-grpc-web", "x-user-agent")
ALLOWED_HEADERS: Final = (*FORWARDED, *_PROTOCOL)
"""Request headers that pages of other origins may send."""
EXPOSED_HEADERS: Final = (
    "grpc-message",
    "grpc-status",
    "grpc-status-details-bin",
    "trailer-x-request-id",
    "x-request-id",
)
"""Response headers that they may read."""
_PREFLIGHT_SECONDS: Final = 86400
_HEADERS: Final = {
    "content-security-policy": "frame-ancestors 'none'",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
}
_HASHED: Final = "assets"


class MethodRoutes(ConnectASGIApplication[Forwarder]):
    """Every method of the services."""

    def __init__(self, forward: Forwarder, *, body_bytes: int) -> None:
        super().__init__(service=forward, endpoints=routes, codecs=CODECS, read_max_bytes=body_bytes)
        self.methods = {path: endpoint.method for path, endpoint in routes(forward).items()}

    @property
    def path(self) -> str:
        """Path prefix of the methods."""
        return ""


class PageFiles(StaticFiles):
    """Application that serves a folder; ``index.html`` for the path of a folder.

    Its files cannot be framed or sniffed, and are revalidated on each use except hashed ``assets``.
    """

    def __init__(self, folder: Path) -> None:
        super().__init__(directory=folder, html=True)

    async def get_response(self, path: str, scope: Scope) -> Response:
        """Return the file with cache and security headers, or a plain text error."""
        try:
            response = await super().get_response(path, scope)
        except HTTPException as error:
            response = PlainTextResponse(f"{error.detail}\n", status_code=error.status_code)
        response.headers.update(_HEADERS)
        is_lasting = path.startswith(f"{_HASHED}/")
        response.headers["cache-control"] = "public, max-age=31536000, immutable" if is_lasting else "no-cache"
        return response


class WebApplication:
    """Application of the web server."""

    def __init__(self, forward: Forwarder, settings: WebSettings, bounds: WebBounds) -> None:
        self._forward = forward
        self._methods = MethodRoutes(forward, body_bytes=bounds.body_bytes)
        self._page = PageFiles(Path(settings.page)) if settings.page else _no_page
        self._gates: ASGIApp = TrustedHostMiddleware(
            ListedOrigins(
                BoundedBodies(self._serve, bounds),
                allow_origins=settings.origins,
                allow_methods=("GET", "POST"),
                allow_headers=ALLOWED_HEADERS,
                expose_headers=EXPOSED_HEADERS,
                max_age=_PREFLIGHT_SECONDS,
            ),
            allowed_hosts=(*LOCAL, *settings.hosts),
            www_redirect=False,
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        if scope["type"] != "http":
            return
        if scope["path"] in {LIVE, READY}:
            await (await self._probe(scope["path"], scope["method"]))(scope, receive, send)
        else:
            await self._gates(scope, receive, send)

    async def _probe(self, path: str, method: str) -> PlainTextResponse:
        if method not in METHODS:
            return PlainTextResponse(status_code=405, headers={"allow": ", ".join(METHODS)})
        answer = answer_of(path, await self._forward.health())
        return PlainTextResponse(answer.text, status_code=answer.status, headers={"cache-control": "no-store"})

    async def _serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        method = self._methods.methods.get(scope["path"])
        if method is None:
            await self._page(scope, receive, send)
            return
        refused = refusal(
            scope["method"],
            Headers(scope=scope).get("content-type", ""),
            scope["query_string"].decode("latin-1"),
            is_stream=method.stream_type is not StreamType.UNARY,
            is_reading=method.idempotency_level is IdempotencyLevel.NO_SIDE_EFFECTS,
        )
        await (self._methods if refused is None else refused)(scope, receive, send)


async def _no_page(scope: Scope, receive: Receive, send: Send) -> None:
    await PlainTextResponse("There is no such method, and no page here.\n", status_code=404)(scope, receive, send)
