"""The referee as the table asks it: one channel, questions that are asked again until they are answered.

Every question of the table can be asked twice: the calls that write are idempotent, and an event that was accepted
without the table learning of it was only signed, not given. So a referee that is away is waited for, for as long as it
takes, and nothing is done twice.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, Final, TypeVar, cast

import grpc
from google.protobuf.message import Message
from google.rpc import error_details_pb2
from grpc_status import rpc_status

from referee.reach import direct_options
from referee.v1 import (
    advice_pb2_grpc,
    log_pb2_grpc,
    ruleset_pb2_grpc,
    seating_pb2_grpc,
    shuffler_pb2_grpc,
)

Request = TypeVar("Request", bound=Message)
Answer = TypeVar("Answer", bound=Message)
Stub = TypeVar("Stub")

_AWAY: Final = {grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED, grpc.StatusCode.CANCELLED}
_BUSY: Final = {"OVERLOADED", "LOG_BUSY", "TOO_MANY_CALLS", "ADVICE_BUSY", "ADVICE_LOST"}
TOO_LONG: Final = "ADVICE_TOO_LONG"
"""Reason of a refusal that repeating does not help: the question takes more than the server's time for advice."""
_TIMEOUT: Final = 20.0
_FIRST_PAUSE: Final = 0.05
_LONGEST_PAUSE: Final = 1.0
_OPTIONS: Final = [
    ("grpc.max_reconnect_backoff_ms", 1000),
    ("grpc.initial_reconnect_backoff_ms", 100),
    ("grpc.min_reconnect_backoff_ms", 100),
]


class RefereeRefusedError(Exception):
    """Error for a call that the referee refused for good: repeating it does not help."""

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(f"{reason}: {message}")
        self.reason = reason


class Judge:
    """Stubs on one channel. ``is_reached``: the last call was answered. Listeners are called when it changes."""

    def __init__(self, address: str) -> None:
        self._channel = grpc.aio.insecure_channel(address, options=[*_OPTIONS, *direct_options(address)])
        channel: Any = self._channel  # the generated stubs take a channel of either kind
        self.rulesets = ruleset_pb2_grpc.RulesetServiceStub(channel)
        self.seating = seating_pb2_grpc.SeatingServiceStub(channel)
        self.shuffler = shuffler_pb2_grpc.ShufflerServiceStub(channel)
        self.log = log_pb2_grpc.LogServiceStub(channel)
        self.advice = advice_pb2_grpc.AdviceServiceStub(channel)
        self._stubs: dict[Any, Any] = {}
        self.is_reached = True
        self.listeners: list[Callable[[], None]] = []

    def stub(self, kind: Callable[[Any], Stub]) -> Stub:
        """Return a stub of a game's service on the channel; one for each kind."""
        made: Stub = self._stubs.setdefault(kind, kind(self._channel))
        return made

    async def ask(self, call: "grpc.UnaryUnaryMultiCallable[Request, Answer]", request: Request) -> Answer:
        """Ask the referee until it answers; raise RefereeRefusedError if it refuses."""
        pause = _FIRST_PAUSE
        while True:
            try:
                answer = await cast("Awaitable[Answer]", call(request, timeout=_TIMEOUT))
            except grpc.aio.AioRpcError as error:
                reason = _reason(error)
                if reason == TOO_LONG or (error.code() not in _AWAY and reason not in _BUSY):
                    raise RefereeRefusedError(reason, error.details() or "") from None
                if pause > _FIRST_PAUSE and reason not in _BUSY:  # once is no absence
                    self._reach(is_reached=False)
            else:
                self._reach(is_reached=True)
                return answer
            await asyncio.sleep(pause)
            pause = min(pause * 2, _LONGEST_PAUSE)

    async def close(self) -> None:
        """Close the channel."""
        await self._channel.close()

    def _reach(self, *, is_reached: bool) -> None:
        if is_reached != self.is_reached:
            self.is_reached = is_reached
            for listener in self.listeners:
                listener()


def _reason(error: grpc.aio.AioRpcError) -> str:
    """Return the reason of a refusal, the name of its status code if it has none."""
    status = rpc_status.from_call(error)
    info = error_details_pb2.ErrorInfo()
    for detail in status.details if status is not None else ():
        if detail.Unpack(info):
            return str(info.reason)
    return str(error.code().name)
