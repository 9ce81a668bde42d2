"""Servers on which cases run, in this process: one that deals by itself, and the harness."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import grpc
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from google.rpc import error_details_pb2
from grpc_status import rpc_status
from referee_harness import Clock, Harness
from referee_harness.cases.engine import Driver
from referee_harness.cases.rows import Case
from referee_harness.cases.wire import Refusal, Refused, WireRound

from referee.evidence.dsse import Envelope
from referee.rulesets import Catalogue
from referee.v1 import log_pb2, log_pb2_grpc, shuffler_pb2
from tests.driver.running import Running

_REVEALED: Final = "REVEAL"


class Channel:
    """A caller that sends requests by the bare methods of a channel, and signs as a seat's own device does."""

    def __init__(self, channel: Any) -> None:  # noqa: ANN401 - a channel, or a wrapper of one
        self._channel = channel

    def call(self, method: str, request: Any, answer: type[Any]) -> Any:  # noqa: ANN401 - an answer of any method
        """Call a method and return its answer; raise Refused."""
        ask = self._channel.unary_unary(
            method, request_serializer=type(request).SerializeToString, response_deserializer=answer.FromString
        )
        try:
            return ask(request, timeout=60)
        except grpc.RpcError as error:
            raise refusal_of(error) from None

    def sign(self, key: bytes, statement: bytes) -> bytes:
        """Sign a statement."""
        return Ed25519PrivateKey.from_private_bytes(key).sign(statement)


def refusal_of(error: Any) -> Refused:  # noqa: ANN401 - grpc's own call
    """Return the refusal that an error of a call carries."""
    info, bad = error_details_pb2.ErrorInfo(), error_details_pb2.BadRequest()
    status = rpc_status.from_call(error)
    for detail in status.details if status else ():
        detail.Unpack(info)
        detail.Unpack(bad)
    fields = [violation.field for violation in bad.field_violations]
    return Refused(Refusal(error.code().name, info.reason, fields[0] if fields else "", dict(info.metadata)))


class Plain:
    """A server that deals by itself, whose clock can also be set back."""

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
        if types_of(self._log, driver) and types_of(self._log, driver)[-1] in {"SETTLE", "ABORT"}:
            name = {"table_id": driver.table, "round_number": driver.number}
            request = shuffler_pb2.RevealRoundRequest(round=name)
            Channel(self.channel).call(
                "/referee.v1.ShufflerService/RevealRound", request, shuffler_pb2.RevealRoundResponse
            )
        return self.running.checkpoint()

    def leaves(self, driver: Driver) -> list[str]:
        """Return the types of the round's leaves."""
        return types_of(self._log, driver)


class Scripted:
    """The harness."""

    is_harness = True

    def __init__(self, harness: Harness) -> None:
        self.harness = harness
        self.channel = grpc.insecure_channel(harness.grpc, [("grpc.max_send_message_length", -1)])
        self._log = log_pb2_grpc.LogServiceStub(self.channel)

    def now(self) -> int:
        """Return the time."""
        return self.harness.clock()

    def set_now(self, now: int) -> None:
        """Set the time."""
        self.harness.clock.set(now)

    def script(self, deck: Mapping[str, Any], table: str) -> None:
        """Script the next deal of a table."""
        self.harness.script(deck, table_id=table)

    def mark(self, driver: Driver) -> object:
        """Return the leaves of the driver's round but the REVEAL, which may follow at any time."""
        return [one for one in types_of(self._log, driver) if one != _REVEALED]

    def leaves(self, driver: Driver) -> list[str]:
        """Return the types of the round's leaves."""
        return types_of(self._log, driver)


def types_of(log: Any, driver: Driver) -> list[str]:  # noqa: ANN401 - a stub
    """Return the types of a round's leaves in order, such as OPEN; none where the table has no such round."""
    if not driver.number:
        return []
    name = {"table_id": driver.table, "round_number": driver.number}
    leaves = log.GetTableRound(log_pb2.GetTableRoundRequest(round=name)).leaves
    types = [Envelope.parse(one.leaf).payload_type for one in leaves]
    return [one.removeprefix("application/vnd.referee.").partition(".")[0].upper() for one in types]


@contextmanager
def plain_world(folder: Path, **settings: Any) -> Iterator[Plain]:  # noqa: ANN401 - what Running takes
    """Run a server that deals by itself."""
    running = Running(folder, **settings)
    try:
        yield Plain(running)
    finally:
        running.close()


@contextmanager
def scripted_world(catalogue: Catalogue | None = None) -> Iterator[Scripted]:
    """Run a harness whose clock does not run."""
    with Harness(clock=Clock(is_running=False), catalogue=catalogue) as harness:
        world = Scripted(harness)
        yield world
        world.channel.close()


def by_calls(world: Plain | Scripted) -> Callable[[Case, str], WireRound]:
    """Return what plays a case on a server by calls."""
    return lambda case, table: WireRound(case, table, Channel(world.channel), now=world.now)
