"""A referee of one's own for a table: a process that is started again, at the same addresses, when it ends.

The addresses are kept in the data folder, because a page that is open may call only the gateway it was served with.
"""

import asyncio
import contextlib
import ctypes
import json
import logging
import signal
import socket
import sys
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import msgspec

from referee.evidence.outside import read_json
from referee.server.settings.port import is_port

LOG: Final = logging.getLogger("referee_table")
_STOPPING_SECONDS: Final = 30
_PR_SET_PDEATHSIG: Final = 1
_PAUSE_SECONDS: Final = 0.5
_FREE: Final = "127.0.0.1:0"


class LaunchError(RuntimeError):
    """Error for a referee that did not start."""


@dataclass(frozen=True, slots=True)
class Addresses:
    """Addresses of a referee: for gRPC, and of its gateway for browsers."""

    grpc: str
    web: str


_ANYWHERE: Final = Addresses(_FREE, _FREE)


@contextlib.asynccontextmanager
async def referee_beside(data: Path, *, origins: list[str]) -> AsyncIterator[Addresses]:
    """Run a referee for the block, whose gateway pages from these origins may call; yield its addresses."""
    command = [sys.executable, "-m", "referee", "serve", "--data", str(data), "--quiet", "--set", "serve.drain_lead=0"]
    if origins:
        command += ["--set", f"web.origins={','.join(origins)}"]
    kept = data.with_name(f"{data.name}-addresses.json")
    at = _read_addresses(kept)
    await _until_free(at.grpc)
    await _until_free(at.web)
    try:
        process, found = await _started(command, at)
    except LaunchError:
        if at == _ANYWHERE:
            raise
        LOG.warning("%s or %s is in use: the referee starts elsewhere, and open pages load again", at.grpc, at.web)
        process, found = await _started(command, _ANYWHERE)
    kept.write_bytes(msgspec.json.encode(found))
    running = [process]
    keeper = asyncio.create_task(_keep(command, found, running))
    try:
        yield found
    finally:
        keeper.cancel()
        await asyncio.gather(keeper, return_exceptions=True)
        await _stop(running[-1])


def _read_addresses(kept: Path) -> Addresses:
    """Return the addresses of the folder's last referee, and free ones if there are none."""
    try:
        at = read_json(kept.read_bytes(), Addresses)
    except (OSError, ValueError):
        return _ANYWHERE
    are_addresses = all(is_port(one.rpartition(":")[2]) for one in (at.grpc, at.web))
    return at if are_addresses else _ANYWHERE


async def _until_free(address: str) -> None:
    """Wait until no server listens at an address: the referee of a table server that was killed stops by itself.

    Return after half a minute where another process listens there.
    """
    host, _, port = address.rpartition(":")
    end = time.monotonic() + _STOPPING_SECONDS
    while time.monotonic() < end:
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # as the referee binds it
            probe.bind((host, int(port)))
            return
        await asyncio.sleep(_PAUSE_SECONDS)


async def _started(command: list[str], at: Addresses) -> tuple[asyncio.subprocess.Process, Addresses]:
    process = await asyncio.create_subprocess_exec(
        *command,
        *("--listen", at.grpc, "--web", at.web),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        preexec_fn=_die_with_parent if sys.platform == "linux" else None,
    )
    line = b"" if process.stdout is None else await process.stdout.readline()
    try:
        ready = json.loads(line)
        return process, Addresses(ready["address"], ready["web"])
    except (ValueError, KeyError):
        await _stop(process)
        msg = f"the referee did not say where it listens; run it alone to see why: {' '.join(command[1:])}"
        raise LaunchError(msg) from None


async def _keep(command: list[str], found: Addresses, running: list[asyncio.subprocess.Process]) -> None:
    """Restart the referee at its addresses whenever it ends."""
    while True:
        code = await running[-1].wait()
        LOG.warning("the referee ended with %s and is started again", code)
        try:
            process, _ = await _started(command, found)
            running.append(process)
        except LaunchError as error:
            LOG.warning("%s", error)
            await asyncio.sleep(_PAUSE_SECONDS)


def _die_with_parent() -> None:
    """End the referee with a table server that is killed, since it would keep its folder locked."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)


async def _stop(process: asyncio.subprocess.Process) -> None:
    with contextlib.suppress(ProcessLookupError):
        process.terminate()
    try:
        await asyncio.wait_for(process.wait(), _STOPPING_SECONDS)
    except TimeoutError:
        process.kill()
        await process.wait()
