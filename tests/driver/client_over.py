"""A client of the SDK over a channel of the test's own: one that records, counts, or repeats nothing."""

from typing import Any

import grpc
from referee_client import Client, RefereeError
from referee_client.line import Answer, BlockingLine
from referee_client.session import Session


class _Line(BlockingLine):
    """Line whose calls have a timeout and are refused as by a client's own channel, with the call as the cause."""

    def __init__(self, channel: grpc.Channel, seconds: float) -> None:
        super().__init__(channel)
        self._seconds = seconds

    async def ask(self, method: str, request: Any, kind: type[Answer], *, seconds: float | None = None) -> Answer:  # noqa: ANN401 - any message
        try:
            return await super().ask(method, request, kind, seconds=seconds or self._seconds)
        except grpc.RpcError as error:
            raise RefereeError.of(error, method=method) from error  # type: ignore[arg-type] # it is the call too


def client_over(channel: grpc.Channel, *, seconds: float = 60) -> Client:
    """Return a client whose calls take this channel, which stays the caller's to close; nothing is retried."""
    client = Client("unix:never-dialled")
    client.channel.close()
    client.channel = channel
    client._session = Session(_Line(channel, seconds), None, timeout=0)  # noqa: SLF001 - a client makes its channel itself
    return client
