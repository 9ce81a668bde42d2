"""Rude callers of the gateway: what they hold is bounded, and what was begun for one who has gone is cancelled."""

import contextlib
import socket
import threading
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Final

import httpx
import pytest

from referee.server.settings.limits import LimitSettings
from referee.server.settings.web import WebSettings
from referee.service.call import Call
from referee.web import Gateway, Upstream
from tests.chaos.frames import HEADERS, PREFACE, RST_STREAM, frame, settings
from tests.server.observing import Quiet
from tests.waiting import until

Door = Any  # made by a fixture, and has its class in doors.py
KEYS: Final = "/referee.v1.LogService/GetKeys"
SECONDS: Final = 60
LARGE: Final = 30_000_000
_CLOSED: Final = 7
"""Linux's number of a connection that is closed."""


def dial(address: str, *, source: str = "127.0.0.1", buffer: int = 0) -> socket.socket:
    """Connect to the gateway."""
    host, _, port = address.rpartition(":")
    made = socket.socket()
    if buffer:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer)
    made.settimeout(SECONDS)
    made.bind((source, 0))
    made.connect((host, int(port)))
    return made


def head(*lines: str, path: str = KEYS, method: str = "POST") -> bytes:
    """Write the head of a request."""
    fixed = (f"{method} {path} HTTP/1.1", "host: localhost", "content-type: application/json")
    return "\r\n".join((*fixed, *lines, "", "")).encode()


ASKED: Final = head("content-length: 2") + b"{}"


def answer_on(connection: socket.socket) -> bytes:
    """Return all that the gateway sends until it closes the connection."""
    came = b""
    with contextlib.suppress(ConnectionError):
        while part := connection.recv(65536):
            came += part
    return came


def is_closed(connection: socket.socket) -> bool:
    """Return whether the gateway has closed a connection from which nothing is read."""
    return connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 1)[0] == _CLOSED


def poured(connection: socket.socket, part: bytes) -> int:
    """Send a part again and again until the gateway closes the connection or much is sent; return how many bytes."""
    sent = 0
    with contextlib.suppress(ConnectionError):
        while sent < LARGE:
            connection.sendall(part)
            sent += len(part)
    return sent


def test_body_that_says_it_is_too_large_is_refused_unread(door: Door) -> None:
    with dial(door.address) as rude:
        rude.sendall(head(f"content-length: {LARGE}") + b"{")
        came = answer_on(rude)
    assert came.startswith(b"HTTP/1.1 413 ")
    assert b'"code":"resource_exhausted"' in came
    assert f"{LARGE} bytes".encode() in came


def test_body_that_grows_too_large_is_refused_on_its_way(door: Door) -> None:
    """Chunks of a body without a length are read up to the limit, and the connection is closed."""
    with dial(door.address) as rude:
        rude.sendall(head("transfer-encoding: chunked"))
        sent = poured(rude, b"10000\r\n" + bytes(0x10000) + b"\r\n")
    assert 4 * 1024 * 1024 < sent < LARGE


def test_body_that_does_not_arrive_in_time_is_refused(serve_web: Callable[..., Door]) -> None:
    door = serve_web(server={"limits": LimitSettings(request_seconds=0.5)})
    with dial(door.address) as rude:
        rude.sendall(head("content-length: 2") + b"{")
        assert answer_on(rude).startswith(b"HTTP/1.1 408 ")


@pytest.mark.parametrize("begun", [b"", b"POST /referee.v1.", ASKED + b"POST /"], ids=["none", "half", "second"])
def test_head_that_does_not_arrive_in_time_closes_its_connection(serve_web: Callable[..., Door], begun: bytes) -> None:
    door = serve_web(server={"limits": LimitSettings(request_seconds=0.5)})
    with dial(door.address) as rude:
        if begun.startswith(ASKED):
            rude.sendall(ASKED)
            assert b"HTTP/1.1 200 " in rude.recv(65536)
        rude.sendall(begun.removeprefix(ASKED))
        assert b"HTTP/1.1" not in answer_on(rude)


def test_head_without_end_closes_its_connection(door: Door) -> None:
    with dial(door.address) as rude:
        rude.sendall(f"POST {KEYS} HTTP/1.1\r\n".encode())
        assert poured(rude, b"x-more: " + b"a" * 1000 + b"\r\n") < LARGE


def test_connections_are_bounded_by_caller(serve_web: Callable[..., Door]) -> None:
    """The fifth of an address is answered 503, another address is served, and a place that is left is free again."""
    door = serve_web(caller_connections=4)
    with ExitStack() as opened:
        kept = [opened.enter_context(dial(door.address, source="127.0.0.2")) for _ in range(4)]
        for one in kept:
            one.sendall(ASKED)
            assert one.recv(65536).startswith(b"HTTP/1.1 200 ")
        with dial(door.address, source="127.0.0.2") as fifth:
            fifth.sendall(ASKED)
            assert answer_on(fifth).startswith(b"HTTP/1.1 503 ")
        assert door.ask(KEYS).status_code == 200
        kept[0].close()

        def is_served() -> bool:
            with dial(door.address, source="127.0.0.2") as again:
                again.sendall(ASKED)
                return b"HTTP/1.1 200 " in again.recv(65536)

        until(is_served)


def test_bodies_on_their_way_are_bounded_by_caller(serve_web: Callable[..., Door]) -> None:
    """The second of an address that does not fit beside the first is refused unread; another address has room."""
    door = serve_web(caller_bytes=1 << 20)
    begun = head(f"content-length: {600 * 1024}") + b"{"
    with dial(door.address, source="127.0.0.2") as first, dial(door.address, source="127.0.0.2") as second:
        first.sendall(begun)

        def is_refused() -> bool:
            with dial(door.address, source="127.0.0.2") as other:
                other.sendall(begun)
                other.settimeout(0.5)
                try:
                    return other.recv(65536).startswith(b"HTTP/1.1 429 ")
                except TimeoutError:  # the first has not been read yet
                    return False

        until(is_refused)
        second.sendall(ASKED)
        assert second.recv(65536).startswith(b"HTTP/1.1 200 ")  # small ones are not counted
        assert door.ask(KEYS, {"x": "a" * 700_000}).status_code == 200


def test_answer_that_lies_unread_closes_its_connection(serve_web: Callable[..., Door], tmp_path: Path) -> None:
    page = tmp_path / "page"
    page.mkdir()
    (page / "index.html").write_bytes(bytes(LARGE))
    door = serve_web(page=str(page), server={"limits": LimitSettings(answer_seconds=0.5)})
    with dial(door.address, buffer=4096) as rude:
        rude.sendall(head(path="/", method="GET"))
        until(lambda: is_closed(rude))
    assert door.ask(KEYS).status_code == 200


def test_requests_before_the_answer_are_bounded(door: Door) -> None:
    with dial(door.address) as rude:
        assert poured(rude, ASKED * 100) < LARGE
    assert door.ask(KEYS).status_code == 200


class Holding(Quiet):
    """Observer that holds a call up until its transport says that the caller has gone."""

    def __init__(self) -> None:
        self.came, self.has_gone = threading.Event(), False

    def began(self, call: Call) -> None:
        """Hold the call up."""
        if call.name == "ListRulesets":
            rpc = call.rpc
            assert rpc is not None
            self.came.set()
            self.has_gone = until(lambda: not rpc.is_active())


def test_call_of_a_caller_who_vanished_is_cancelled_at_the_service(serve_web: Callable[..., Door]) -> None:
    holding = Holding()
    door = serve_web(observer=holding)
    with dial(door.address) as rude:
        rude.sendall(head("content-length: 2", path="/referee.v1.RulesetService/ListRulesets") + b"{}")
        assert holding.came.wait(SECONDS)
    until(lambda: [call.code for call in door.watching.calls] == ["CANCELLED"])
    assert holding.has_gone


class Broken:
    """HTTP/2 whose first connection resets every call as refused; later ones are passed on to a port."""

    def __init__(self, port: int) -> None:
        self.resets: list[int] = []
        self._port = port
        self._taken: list[socket.socket] = []
        self._threads: list[threading.Thread] = []
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.target = f"127.0.0.1:{self._listening.getsockname()[1]}"
        self._run(self._serve)

    def close(self) -> None:
        """Close all connections and wait for the threads."""
        self._listening.shutdown(socket.SHUT_RDWR)
        self._threads[0].join()
        for one in self._taken:
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join()
        for one in (*self._taken, self._listening):
            one.close()

    def _run(self, work: Callable[..., None], *args: socket.socket) -> None:
        self._threads.append(threading.Thread(target=work, args=args))
        self._threads[-1].start()

    def _serve(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                connection, _ = self._listening.accept()
                self._taken.append(connection)
                if len(self._taken) == 1:
                    self._run(self._reset, connection)
                    continue
                behind = socket.create_connection(("127.0.0.1", self._port))
                self._taken.append(behind)
                self._run(_copy, connection, behind)
                self._run(_copy, behind, connection)

    def _reset(self, connection: socket.socket) -> None:
        with contextlib.suppress(OSError), connection.makefile("rb") as coming:
            connection.sendall(settings())
            coming.read(len(PREFACE))
            while len(start := coming.read(9)) == 9:
                coming.read(int.from_bytes(start[:3]))
                if start[3] == HEADERS:
                    self.resets.append(int.from_bytes(start[5:]))
                    connection.sendall(frame(RST_STREAM, b"\0\0\0\x07", stream=self.resets[-1]))


def _copy(source: socket.socket, target: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while part := source.recv(65536):
            target.sendall(part)


def test_connection_that_takes_no_calls_is_replaced_and_the_call_is_made_again(door: Door) -> None:
    with (
        contextlib.closing(Broken(door.application.port)) as broken,
        Gateway(
            WebSettings(listen="127.0.0.1:0"), Upstream(target=broken.target, gateway_pass=""), limits=LimitSettings()
        ) as gateway,
        httpx.Client(base_url=f"http://127.0.0.1:{gateway.port}", timeout=SECONDS) as browser,
    ):
        kind = {"content-type": "application/json"}
        codes = [browser.post(KEYS, content=b"{}", headers=kind).status_code for _ in range(20)]
    assert codes == [200] * 20
    assert broken.resets
