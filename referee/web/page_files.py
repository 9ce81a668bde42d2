"""The files of a page, served from one folder at the address of the gateway.

They cannot be framed or sniffed, and are revalidated on each use except hashed ``assets``.
"""

from pathlib import Path
from typing import Final

from starlette.exceptions import HTTPException
from starlette.responses import PlainTextResponse, Response
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

_HEADERS: Final = {
    "content-security-policy": "frame-ancestors 'none'",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
}
_HASHED: Final = "assets"


class PageFiles(StaticFiles):
    """Application that serves a folder; ``index.html`` for the path of a folder."""

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
