"""Repeating calls until a server that is away answers them.

Every call of a round may be repeated, as ``round`` says, but for an event: the round itself sends that again, since it
may have a receipt by then, and repeats the opening of its cards by itself.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Final, Protocol, TypeVar

import grpc
from google.protobuf.message import Message

from referee_client.errors import RefereeError
from referee_client.line import AioLine, Answer, Line, Lock, Result

Answered = TypeVar("Answered")

_AWAY: Final = frozenset({grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED, grpc.StatusCode.CANCELLED})
_BUSY: Final = frozenset({"OVERLOADED", "LOG_BUSY", "TOO_MANY_CALLS", "ADVICE_BUSY", "ADVICE_LOST"})
"""Reasons of a server that is there and can answer later."""
_TOO_LONG: Final = "ADVICE_TOO_LONG"
"""Reason of a question that takes more than the server's time for advice, whenever it is asked."""
FIRST_PAUSE: Final = 0.05
LONGEST_PAUSE: Final = 1.0
"""Seconds between the first attempts of a call, and the most between later ones."""


def may_pass(error: RefereeError) -> bool:
    """Return whether the same call may be answered later: the server was away, late or busy."""
    return error.reason != _TOO_LONG and (error.code in _AWAY or error.reason in _BUSY)


class Asking(Protocol):
    """What a call is repeated with: a ``Session``."""

    line: Line
    timeout: float


async def until_answered(session: Asking, call: Callable[[], Awaitable[Answered]]) -> Answered:
    """Make a call again until it is answered; raise its last error at the client's timeout, or if it is refused."""
    ends, pause = time.monotonic() + session.timeout, FIRST_PAUSE
    while True:
        try:
            return await call()
        except RefereeError as error:
            if not may_pass(error) or time.monotonic() + pause > ends:
                raise
        await session.line.run(partial(time.sleep, pause))
        pause = min(2 * pause, LONGEST_PAUSE)


class Repeating:
    """Repeats calls until they are answered. ``on_reach`` is called when the server cannot be reached, and when it can.

    ``is_reached``: the last call was answered. One call without an answer is no absence yet.
    """

    def __init__(self, on_reach: Callable[[bool], None]) -> None:
        self.is_reached = True
        self._on_reach = on_reach

    async def until_answered(self, call: Callable[[], Awaitable[Answered]]) -> Answered:
        """Make the call until it is answered; raise RefereeError if it is refused for good."""
        pause = FIRST_PAUSE
        while True:
            try:
                answer = await call()
            except RefereeError as error:
                if not may_pass(error):
                    raise
                if pause > FIRST_PAUSE and error.reason not in _BUSY:
                    self._reach(is_reached=False)
            else:
                self._reach(is_reached=True)
                return answer
            await asyncio.sleep(pause)
            pause = min(pause * 2, LONGEST_PAUSE)

    def _reach(self, *, is_reached: bool) -> None:
        if is_reached != self.is_reached:
            self.is_reached = is_reached
            self._on_reach(is_reached)


class RepeatingLine:
    """Line that waits for its server with every call but an event."""

    def __init__(self, line: AioLine, repeating: Repeating) -> None:
        self._line, self._repeating = line, repeating

    async def ask(self, method: str, request: Message, kind: type[Answer], *, seconds: float | None = None) -> Answer:
        """Send a request until it is answered, and return the response."""
        if method.endswith("/AcceptEvent"):
            return await self._line.ask(method, request, kind, seconds=seconds)
        return await self._repeating.until_answered(lambda: self._line.ask(method, request, kind, seconds=seconds))

    async def run(self, work: Callable[[], Result]) -> Result:
        """Run the function as the line does."""
        return await self._line.run(work)

    def lock(self) -> Lock:
        """Return a lock of the line."""
        return self._line.lock()
