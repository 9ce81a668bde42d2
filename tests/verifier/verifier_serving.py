"""A file server for one folder, on loopback."""

import contextlib
import http.server
import threading
from collections.abc import Iterator
from functools import partial
from pathlib import Path


@contextlib.contextmanager
def served(folder: Path, *, page: str = "") -> Iterator[str]:
    """Serve a folder's files, and a page at the root if one is given; yield the address."""

    class Files(http.server.SimpleHTTPRequestHandler):
        def do_GET(self) -> None:
            if self.path != "/" or not page:
                super().do_GET()
                return
            data = page.encode()
            self.send_response(200)
            self.send_header("content-type", "text/html; charset=utf-8")
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: object) -> None:
            return

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), partial(Files, directory=str(folder))) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()
