"""A server that deals by itself, in this process, whose clock can also be set back."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from referee_harness.cases.engine import Driver
from referee_harness.cases.servers import Channel, types_of

from referee.v1 import log_pb2_grpc, shuffler_pb2
from tests.driver.running import Running


class Plain:
    """A server on which cases run."""

    is_harness = False

    def __init__(self, running: Running) -> None:
        self.running, self.channel = running, running.channel
        self._log = log_pb2_grpc.LogServiceStub(running.channel)

    def now(self) -> int:
        """Return the time."""
        return self.running.clock.now

    def set_now(self, now: int) -> None:
        """Set the time."""
        self.running.clock.now = now

    def script(self, deck: Mapping[str, Any], table: str) -> None:
        """Refuse: nobody chooses its cards."""
        raise AssertionError(table, deck)

    def mark(self, driver: Driver) -> object:
        """Return the checkpoint once the seeds of the driver's rounds that ended are in the log."""
        types = types_of(self._log, driver)
        if types and types[-1] in {"SETTLE", "ABORT"}:
            name = {"table_id": driver.table, "round_number": driver.number}
            request = shuffler_pb2.RevealRoundRequest(round=name)
            method = "/referee.v1.ShufflerService/RevealRound"
            Channel(self.channel).call(method, request, shuffler_pb2.RevealRoundResponse)
        return self.running.checkpoint()

    def leaves(self, driver: Driver) -> list[str]:
        """Return the types of the round's leaves."""
        return types_of(self._log, driver)


@contextmanager
def plain_world(folder: Path, **settings: Any) -> Iterator[Plain]:  # noqa: ANN401 - what Running takes
    """Run a server that deals by itself."""
    running = Running(folder, **settings)
    try:
        yield Plain(running)
    finally:
        running.close()
