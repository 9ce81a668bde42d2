"""Servers with a door for browsers, in this process, and what is asked of them byte by byte."""

import json
import struct
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Final

import grpc
import httpx
import pytest

from referee.cli.browsers import door_for
from referee.server.process.app import Application
from referee.server.settings.limits import LimitSettings
from referee.server.settings.tls import TlsSettings
from referee.server.settings.web import WebSettings
from referee.service.call import Call
from tests.server.options import server_options

FOLDED: Final = 0x80
"""The flag of a gRPC-Web frame with trailers."""
LAST: Final = 0x02
"""The flag of Connect's last frame."""


class Watching:
    """Keeps every call that the server had."""

    def __init__(self) -> None:
        self.calls: list[Call] = []

    def began(self, call: Call) -> None:
        """Nothing."""

    def ended(self, call: Call) -> None:
        """Record the call."""
        self.calls.append(call)

    def probe(self, step: str) -> None:
        """Nothing."""

    def committed(self, requests: int) -> None:
        """Nothing."""

    def close(self) -> None:
        """Nothing."""


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
        found = frames(answer.content)
        ends = [data for flag, data in found if flag & FOLDED]
        if not ends:
            return [], dict(answer.headers)
        pairs = (line.partition(":") for line in ends[0].decode().split("\r\n") if line)
        trailers = {name.lower(): value.strip() for name, _, value in pairs}
        return [data for flag, data in found if not flag & FOLDED], trailers


def frames(data: bytes) -> list[tuple[int, bytes]]:
    """Flag and content of each frame."""
    found = []
    while data:
        flag, size = struct.unpack(">BI", data[:5])
        found.append((flag, data[5 : 5 + size]))
        data = data[5 + size :]
    return found


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
            door = opened.enter_context(door_for(settings, tls=message["tls"], limits=message["limits"]))
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
            address = door.open(application, is_port_shared=False, grace=5.0)
            found = Door(application, address, watching, "https" if secure.is_on else "http")
            opened.callback(found.channel.close)
            opened.callback(found.http.close)
            return found

        yield start


@pytest.fixture
def door(serve_web: Callable[..., Door]) -> Door:
    """Start a server with a gateway and default options."""
    return serve_web()
