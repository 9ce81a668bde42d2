"""The table server's addresses: the stream, proofs, health, and the page."""

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

import msgspec
from referee_client import RefereeError, RoundNotOverError
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Mount, Route, WebSocketRoute
from starlette.staticfiles import PathLike, StaticFiles
from starlette.websockets import WebSocket

from referee_table.hosts import HostGuard
from referee_table.house import House
from referee_table.stream import PageStream

_HASHED: Final = re.compile(r"-[A-Za-z0-9_-]{8}\.\w+$")
_NUMBER: Final = re.compile(r"[1-9][0-9]{0,15}", re.ASCII)
"""A round's number, which fits the 64 bits of a request."""
_NO_RULESET: Final = "This table server has no ruleset of this id; the welcome on the stream lists those it has.\n"


def site(house: House) -> Starlette:
    """Return the application of a house, which it opens and closes."""
    plan = house.plan

    @asynccontextmanager
    async def lifespan(_app: Starlette) -> AsyncIterator[None]:
        await house.start()
        try:
            yield
        finally:
            await house.stop()

    async def stream(socket: WebSocket) -> None:
        await PageStream(house, socket).run()

    async def bundle(request: Request) -> Response:
        try:
            number = request.path_params["number"]
            if _NUMBER.fullmatch(number) is None:
                return _json({"reason": "NOT_OPENED"}, status=404)
            made = await house.client.bundle(request.path_params["table"], int(number))
        except RefereeError as error:
            return _json({"reason": error.reason}, status=404)
        except RoundNotOverError:
            return _json({"reason": "ROUND_NOT_OVER"}, status=404)
        return _json(made)

    async def ruleset(request: Request) -> Response:
        law = house.laws.get(request.path_params["id"])
        return PlainTextResponse(_NO_RULESET, status_code=404) if law is None else PlainTextResponse(law.file)

    async def health(_request: Request) -> Response:
        given = {"referee": house.referee, "rooms": len(house.rooms)}
        return _json(given | {"pages": len(house.visitors.streams), "server": house.server})

    return Starlette(
        routes=[
            WebSocketRoute("/api/stream", stream),
            Route("/api/bundles/{table:str}/{number:str}", bundle),
            Route("/api/rulesets/{id:str}", ruleset),
            Route("/api/health", health),
            Mount("/", PageFiles(plan.page, _headers(plan.gateway))),
        ],
        lifespan=lifespan,
        middleware=[Middleware(HostGuard, hosts=plan.hosts), Middleware(GZipMiddleware, minimum_size=1024)],
    )


class PageFiles(StaticFiles):
    """The page's files: browsers keep those with a hash in their name, and ask again for the others."""

    def __init__(self, folder: Path, headers: dict[str, str]) -> None:
        super().__init__(directory=folder, html=True)
        self._headers = headers

    def file_response(self, full_path: PathLike, *args: Any, **how: Any) -> Response:  # noqa: ANN401 - as StaticFiles
        """Return a file with the headers of the page."""
        response = super().file_response(full_path, *args, **how)
        is_hashed = _HASHED.search(str(full_path)) is not None
        response.headers.update(self._headers)
        response.headers["cache-control"] = "public, max-age=31536000, immutable" if is_hashed else "no-cache"
        return response


def _headers(gateway: str | None) -> dict[str, str]:
    connect = "'self'" if gateway is None else f"'self' {gateway}/"  # without the slash no path below it is allowed
    return {
        "content-security-policy": (
            f"default-src 'self'; connect-src {connect}; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
            "base-uri 'none'; frame-ancestors 'none'; form-action 'none'"
        ),
        "x-content-type-options": "nosniff",
        "referrer-policy": "no-referrer",
    }


def _json(given: dict[str, Any], *, status: int = 200) -> Response:
    return Response(msgspec.json.encode(given), status_code=status, media_type="application/json")
