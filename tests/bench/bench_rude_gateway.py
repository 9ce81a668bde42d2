"""Good callers of the browsers' gateway beside rude ones: ``python -m tests.bench.bench_rude_gateway``.

The same rude callers and the same good ones are aimed at the gateway and at a plain uvicorn echo, one after the other.
Rude ones ask and vanish, read nothing, send bodies of 30 MB, and send heads byte by byte; each kind has its address,
and the good callers have theirs. Printed are the calls a second of the good callers alone and beside the rude, what
they keep of them, and the server's largest memory meanwhile.
"""

import argparse
import asyncio
import contextlib
import json
import multiprocessing
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import psutil

METHOD: Final = "/referee.v1.LogService/GetCheckpoint"
EACH: Final = 33
"""Connections of each kind of rude callers."""
GOOD: Final = 8
BODY: Final = 30_000_000
ECHO: Final = """
import socket, sys, uvicorn
async def app(scope, receive, send):
    body, more = b"", True
    while more:
        message = await receive()
        body += message.get("body", b"")
        more = message.get("more_body", False)
    headers = [(b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": body})
listening = socket.create_server(("0.0.0.0", 0))
print('{"web": "127.0.0.1:%d"}' % listening.getsockname()[1], flush=True)
uvicorn.Server(uvicorn.Config(app, log_level="error", access_log=False, lifespan="off")).run(sockets=[listening])
"""


def request(size: int, sent: bytes) -> bytes:
    """Write a call whose body is so long and begins so."""
    head = (
        f"POST {METHOD} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: {size}\r\n\r\n"
    )
    return head.encode() + sent


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=10.0, help="length of each measurement")
    seconds = parser.parse_args().seconds
    kept = {}
    sys.stdout.write(f"{'':<12}{'alone':>12}{'beside rude':>14}{'kept':>8}{'memory MB':>12}\n")
    for name, command in commands().items():
        alone, beside, memory = measured(command, seconds)
        kept[name] = beside / alone
        sys.stdout.write(f"{name:<12}{alone:>10,.0f}/s{beside:>12,.0f}/s{kept[name]:>8.0%}{memory >> 20:>12}\n")
        sys.stdout.flush()
    sys.stdout.write(f"kept by the gateway to kept by the echo: {kept['gateway'] / kept['echo']:.2f}\n")


def commands() -> dict[str, Sequence[str]]:
    """Return the command of each server."""
    serve = (sys.executable, "-W", "ignore", "-m", "referee", "serve", "--quiet", "--listen", "127.0.0.1:0")
    return {"echo": (sys.executable, "-c", ECHO), "gateway": (*serve, "--web", "127.0.0.1:0")}


def measured(command: Sequence[str], seconds: float) -> tuple[float, float, int]:
    """Return the good callers' calls a second alone and beside rude ones, and the server's largest memory in bytes."""
    with tempfile.TemporaryDirectory() as folder:
        data = ("--data", str(Path(folder) / "data")) if "referee" in command else ()
        with subprocess.Popen([*command, *data], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
            try:
                assert process.stdout is not None
                address = json.loads(process.stdout.readline())["web"]
                good(address, 1.0)
                alone = good(address, seconds)
                with rude(address), largest_memory(process.pid) as memory:
                    time.sleep(1)
                    beside = good(address, seconds)
                return alone, beside, memory[0]
            finally:
                process.kill()


@contextmanager
def largest_memory(pid: int) -> Iterator[list[int]]:
    """Measure a process during the block; the list's one number is its largest memory so far."""
    process, most, over = psutil.Process(pid), [0], threading.Event()

    def look() -> None:
        while not over.wait(0.1):
            most[0] = max(most[0], process.memory_info().rss)

    thread = threading.Thread(target=look)
    thread.start()
    try:
        yield most
    finally:
        over.set()
        thread.join()


def good(address: str, seconds: float) -> float:
    """Return the calls a second that good callers are answered, each on a connection of its own."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(_good, (address, seconds))


def _good(address: str, seconds: float) -> float:
    return asyncio.run(_all_good(address, seconds)) / seconds


async def _all_good(address: str, seconds: float) -> int:
    ends = time.monotonic() + seconds
    return sum(await asyncio.gather(*(_ask(address, ends) for _ in range(GOOD))))


async def _ask(address: str, ends: float) -> int:
    """Ask until the end; return how many calls were answered."""
    answered = 0
    while time.monotonic() < ends:
        with contextlib.suppress(OSError, asyncio.IncompleteReadError, TimeoutError):
            reader, writer = await _connect(address, "127.0.0.9")
            async with asyncio.timeout(ends - time.monotonic()):
                while time.monotonic() < ends:
                    writer.write(request(2, b"{}"))
                    head = await reader.readuntil(b"\r\n\r\n")
                    if b"content-length: " in head:
                        size = int(head.partition(b"content-length: ")[2].partition(b"\r\n")[0])
                        await reader.readexactly(size)
                    else:
                        await reader.readuntil(b"\r\n0\r\n\r\n")
                    answered += head.startswith(b"HTTP/1.1 200 ")
    return answered


async def _connect(address: str, source: str, **options: int) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    host, _, port = address.rpartition(":")
    return await asyncio.open_connection(host, int(port), local_addr=(source, 0), **options)


@contextmanager
def rude(address: str) -> Iterator[None]:
    """Let the rude callers do their worst from a process of their own."""
    process = multiprocessing.get_context("spawn").Process(target=_rude, args=(address,), daemon=True)
    process.start()
    try:
        yield
    finally:
        process.kill()
        process.join()


def _rude(address: str) -> None:
    asyncio.run(_all_rude(address))


async def _all_rude(address: str) -> None:
    kinds = (_vanish, _read_nothing, _send_much, _send_slowly)
    await asyncio.gather(
        *(_repeat(kind, address, f"127.0.0.{number}") for number, kind in enumerate(kinds, 2) for _ in range(EACH))
    )


async def _repeat(kind: Callable[..., Awaitable[None]], address: str, source: str) -> None:
    while True:
        with contextlib.suppress(OSError, asyncio.IncompleteReadError):
            reader, writer = await _connect(address, source, limit=1024)
            try:
                await kind(reader, writer)
            finally:
                writer.transport.abort()
        await asyncio.sleep(0.01)


async def _vanish(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Ask and reset the connection."""
    connection = writer.get_extra_info("socket")
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.write(request(2, b"{}"))
    await asyncio.sleep(0)


async def _read_nothing(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Ask again and again, and read no answer."""
    writer.transport.pause_reading()  # type: ignore[attr-defined] # of the transports that read
    while True:
        writer.write(request(60_000, b'{"x": "' + b"a" * 59_991 + b'"}'))
        await writer.drain()


async def _send_much(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Send a body that is far too large."""
    writer.write(request(BODY, b""))
    for _number in range(BODY // 65536):
        writer.write(bytes(65536))
        await writer.drain()


async def _send_slowly(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Send a head byte by byte."""
    for byte in request(2, b"{}"):
        writer.write(bytes([byte]))
        await writer.drain()
        await asyncio.sleep(0.5)


if __name__ == "__main__":
    main()
