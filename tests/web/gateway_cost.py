"""What the door for browsers adds to a call: ``python tests/web/gateway_cost.py`` prints medians of one run.

Everything runs in one process on one machine, so the door pays for the service's threads as well; the same call by
gRPC in the same run is the measure. No test depends on these numbers.
"""

# ruff: noqa: T201 - a script that prints

import logging
import re
import socket
import statistics
import struct
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import grpc
import structlog

from referee.cli.browsers import door_for
from referee.server.process.app import Application
from referee.server.settings.limits import LimitSettings
from referee.server.settings.tls import TlsSettings
from referee.server.settings.web import WebSettings
from referee.v1 import log_pb2, log_pb2_grpc
from tests.server.options import server_options

METHOD = "/referee.v1.LogService/GetCheckpoint"
CALLS = 1000


def main() -> None:
    """Measures each way in turn."""
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR))
    settings = WebSettings(listen="127.0.0.1:0")
    with tempfile.TemporaryDirectory() as data, door_for(settings, tls=TlsSettings(), limits=LimitSettings()) as door:
        application = Application(
            server_options(data=Path(data), gateway_sockets=door.sockets, gateway_pass=door.gateway_pass)
        ).start()
        address = door.open(application, is_port_shared=False, grace=5.0)
        with grpc.insecure_channel(f"127.0.0.1:{application.port}") as channel:
            stub = log_pb2_grpc.LogServiceStub(channel)
            base = median(lambda: stub.GetCheckpoint(log_pb2.GetCheckpointRequest()))
        print(f"gRPC           {base:6.0f} us")
        frame = struct.pack(">BI", 0, 0)
        for name, kind, body in (
            ("Connect binary", "application/proto", b""),
            ("Connect JSON", "application/json", b"{}"),
            ("gRPC-Web", "application/grpc-web+proto", frame),
        ):
            host, _, port = address.rpartition(":")
            with socket.create_connection((host, int(port))) as connection:
                connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                found = median(asking(connection, kind, body))
            print(f"{name:14} {found:6.0f} us, {found - base:+5.0f}")
        application.close()


def asking(connection: socket.socket, kind: str, body: bytes) -> Callable[[], None]:
    """One call on a open connection, as a browser makes it."""
    head = f"POST {METHOD} HTTP/1.1\r\nhost: localhost\r\ncontent-type: {kind}\r\ncontent-length: {len(body)}\r\n\r\n"
    whole = head.encode() + body

    def ask() -> None:
        connection.sendall(whole)
        came = b""
        while not re.search(rb"\r\n0\r\n\r\n$", came):
            came += connection.recv(65536)

    return ask


def median(ask: Callable[[], object]) -> float:
    """Microseconds of the middle call."""
    for _ in range(50):
        ask()
    times = []
    for _ in range(CALLS):
        begun = time.perf_counter()
        ask()
        times.append(time.perf_counter() - begun)
    return statistics.median(times) * 1e6


if __name__ == "__main__":
    main()
