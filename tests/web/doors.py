"""Servers with a door for browsers, in this process, and what is asked of them byte by byte."""

import json
import socket
import struct
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Final

import grpc
import httpx
import pytest

from referee.server.process.app import Application
from referee.server.settings.configuration import Configuration, ServeSettings
from referee.server.settings.limits import LimitSettings
from referee.server.settings.tls import TlsSettings
from referee.server.settings.web import WebSettings
from referee.service.call import Call
from referee.web.door import door_for
from tests.server.observing import Quiet
from tests.server.options import server_options

FOLDED: Final = 0x80
"""The flag of a gRPC-Web frame with trailers."""


class Watching(Quiet):
    """Keeps every call that the server had."""

    def __init__(self) -> None:
        self.calls: list[Call] = []

    def ended(self, call: Call) -> None:
        """Record the call."""
        self.calls.append(call)


class Door:
    """A server, its channel, and its door for browsers."""

    def __init__(self, application: Application, address: str, watching: Watching, scheme: str) -> None:
        self.application = application
        self.address = address
        self.url = f"{scheme}://{address}"
        self.watching = watching
        self.channel = grpc.insecure_channel(f"127.0.0.1:{application.port}")
        self.http = httpx.Client(base_url=self.url, verify=False, timeout=60)  # noqa: S501 - the tests' own certificates

    def ask(self, method: str, body: Any = None, **headers: str) -> httpx.Response:  # noqa: ANN401 - any JSON
        """Connect with JSON."""
        message = json.dumps({} if body is None else body).encode()
        return self.http.post(method, content=message, headers={"content-type": "application/json"} | headers)

    def ask_bytes(self, method: str, body: bytes = b"", **headers: str) -> httpx.Response:
        """Connect with a binary message."""
        return self.http.post(method, content=body, headers={"content-type": "application/proto"} | headers)

    def ask_web(
        self, method: str, body: bytes = b"", *, kind: str = "application/grpc-web+proto", **headers: str
    ) -> tuple[list[bytes], dict[str, str]]:
        """gRPC-Web: the messages, and the trailers."""
        framed = b"\x00" + struct.pack(">I", len(body)) + body
        answer = self.http.post(method, content=framed, headers={"content-type": kind} | headers)
        assert answer.status_code == 200, answer.text
        messages, trailers = web_answer(answer.content)
        return (messages, trailers) if trailers else ([], dict(answer.headers))


def frames(data: bytes) -> list[tuple[int, bytes]]:
    """Flag and content of each frame."""
    found = []
    while data:
        flag, size = struct.unpack(">BI", data[:5])
        found.append((flag, data[5 : 5 + size]))
        data = data[5 + size :]
    return found


def web_answer(data: bytes) -> tuple[list[bytes], dict[str, str]]:
    """Messages and trailers of an answer in gRPC-Web."""
    found = frames(data)
    ends = "".join(end.decode() for flag, end in found if flag & FOLDED)
    pairs = (line.partition(":") for line in ends.split("\r\n") if line)
    trailers = {name.lower(): value.strip() for name, _, value in pairs}
    return [message for flag, message in found if not flag & FOLDED], trailers


WATCH: Final = "/grpc.health.v1.Health/Watch"


def watch(address: str) -> socket.socket:
    """Open a connection on which a browser watches the server's health."""
    host, _, port = address.rpartition(":")
    found = socket.create_connection((host, int(port)), timeout=60)
    body = struct.pack(">BI", 0, 2) + b"{}"
    head = f"POST {WATCH} HTTP/1.1\r\nhost: {host}\r\ncontent-type: application/connect+json\r\n"
    found.sendall(f"{head}content-length: {len(body)}\r\n\r\n".encode() + body)
    return found


def read_until(connection: socket.socket, wanted: bytes) -> bytes:
    """Read up to the expected text and return it."""
    came = b""
    while wanted not in came:
        more = connection.recv(65536)
        assert more, came
        came += more
    return came


@contextmanager
def opened_door(
    folder: Path,
    *,
    draining: Callable[[], None] = lambda: None,
    **web: Any,  # noqa: ANN401 - settings of the door
) -> Iterator[tuple[Application, str]]:
    """Run a server with a door for the block; give the server and the door's URL.

    ``draining`` is called when the server stops, while the door is still open.
    """
    settings = WebSettings(**{"listen": "127.0.0.1:0"} | web)
    with door_for(Configuration(web=settings, serve=ServeSettings(drain_grace=5.0))) as door:
        behind = {"gateway_sockets": door.sockets, "gateway_pass": door.gateway_pass}
        with Application(server_options(data=folder, **behind)) as application:
            application.add_gateway(draining)
            yield application, f"http://{door.open(application, is_port_shared=False)}"


@pytest.fixture
def serve_web(tmp_path: Path) -> Iterator[Callable[..., Door]]:
    """Start servers with a gateway; its options by name, the server's under ``server``."""
    with ExitStack() as opened:

        def start(
            *,
            server: dict[str, Any] | None = None,
            tls: TlsSettings | None = None,
            observer: Any = None,  # noqa: ANN401 - one more observer of calls
            **options: Any,  # noqa: ANN401 - any option
        ) -> Door:
            secure = tls or TlsSettings()
            settings = WebSettings(**({"listen": "127.0.0.1:0"} | options))
            message = {"tls": secure, "limits": LimitSettings()} | (server or {})
            door = opened.enter_context(
                door_for(
                    Configuration(
                        web=settings, serve=ServeSettings(drain_grace=5.0), tls=message["tls"], limits=message["limits"]
                    )
                )
            )
            watching = Watching()
            application = Application(
                server_options(
                    data=tmp_path / "data",
                    listen="127.0.0.1:0",
                    gateway_sockets=door.sockets,
                    gateway_pass=door.gateway_pass,
                    observers=[watching, *([observer] if observer else [])],
                    **message,
                )
            )
            opened.callback(application.close)
            application.start()
            address = door.open(application, is_port_shared=False)
            found = Door(application, address, watching, "https" if secure.is_on else "http")
            opened.callback(found.channel.close)
            opened.callback(found.http.close)
            return found

        yield start


@pytest.fixture
def door(serve_web: Callable[..., Door]) -> Door:
    """Start a server with a gateway and default options."""
    return serve_web()
