"""Many calls at once on one connection: none is reset, and what a limit refuses the Python client asks again.

The first bursts are of a warm connection: gRPC's server counts a call a moment longer than its client does, so that a
client that holds back at the connection's limit is reset beyond it all the same.
"""

import asyncio
import contextlib
import socket
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import grpc
import grpc.aio
import pytest
from referee_client import RefereeError, open_aio_channel, open_channel

from referee.server.process.app import Application
from referee.server.settings.limits import LimitSettings
from referee.service.call import Call
from referee.v1 import log_pb2, log_pb2_grpc, mau_binh_pb2
from tests.chaos.frames import HEADERS, PREFACE, RST_STREAM, frame, settings
from tests.driver.messages import method_of
from tests.server.observing import Quiet
from tests.server.options import server_options

AT_ONCE: Final = 256
SECONDS: Final = 120
ACCEPT: Final = "MauBinhService/AcceptEvent"
ASKED: Final = log_pb2.GetKeysRequest()


@contextmanager
def serving(folder: Path, **options: Any) -> Iterator[str]:  # noqa: ANN401 - what server_options takes
    """Start a server; yield its address."""
    with Application(server_options(data=folder, sweep=False, **options)) as app:
        yield f"127.0.0.1:{app.port}"


def outcome(call: Callable[[], object]) -> str:
    """Return how a call ends: OK, or the error."""
    try:
        call()
    except (grpc.RpcError, RefereeError) as error:
        return repr(error)
    return "OK"


def threaded(call: Callable[[], object]) -> Counter[str]:
    """Make the calls on a thread each."""
    with ThreadPoolExecutor(AT_ONCE) as threads:
        return Counter(threads.map(lambda _: outcome(call), range(AT_ONCE)))


def futures(channel: grpc.Channel) -> Counter[str]:
    """Make the calls of a blocking channel's stubs without waiting between them."""
    stub = log_pb2_grpc.LogServiceStub(channel)
    calls = [stub.GetKeys.future(ASKED, timeout=SECONDS) for _ in range(AT_ONCE)]
    return Counter(outcome(call.result) for call in calls)


async def all_at_once(open_one: Callable[[], grpc.aio.Channel], *, bursts: int) -> list[Counter[str]]:
    """Make bursts of calls on one asyncio channel."""
    async with open_one() as channel:
        stub: Any = log_pb2_grpc.LogServiceStub(channel)  # which is asyncio's here

        async def ended() -> str:
            try:
                await stub.GetKeys(ASKED, timeout=SECONDS)
            except (grpc.RpcError, RefereeError) as error:
                return repr(error)
            return "OK"

        return [Counter(await asyncio.gather(*(ended() for _ in range(AT_ONCE)))) for _ in range(bursts)]


def test_256_calls_at_once_on_one_channel_of_stock_stubs_are_answered(tmp_path: Path) -> None:
    with serving(tmp_path) as address:
        with grpc.insecure_channel(address) as channel:
            assert [futures(channel) for _ in range(4)] == [Counter(OK=AT_ONCE)] * 4
        found = asyncio.run(all_at_once(lambda: grpc.aio.insecure_channel(address), bursts=4))
        assert found == [Counter(OK=AT_ONCE)] * 4


def test_256_calls_at_once_on_one_channel_of_the_client_are_answered(tmp_path: Path) -> None:
    with serving(tmp_path) as address:
        with open_channel(address) as channel:
            stub = log_pb2_grpc.LogServiceStub(channel)
            found = [threaded(lambda: stub.GetKeys(ASKED, timeout=SECONDS)) for _ in range(4)]
            assert found == [Counter(OK=AT_ONCE)] * 4
        found = asyncio.run(all_at_once(lambda: open_aio_channel(address), bursts=4))
        assert found == [Counter(OK=AT_ONCE)] * 4


class Refusing(Quiet):
    """Observer that makes room once a call was refused, and counts the refusals."""

    def __init__(self) -> None:
        self.reasons: list[str] = []
        self.make_room: Callable[[], object] = lambda: None

    def ended(self, call: Call) -> None:
        """Make room after a refusal for want of it."""
        if call.reason in ("OVERLOADED", "TOO_MANY_CALLS"):
            self.reasons.append(call.reason)
            self.make_room()


@pytest.mark.parametrize("is_asyncio", [False, True])
@pytest.mark.parametrize("reason", ["OVERLOADED", "TOO_MANY_CALLS"])
def test_client_asks_again_what_a_limit_kept_from_beginning(tmp_path: Path, reason: str, *, is_asyncio: bool) -> None:
    """The method is AcceptEvent, which is never repeated otherwise; its one attempt finds room and is judged."""
    refusing = Refusing()
    limits = LimitSettings(calls_at_once=1)
    with Application(server_options(data=tmp_path, sweep=False, observers=[refusing], limits=limits)) as app:
        if reason == "OVERLOADED":
            queue, app.pool.queue = app.pool.queue, 0
            refusing.make_room = lambda: setattr(app.pool, "queue", queue)
        else:
            account = app.admission
            assert account is not None
            assert account.begin("127.0.0.1")
            refusing.make_room = lambda: account.end("127.0.0.1")
        address = f"127.0.0.1:{app.port}"
        error = asyncio.run(accept_aio(address)) if is_asyncio else accept(address)
    assert (refusing.reasons, error.reason) == ([reason], "MISSING_FIELD")


def accept(address: str, **options: int) -> RefereeError:
    """Ask to accept an event of no round; return why it is refused."""
    request = mau_binh_pb2.MauBinhServiceAcceptEventRequest()
    with (
        open_channel(address, options=[(f"grpc.{name}", value) for name, value in options.items()]) as channel,
        pytest.raises(RefereeError) as caught,
    ):
        method_of(channel, ACCEPT)(request, timeout=SECONDS)
    return caught.value


async def accept_aio(address: str, **options: int) -> RefereeError:
    """Ask the same over asyncio."""
    request = mau_binh_pb2.MauBinhServiceAcceptEventRequest()
    async with open_aio_channel(address, options=[(f"grpc.{name}", value) for name, value in options.items()]) as one:
        with pytest.raises(RefereeError) as caught:
            await method_of(one, ACCEPT)(request, timeout=SECONDS)
    return caught.value


@contextmanager
def resetting(code: int) -> Iterator[tuple[str, list[int]]]:
    """Serve HTTP/2 that resets each stream with this code; yield the address and the streams that came."""
    streams: list[int] = []
    taken: list[socket.socket] = []

    def serve() -> None:
        connection, _ = listening.accept()
        taken.append(connection)
        with connection, connection.makefile("rb") as coming:
            connection.sendall(settings())
            assert coming.read(len(PREFACE)) == PREFACE
            while len(head := coming.read(9)) == 9:
                coming.read(int.from_bytes(head[:3]))
                if head[3] == HEADERS:
                    streams.append(int.from_bytes(head[5:]))
                    connection.sendall(frame(RST_STREAM, code.to_bytes(4), stream=streams[-1]))

    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = threading.Thread(target=serve)
        thread.start()
        yield f"127.0.0.1:{listening.getsockname()[1]}", streams
        with contextlib.suppress(OSError):  # the client may have closed it
            taken[0].shutdown(socket.SHUT_RDWR)
        thread.join()


@pytest.mark.parametrize("is_asyncio", [False, True])
@pytest.mark.parametrize(("code", "attempts"), [(7, 5), (2, 1)], ids=["REFUSED_STREAM", "INTERNAL_ERROR"])
def test_client_asks_again_only_what_was_reset_unprocessed(*, code: int, attempts: int, is_asyncio: bool) -> None:
    with resetting(code) as (address, streams):
        if is_asyncio:
            asyncio.run(accept_aio(address, enable_retries=0, inhibit_health_checking=1))
        else:
            accept(address, enable_retries=0, inhibit_health_checking=1)
    assert len(streams) == attempts
