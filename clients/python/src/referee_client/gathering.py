"""A line that sends requests of several tables in one call, and figures of what that saves."""

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import grpc.aio
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

from referee_client.errors import RefereeError
from referee_client.line import AioLine, Answer

GATHER_SECONDS: Final = 0.005
"""Longest time that a request waits for others, while a call of its method is under way."""
BATCHED: Final = frozenset({"AcceptEvent", "SettleRound", "OpenRound", "DealRound", "OpenSection", "RevealRound"})
"""Methods that have a batch, whose name has an s more."""
_MOST: Final = 256
_MOST_BYTES: Final = 512 * 1024
"""Bytes of requests in a batch at most; a server reads a megabyte by default."""
_ALONE: Final = frozenset({"INTERNAL", "MESSAGE_TOO_LARGE", "TABLE_FORBIDDEN"})
"""Reasons for which one request refuses its whole batch, whose requests are then sent one by one."""

_Asked: TypeAlias = "tuple[Any, asyncio.Future[Any]]"


@dataclass(slots=True, kw_only=True)
class Gathering:
    """Figures of the requests that a client may send together: how many there were, and in how many calls."""

    requests: int = 0
    """Number of requests for methods that have a batch."""
    calls: int = 0
    """Number of calls in which they were sent."""


class GatheringLine(AioLine):
    """Line that sends what is asked at the same time in one call, for methods that have a batch.

    A request waits for others only while a call of its method is under way, and for a limited time; each is answered
    and refused by itself.
    """

    def __init__(self, channel: grpc.aio.Channel, *, seconds: float) -> None:
        super().__init__(channel)
        self.figures = Gathering()
        self._seconds = seconds
        self._gatherers: dict[str, _Gatherer] = {}

    async def ask(self, method: str, request: Message, kind: type[Answer], *, seconds: float | None = None) -> Answer:
        """Send a request, perhaps together with others, and return the response."""
        if method.rpartition("/")[2] not in BATCHED or seconds is not None:
            return await super().ask(method, request, kind, seconds=seconds)
        self.figures.requests += 1
        if not self._seconds:
            return await self.ask_alone(method, request, kind)
        gatherer = self._gatherers.get(method)
        if gatherer is None:
            gatherer = self._gatherers[method] = _Gatherer(self, method, kind, seconds=self._seconds)
        answer: Answer = await gatherer.ask(request)
        return answer

    async def ask_alone(self, method: str, request: Message, kind: type[Answer]) -> Answer:
        """Send a request in a call of its own, and count the call."""
        self.figures.calls += 1
        return await super().ask(method, request, kind)


class _Gatherer:
    """Requests of one method that wait to be sent together."""

    def __init__(self, line: GatheringLine, method: str, kind: type[Any], *, seconds: float) -> None:
        self._line, self._method, self._kind, self._seconds = line, method, kind, seconds
        self._waiting: list[_Asked] = []
        self._timer: asyncio.Handle | None = None
        self._under_way: set[asyncio.Task[None]] = set()

    async def ask(self, request: Message) -> Any:  # noqa: ANN401 - the method's answer
        """Send a request with those that come meanwhile and return its answer."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Any] = loop.create_future()
        self._waiting.append((request, future))
        if self._timer is None:
            is_free = not self._under_way
            self._timer = loop.call_soon(self._send) if is_free else loop.call_later(self._seconds, self._send)
        return await future

    def _send(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer, waiting, self._waiting = None, self._waiting, []
        for batch in _split([asked for asked in waiting if not asked[1].done()]):
            task = asyncio.ensure_future(self._answer(batch))
            self._under_way.add(task)
            task.add_done_callback(self._end)

    def _end(self, task: "asyncio.Task[None]") -> None:
        self._under_way.discard(task)
        if self._waiting:
            self._send()

    async def _answer(self, batch: Sequence[_Asked]) -> None:
        """Send a batch and set the answer or the error of each of its requests."""
        if len(batch) == 1:
            await self._answer_alone(*batch[0])
            return
        try:
            responses = await self._ask_together([request for request, _ in batch])
        except BaseException as error:
            if isinstance(error, RefereeError) and error.reason in _ALONE:
                await asyncio.gather(*(self._answer_alone(request, future) for request, future in batch))
                return
            for _, future in batch:
                _fail(future, error)
            if isinstance(error, Exception):
                return
            raise
        for (_, future), response in zip(batch, responses, strict=True):
            if response.HasField("refused"):
                _fail(future, RefereeError.of_status(response.refused))
            elif not future.done():
                future.set_result(response)

    async def _ask_together(self, requests: Sequence[Any]) -> Sequence[Any]:
        kind = type(requests[0]).DESCRIPTOR
        messages, name = kind.file.message_types_by_name, kind.name.removesuffix("Request")
        together: Any = GetMessageClass(messages[f"{name}sRequest"])(requests=requests)
        answers: Any = await self._line.ask_alone(
            f"{self._method}s", together, GetMessageClass(messages[f"{name}sResponse"])
        )
        return list(answers.responses)

    async def _answer_alone(self, request: Any, future: "asyncio.Future[Any]") -> None:  # noqa: ANN401 - of any method
        try:
            response = await self._line.ask_alone(self._method, request, self._kind)
        except BaseException as error:
            _fail(future, error)
            if not isinstance(error, Exception):
                raise
        else:
            if not future.done():
                future.set_result(response)


def _fail(future: "asyncio.Future[Any]", error: BaseException) -> None:
    """Set the error of a request, unless its caller no longer waits."""
    if future.done():
        return
    if isinstance(error, asyncio.CancelledError):
        future.cancel()
    else:
        future.set_exception(error)


def _split(waiting: Sequence[_Asked]) -> Iterator[list[_Asked]]:
    """Yield batches of requests, in their order, within the largest number of requests and of bytes."""
    batch: list[_Asked] = []
    size = 0
    for asked in waiting:
        length = asked[0].ByteSize()
        if batch and (len(batch) == _MOST or size + length > _MOST_BYTES):
            yield batch
            batch, size = [], 0
        batch.append(asked)
        size += length
    if batch:
        yield batch
