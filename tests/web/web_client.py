"""The TypeScript client, built, and a page of another origin that loads it as it is, module by module."""

import contextlib
import functools
import http.server
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from tests import node_project
from tests.node_project import build, install
from tests.server.http_server import http_server

CLIENTS: Final = Path(__file__).parents[2] / "clients"
CLIENT: Final = CLIENTS / "typescript"
VERIFIER: Final = CLIENTS / "verifier"
SECONDS: Final = 300
_MODULES: Final = "/typescript/node_modules"
IMPORTS: Final = {
    "referee-client": "/typescript/dist/index.js",
    "referee-client/web": "/typescript/dist/web.js",
    "referee-client/verify": "/typescript/dist/verify.js",
    "referee-verifier": "/verifier/dist/index.js",
    "referee-verifier/protocol": "/verifier/dist/protocol.js",
    "@noble/curves/": "/verifier/node_modules/@noble/curves/",
    "@noble/hashes/": "/verifier/node_modules/@noble/hashes/",
    "@bufbuild/protobuf": f"{_MODULES}/@bufbuild/protobuf/dist/esm/index.js",
    "@connectrpc/connect": f"{_MODULES}/@connectrpc/connect/dist/esm/index.js",
    "@connectrpc/connect-web": f"{_MODULES}/@connectrpc/connect-web/dist/esm/index.js",
    **{
        f"@bufbuild/protobuf/{part}": f"{_MODULES}/@bufbuild/protobuf/dist/esm/{part}/index.js"
        for part in ("codegenv1", "codegenv2", "reflect", "wire", "wkt")
    },
    **{
        f"@connectrpc/connect/{part}": f"{_MODULES}/@connectrpc/connect/dist/esm/{part}/index.js"
        for part in ("protocol", "protocol-connect", "protocol-grpc", "protocol-grpc-web")
    },
}
PAGE: Final = f"""<!doctype html>
<meta charset="utf-8">
<title>A page of another origin</title>
<script type="importmap">{json.dumps({"imports": IMPORTS})}</script>
"""


def run(folder: Path, *command: str, **environment: str) -> "subprocess.CompletedProcess[str]":
    """Run a command of a folder and return its output."""
    return node_project.run(folder, *command, environment={"BUF": buf(), **environment})


def buf() -> str:
    beside = Path(sys.executable).parent / "buf"
    return str(beside) if beside.exists() else "buf"


def built() -> str:
    """Build the client and the verifier that it uses; return why that failed, or nothing."""
    for folder in (VERIFIER, CLIENT):
        if why := install(folder):
            return why
    build(VERIFIER, "build")
    build(CLIENT, "build", environment={"BUF": buf()})
    return ""


class _Page(http.server.SimpleHTTPRequestHandler):
    def do_GET(self) -> None:
        """Serve the page, or a file of the clients."""
        if self.path == "/":
            self.send_response(200)
            self.send_header("content-type", "text/html; charset=utf-8")
            self.end_headers()
            self.wfile.write(PAGE.encode())
        else:
            super().do_GET()

    def log_message(self, *_: Any) -> None:  # noqa: ANN401 - as the class has it
        """Nothing is said."""


@contextlib.contextmanager
def page_served() -> Iterator[str]:
    """Serve the page and yield its origin, as ``http://localhost:1234``."""
    with http_server(functools.partial(_Page, directory=str(CLIENTS))) as address:
        yield address.replace("127.0.0.1", "localhost")
