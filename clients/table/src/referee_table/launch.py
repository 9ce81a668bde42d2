"""A referee of one's own for a table: a process that is started again, at the same addresses, when it ends."""

import asyncio
import contextlib
import ctypes
import json
import logging
import signal
import sys
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

LOG: Final = logging.getLogger("referee_table")
_STOPPING_SECONDS: Final = 30
_PR_SET_PDEATHSIG: Final = 1
_PAUSE_SECONDS: Final = 0.5


class LaunchError(RuntimeError):
    """The referee did not start."""


@dataclass(frozen=True, slots=True)
class Addresses:
    """Where a referee listens: for gRPC, and its gateway for browsers."""

    grpc: str
    web: str


@contextlib.asynccontextmanager
async def referee_beside(data: Path, *, origins: list[str]) -> AsyncIterator[Addresses]:
    """Run a referee for the block, whose gateway pages from these origins may call; yield its addresses."""
    command = [sys.executable, "-m", "referee", "serve", "--data", str(data), "--quiet"]
    if origins:
        command += ["--set", f"web.origins={','.join(origins)}"]
    process, found = await _started(command, Addresses("127.0.0.1:0", "127.0.0.1:0"))
    running = [process]
    keeper = asyncio.create_task(_keep(command, found, running))
    try:
        yield found
    finally:
        keeper.cancel()
        await asyncio.gather(keeper, return_exceptions=True)
        await _stop(running[-1])


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
