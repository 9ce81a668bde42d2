"""A table server on an address, in the process that asks for it."""

import asyncio
import contextlib
import secrets
import socket
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import grpc
import uvicorn
from referee_client import AsyncClient

from referee_table.clock import Clock, SystemClock
from referee_table.house import House
from referee_table.play import Pace
from referee_table.reading import MOST_BYTES
from referee_table.site import site

_STOPPING_SECONDS: Final = 5
_ANSWER_SECONDS: Final = 20
"""After what time the referee is asked again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """Options of a table server. ``folder`` is where rooms are stored, None to store none.

    ``token`` and ``credentials`` are for a referee that asks for them, as the SDK has them; ``tenant`` is whom they
    act for. ``hosts`` are names that it answers for, besides those of this machine and each connection's address.
    """

    referee: str
    gateway: str | None = None
    token: str = ""
    tenant: str = ""
    credentials: grpc.ChannelCredentials | None = None
    folder: Path | None = None
    page: Path | None = None
    hosts: tuple[str, ...] = ()
    pace: Pace = field(default_factory=Pace)
    clock: Clock = field(default_factory=SystemClock)
    entropy: Callable[[int], bytes] = secrets.token_bytes


def bound(host: str, port: int) -> socket.socket:
    """Return a socket that listens at the address; port 0 takes a free one."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    made = socket.socket(family, socket.SOCK_STREAM)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    made.bind((host, port))
    return made


def server_of(plan: Plan) -> tuple[uvicorn.Server, House]:
    """Return a server that is not started yet, and its house. Call it in the loop that will run them."""
    if plan.folder is not None:
        plan.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    client = AsyncClient(
        plan.referee,
        credentials=plan.credentials,
        token=plan.token,
        timeout=_ANSWER_SECONDS,
        journal=None if plan.folder is None else plan.folder / "rounds.sqlite3",
        on_reach=lambda is_reached: house.on_reach(is_reached),  # noqa: PLW0108 - the house needs the client
    )
    house = House(
        client=client,
        clock=plan.clock,
        pace=plan.pace,
        entropy=plan.entropy,
        folder=plan.folder,
        gateway=plan.gateway,
        server=plan.entropy(8).hex(),
        tenant=plan.tenant,
    )
    config = uvicorn.Config(
        site(house, page=plan.page, hosts=plan.hosts),
        ws="websockets-sansio",
        ws_max_size=4 * MOST_BYTES,
        lifespan="on",
        log_level="warning",
        access_log=False,
        timeout_graceful_shutdown=_STOPPING_SECONDS,
    )
    return uvicorn.Server(config), house


@contextlib.asynccontextmanager
async def serving(plan: Plan, *, host: str = "127.0.0.1", port: int = 0) -> AsyncIterator[tuple[str, House]]:
    """Run a table server for the block; yield its address and its house."""
    listening = bound(host, port)
    server, house = server_of(plan)
    task = asyncio.create_task(server.serve([listening]))
    try:
        while not server.started and not task.done():  # noqa: ASYNC110 - it reports its start in no other way
            await asyncio.sleep(0.01)
        if task.done():
            await task
            raise RuntimeError("the table server did not start")
        yield f"{host}:{listening.getsockname()[1]}", house
    finally:
        server.should_exit = True
        await task
