"""Clients that are slow, silent, gone or rude, beside others who play: these are served, and nothing is kept for ever.

Allowed for those who play: OVERLOADED, which is tried again, and nothing else. What the server holds is measured at its
process: threads and open files go back to what they were, and memory stays bounded while it lasts.
"""

import contextlib
import random
import resource
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

import grpc
import psutil
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc

from referee.service.pool import STREAMS, WAITING
from tests.chaos.frames import DATA, PING, PREFACE, RST_STREAM, dial, frame, headers, message, settings, vanish
from tests.chaos.ledger import CHANNEL
from tests.chaos.process import Server
from tests.chaos.scene import Scene

CHECKPOINT: Final = "/referee.v1.LogService/GetCheckpoint"
ENTRIES: Final = "/referee.v1.LogService/ListEntries"
HEALTH: Final = ("/grpc.health.v1.Health/Watch", "/grpc.health.v1.Health/Check")
SETTLE: Final = "/referee.v1.MauBinhService/SettleRound"
MOST_MEMORY: Final = 1024 * 1024 * 1024
"""Bytes that a server may take on while all this happens: a quarter of a gigabyte may lie unread by its own law, which
Python and gRPC hold a copy each of (560 MB once the log is long enough to reach the law), and thousands of connections,
calls that are begun and callers who vanish take up to a quarter more together."""
SPARE_THREADS: Final = STREAMS + WAITING + 32
"""Threads that the server's and gRPC's own pools may grow by, and keep."""
SPARE_FILES: Final = 32
"""Files that the pool of connections to the store may keep."""


@dataclass(frozen=True, slots=True)
class Crowd:
    """How many there are of each kind."""

    half: int
    """Calls that stop in the middle of their message."""
    slow: int
    """Callers who ask for much and read nothing."""
    idle: int
    """Connections that say nothing at all."""
    gone: int
    """Callers who reset their connection in the middle of a call."""
    floods: int
    """Frames of a kind that ask for an answer each, sent by one who reads none."""
    streams: int
    """Streams that are opened and left so."""


Rude = Callable[[ExitStack, str, Crowd, random.Random], None]
"""Begins what its callers do, which ends with the stack."""


def clients(scene: Scene) -> None:
    """Each kind in turn stays while rounds are settled, and leaves; at last all at once."""
    size = LONG if scene.share >= 0.1 else SHORT
    most_files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    size = replace(size, idle=max(10, min(size.idle, most_files // 2 - 3 * size.half - size.slow)))
    server = scene.server("--set", "limits.calls_at_once=0")  # the crowd and the players have one address
    with scene.load(server, each=4) as load:
        load.more(8)
        held = [_Held.of(server)]
        for name, kinds in {**{name: [kind] for name, kind in _KINDS.items()}, "all at once": _KINDS.values()}.items():
            with ExitStack() as stack:
                for rude in kinds:
                    rude(stack, server.address, size, scene.luck)
                load.more(4)
                held.append(_Held.of(server))
            scene.done(name)
        load.more(4)
    before, most = held[0], _Held(*map(max, zip(*held, strict=True)))
    after = _settled_down(server, before)
    scene.notes += [f"held before: {before}", f"held at most: {most}", f"held after: {after}", f"crowd: {size}"]
    for what, grown, allowed in (
        ("bytes of memory at most", most.memory - before.memory, MOST_MEMORY),
        ("threads left behind", after.threads - before.threads, SPARE_THREADS),
        ("open files left behind", after.files - before.files, SPARE_FILES),
    ):
        scene.expect(grown <= allowed, f"{grown} {what}")
    scene.conclude(server, allowed=("RESOURCE_EXHAUSTED/OVERLOADED",))


class _Held(NamedTuple):
    """What a process holds."""

    memory: int
    threads: int
    files: int

    @classmethod
    def of(cls, server: Server) -> "_Held":
        """Measure what the server holds now."""
        process = psutil.Process(server.process.pid)
        return cls(process.memory_info().rss, process.num_threads(), process.num_fds())

    def __str__(self) -> str:
        return f"{self.memory >> 20} MB, {self.threads} threads, {self.files} files"


def _settled_down(server: Server, before: _Held) -> _Held:
    """Measure what the server holds once it has released everything, or after half a minute."""
    end = time.monotonic() + 30
    while True:
        held = _Held.of(server)
        is_down = held.threads <= before.threads + SPARE_THREADS and held.files <= before.files + SPARE_FILES
        if is_down or time.monotonic() > end:
            return held
        time.sleep(0.2)


def _half(stack: ExitStack, address: str, size: Crowd, luck: random.Random) -> None:
    """Start calls whose message never ends, some with nothing but headers."""
    for number in range(size.half):
        begun = PREFACE + settings() + headers(luck.choice((CHECKPOINT, SETTLE)), stream=1)
        part = message(bytes(1000), stream=1, sent=luck.randrange(1000)) if number % 4 else b""
        stack.enter_context(dial(address)).sendall(begun + part)


def _half_frames(stack: ExitStack, address: str, size: Crowd, luck: random.Random) -> None:
    """Open connections that stop inside a frame or inside the preface."""
    words = PREFACE + settings() + headers(SETTLE, stream=1) + frame(DATA, bytes(5000), stream=1)
    for _ in range(size.half):
        stack.enter_context(dial(address)).sendall(words[: luck.randrange(1, len(words))])


def _slow(stack: ExitStack, address: str, size: Crowd, _: random.Random) -> None:
    """Callers who ask for the longest answers, say that they take none of it yet, and read nothing."""
    asked = [headers(ENTRIES, stream=stream) + message(b"", stream=stream) for stream in range(1, 2 * 16, 2)]
    for _number in range(size.slow):
        one = stack.enter_context(dial(address, buffer=4096))
        for words in (PREFACE + settings(window=0), *asked):
            one.sendall(words)


def _watchers(stack: ExitStack, address: str, size: Crowd, _: random.Random) -> None:
    """Callers who watch the server's health and ask for it, and take none of it."""
    asked = [
        headers(path, stream=stream) + message(b"", stream=stream)
        for stream, path in zip(range(1, 4 * 16, 2), HEALTH * 16, strict=True)
    ]
    for _number in range(size.slow):
        stack.enter_context(dial(address)).sendall(PREFACE + settings(window=0) + b"".join(asked))


def _idle(stack: ExitStack, address: str, size: Crowd, _: random.Random) -> None:
    """Open idle connections, half of which send the preface."""
    for one in [stack.enter_context(dial(address)) for _ in range(size.idle)][::2]:
        one.sendall(PREFACE + settings())


def _gone(stack: ExitStack, address: str, size: Crowd, luck: random.Random) -> None:
    """Callers who ask and reset the connection, or the call alone, before the answer."""
    done = threading.Event()

    def run() -> None:
        for number in range(size.gone):
            if done.is_set():
                return
            with contextlib.suppress(OSError):
                one = dial(address)
                one.sendall(PREFACE + settings() + headers(ENTRIES, stream=1) + message(b"", stream=1))
                if number % 3 == 0:
                    one.sendall(frame(RST_STREAM, b"\0\0\0\x08", stream=1))
                if number % 2:
                    time.sleep(luck.uniform(0, 0.002))
                vanish(one)

    thread = threading.Thread(target=run)
    stack.callback(thread.join)
    stack.callback(done.set)
    thread.start()


def _floods(stack: ExitStack, address: str, size: Crowd, _: random.Random) -> None:
    """Send thousands of SETTINGS and PING frames without reading answers, and calls that are reset at once."""
    calls = [headers(CHECKPOINT, stream=n) + frame(RST_STREAM, bytes(4), stream=n) for n in range(1, 2 * 64, 2)]
    pings = (frame(PING, bytes(8)) * 64, b"".join(calls), frame(PING + 5, bytes(8)) * 64)
    for flood in (settings(window=65_535) * 64, *pings):
        one = stack.enter_context(dial(address, buffer=4096))
        one.settimeout(2)
        with contextlib.suppress(OSError):
            one.sendall(PREFACE + settings())
            for _round in range(size.floods // 64):
                one.sendall(flood)


def _garbage(stack: ExitStack, address: str, size: Crowd, luck: random.Random) -> None:
    """Bytes of other protocols, and of none."""
    words = (
        b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(500),
        luck.randbytes(5000),
        PREFACE + luck.randbytes(5000),
        PREFACE + settings() + frame(1, b"\xff" * 200, flags=4, stream=1),
        PREFACE + settings() + frame(DATA, b"x" * 100, stream=7),
        PREFACE + settings() + frame(1, b"\0", flags=4, stream=2),
    )
    for number in range(min(size.gone, 10 * len(words))):
        one = stack.enter_context(dial(address))
        with contextlib.suppress(OSError):
            one.sendall(words[number % len(words)])


def _streams(stack: ExitStack, address: str, size: Crowd, _: random.Random) -> None:
    """Streams of reflection and health that were begun and are kept open."""
    done = threading.Event()

    def ask() -> Iterator[reflection_pb2.ServerReflectionRequest]:
        yield reflection_pb2.ServerReflectionRequest(list_services="")
        done.wait()

    stack.callback(done.set)
    for _number in range(max(1, size.streams // 16)):
        channel = stack.enter_context(grpc.insecure_channel(address, CHANNEL))
        for _stream in range(8):
            reflection_pb2_grpc.ServerReflectionStub(channel).ServerReflectionInfo(ask())
            health_pb2_grpc.HealthStub(channel).Watch(health_pb2.HealthCheckRequest())


_KINDS: Final[dict[str, Rude]] = {
    "messages that never end": _half,
    "frames that never end": _half_frames,
    "readers who do not read": _slow,
    "watchers who do not read": _watchers,
    "idle connections": _idle,
    "callers who vanish": _gone,
    "floods of SETTINGS, PING, resets and unknown frames": _floods,
    "other protocols and noise": _garbage,
    "streams left open": _streams,
}
SHORT: Final = Crowd(half=40, slow=8, idle=100, gone=60, floods=2_000, streams=32)
LONG: Final = Crowd(half=400, slow=100, idle=4_000, gone=2_000, floods=100_000, streams=160)
