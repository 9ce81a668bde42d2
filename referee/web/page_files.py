"""A folder of files at the same address as the service: the page that talks to it.

The law: files only, read from one folder, never outside of it. A page is never shown within another's frame, its files
are taken for what they say they are, and the browser asks for each again before it shows an old one, except for those
whose name has their content's hash, as builds put them into ``assets``.
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
    """An application that serves the folder; ``index.html`` where the path is a folder's."""

    def __init__(self, folder: Path) -> None:
        super().__init__(directory=folder, html=True)

    async def get_response(self, path: str, scope: Scope) -> Response:
        """The file, with what browsers should do with it; what is no file of the folder is said to be none."""
        try:
            response = await super().get_response(path, scope)
        except HTTPException as error:
            response = PlainTextResponse(f"{error.detail}\n", status_code=error.status_code)
        response.headers.update(_HEADERS)
        is_lasting = path.startswith(f"{_HASHED}/")
        response.headers["cache-control"] = "public, max-age=31536000, immutable" if is_lasting else "no-cache"
        return response
