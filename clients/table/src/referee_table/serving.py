"""A table server on an address, in the process that asks for it."""

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator
from typing import Final

import uvicorn

from referee_table.games import MOST_BYTES
from referee_table.house import House
from referee_table.launch import LaunchError
from referee_table.play import Plan
from referee_table.site import site

_STOPPING_SECONDS: Final = 5


def bound(host: str, port: int) -> socket.socket:
    """Return a socket that listens at the address; port 0 takes a free one."""
    return socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)


@contextlib.asynccontextmanager
async def serving(plan: Plan, listening: socket.socket | None = None) -> AsyncIterator[tuple[str, House]]:
    """Run a table server for the block, on a free port if no socket is given; yield its address and its house."""
    listening = listening or bound("127.0.0.1", 0)
    plan.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    house = House(plan)
    config = uvicorn.Config(
        site(house),
        ws="websockets-sansio",
        ws_max_size=4 * MOST_BYTES,
        lifespan="on",
        log_level="warning",
        access_log=False,
        timeout_graceful_shutdown=_STOPPING_SECONDS,
    )
    server = uvicorn.Server(config)
    task = asyncio.create_task(server.serve([listening]))
    try:
        while not server.started and not task.done():  # noqa: ASYNC110 - it reports its start in no other way
            await asyncio.sleep(0.01)
        if task.done():
            await task
            raise LaunchError("the table server did not start; the lines above say why")
        host, port = listening.getsockname()[:2]
        yield f"{host}:{port}", house
    finally:
        server.should_exit = True
        await task
