"""Calls to a server, over asyncio or blocking. The code above a ``Line`` is written once, for asyncio.

The blocking client uses the same coroutines with a ``BlockingLine``, whose calls return only with their answer. Such a
coroutine never waits for an event loop, so ``finished`` can run it to its end.

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
"""Function that returns an asynchronous context manager, which holds a lock for the block."""


class Line(Protocol):
    """Connection for calls. ``method`` is a name such as ``referee.v1.LogService/GetKeys``."""

    async def ask(self, method: str, request: Message, kind: type[Answer], *, seconds: float | None = None) -> Answer:
        """Send a request and return the response."""

    async def run(self, work: Callable[[], Result]) -> Result:
        """Run a function that waits for a disk and return its result."""

    def lock(self) -> "Lock":
        """Return a lock that one caller at a time can hold; other callers wait."""


class AioLine:
    """Line over an asyncio channel."""

    def __init__(self, channel: grpc.aio.Channel) -> None:
        self._channel = channel

    async def ask(self, method: str, request: Message, kind: type[Answer], *, seconds: float | None = None) -> Answer:
        """Send a request and return the response."""
        call: Any = self._channel.unary_unary(
            f"/{method}",
            request_serializer=type(request).SerializeToString,
            response_deserializer=kind.FromString,
        )
        answer: Answer = await call(request, timeout=seconds)
        return answer

    async def run(self, work: Callable[[], Result]) -> Result:
        """Run the function on another thread, so that the event loop goes on."""
        return await asyncio.to_thread(work)

    def lock(self) -> Lock:
        """Return a lock that one task at a time can hold."""
        held = asyncio.Lock()
        return lambda: held


class BlockingLine:
    """Line over a blocking channel: its coroutines never wait for an event loop, so ``finished`` can run them."""

    def __init__(self, channel: grpc.Channel) -> None:
        self._channel = channel

    async def ask(self, method: str, request: Message, kind: type[Answer], *, seconds: float | None = None) -> Answer:
        """Send a request and return the response."""
        call: Any = self._channel.unary_unary(
            f"/{method}",
            request_serializer=type(request).SerializeToString,
            response_deserializer=kind.FromString,
        )
        answer: Answer = call(request, timeout=seconds)
        return answer

    async def run(self, work: Callable[[], Result]) -> Result:
        """Run the function in this thread."""
        return work()

    def lock(self) -> Lock:
        """Return a lock that one thread at a time can hold."""
        held = threading.Lock()

        @asynccontextmanager
        async def holding() -> AsyncIterator[None]:
            with held:
                yield

        return holding


def finished(work: Coroutine[Any, Any, Result]) -> Result:
    """Run a coroutine that never waits and return its result; raise RuntimeError if it waits."""
    try:
        work.send(None)
    except StopIteration as ended:
        result: Result = ended.value
        return result
    work.close()
    raise RuntimeError("a blocking client was given something to wait for")
