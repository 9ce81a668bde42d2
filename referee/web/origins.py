"""Pages of other origins: listed ones may call, and each other one is named once in the log."""

from typing import Any, Final

import structlog
from starlette.datastructures import Headers
from starlette.middleware.cors import CORSMiddleware
from starlette.responses import Response

from referee.server.settings.web import is_origin

_log = structlog.get_logger("referee.web")
MOST_NAMED: Final = 64
"""Refused origins that are remembered, so that each is named once; a caller can invent any number."""
_LONGEST: Final = 200
_LAST: Final = "no further origin is named until this process starts again"
_NO_ORIGIN: Final = "serve the page over http or https; a page from a file or a sandboxed frame has no origin to list"


class ListedOrigins(CORSMiddleware):
    """CORS for listed origins, with a warning line for each other origin whose page asks whether it may call.

    The browser hides the refusal from the page, which sees only that its request failed.
    """

    def __init__(self, *args: Any, **options: Any) -> None:  # noqa: ANN401 - as CORSMiddleware takes them
        super().__init__(*args, **options)
        self._named: set[str] = set()

    def preflight_response(self, request_headers: Headers) -> Response:
        """Answer a browser's question whether a page may call."""
        origin = request_headers["origin"]
        if not self.is_allowed_origin(origin=origin):
            self._name(origin[:_LONGEST])
        return super().preflight_response(request_headers)

    def _name(self, origin: str) -> None:
        if origin in self._named or len(self._named) >= MOST_NAMED:
            return
        self._named.add(origin)
        remedy = f"if the page is yours, list {origin} in web.origins or start with --web-origin {origin}"
        note = {"note": _LAST} if len(self._named) == MOST_NAMED else {}
        _log.warning(
            "page of another origin refused", origin=origin, remedy=remedy if is_origin(origin) else _NO_ORIGIN, **note
        )
