"""How questions reach a server. Everything above is written once, for asyncio; without it, the same code runs through.

A ``Line`` asks one question. ``finished`` runs a coroutine whose questions are answered before they return, so nothing
in it ever waits: that is how the blocking client does what the asyncio one does, line for line.

>>> async def answer() -> int:
...     return 42
>>> finished(answer())
42
"""

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any, Protocol, TypeAlias, TypeVar

import grpc
import grpc.aio
from google.protobuf.message import Message

Answer = TypeVar("Answer", bound=Message)
Result = TypeVar("Result")

Lock: TypeAlias = Callable[[], AbstractAsyncContextManager[Any]]
"""Makes what is entered by ``async with`` and held until it is left."""


class Line(Protocol):
    """Asks a server. ``method`` is such as ``LogService/GetKeys``; RefereeError where it does not answer."""

    async def ask(self, method: str, request: Message, kind: type[Answer], *, seconds: float | None = None) -> Answer:
        """Send a request and return the response."""

    async def run(self, work: Callable[[], Result]) -> Result:
        """Run work that waits for a disk and return its result."""

    def lock(self) -> "Lock":
        """Return a lock for what one caller at a time may do; the others wait."""


class AioLine:
    """Asks over an asyncio channel."""

    def __init__(self, channel: grpc.aio.Channel) -> None:
        self._channel = channel

    async def ask(self, method: str, request: Message, kind: type[Answer], *, seconds: float | None = None) -> Answer:
        """Send a request and return the response."""
        call: Any = self._channel.unary_unary(
            f"/referee.v1.{method}",
            request_serializer=type(request).SerializeToString,
            response_deserializer=kind.FromString,
        )
        answer: Answer = await call(request, timeout=seconds)
        return answer

    async def run(self, work: Callable[[], Result]) -> Result:
        """Run the work on another thread, so that the event loop goes on."""
        return await asyncio.to_thread(work)

    def lock(self) -> Lock:
        """Return a lock for what one task at a time may do."""
        held = asyncio.Lock()
        return lambda: held


class BlockingLine:
    """Line over a blocking channel: its coroutines never wait for an event loop, so ``finished`` can run them."""

    def __init__(self, channel: grpc.Channel) -> None:
        self._channel = channel

    async def ask(self, method: str, request: Message, kind: type[Answer], *, seconds: float | None = None) -> Answer:
        """Send a request and return the response."""
        call: Any = self._channel.unary_unary(
            f"/referee.v1.{method}",
            request_serializer=type(request).SerializeToString,
            response_deserializer=kind.FromString,
        )
        answer: Answer = call(request, timeout=seconds)
        return answer

    async def run(self, work: Callable[[], Result]) -> Result:
        """Run the work here."""
        return work()

    def lock(self) -> Lock:
        """Return a lock for what one thread at a time may do."""
        held = threading.Lock()

        @asynccontextmanager
        async def holding() -> AsyncIterator[None]:
            with held:
                yield

        return holding


def finished(work: Coroutine[Any, Any, Result]) -> Result:
    """Run a coroutine that never waits and return its result."""
    try:
        work.send(None)
    except StopIteration as ended:
        result: Result = ended.value
        return result
    work.close()
    raise RuntimeError("a blocking client was given something to wait for")
