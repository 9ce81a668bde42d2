"""Servers on which cases run: the harness, and a server that deals by itself."""

import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import grpc
from google.rpc import error_details_pb2
from grpc_status import rpc_status
from nacl.signing import SigningKey

from referee.adviser.servicers import advise_in_process
from referee.audit import AuditTerms, AuditTime, MemoryLog, Report, TrustedKeys, audit_log
from referee.evidence.dsse import Envelope
from referee.rulesets import Catalogue, load_builtin
from referee.server.process.app import Application
from referee.server.process.options import ServerOptions
from referee.server.settings.configuration import Configuration, LogSettings, ServeSettings
from referee.v1 import log_pb2, log_pb2_grpc
from referee_harness.cases.engine import Driver
from referee_harness.cases.rows import Case
from referee_harness.cases.wire import Caller, Refusal, Refused, WireRound
from referee_harness.clock import Clock
from referee_harness.harness import Harness

ORIGIN: Final = "harness.invalid/dealt"


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
            refused = refusal_of(error)
        raise Refused(refused)

    def sign(self, key: bytes, statement: bytes) -> bytes:
        """Sign a statement."""
        return SigningKey(key).sign(statement).signature


def refusal_of(error: Any) -> Refusal:  # noqa: ANN401 - grpc's own call
    """Return the refusal that an error of a call carries."""
    info, bad = error_details_pb2.ErrorInfo(), error_details_pb2.BadRequest()
    status = rpc_status.from_call(error)
    for detail in status.details if status else ():
        detail.Unpack(info)
        detail.Unpack(bad)
    fields = [violation.field for violation in bad.field_violations]
    return Refusal(error.code().name, info.reason, fields[0] if fields else "", dict(info.metadata))


class Served:
    """A server at an address, its clock that is moved, and, of a harness, what scripts its deals."""

    def __init__(self, address: str, clock: Clock, script: Callable[..., None] | None = None) -> None:
        self.address, self.is_harness = address, script is not None
        self.channel = grpc.insecure_channel(address, [("grpc.max_send_message_length", -1)])
        self.log = log_pb2_grpc.LogServiceStub(self.channel)
        self._clock, self._script = clock, script

    def now(self) -> int:
        """Return the time."""
        return self._clock()

    def set_now(self, now: int) -> None:
        """Set the time."""
        self._clock.set(now)

    def script(self, deck: Mapping[str, Any], table: str) -> None:
        """Script the next deal of a table."""
        if self._script is None:
            raise ValueError(f"nobody chooses the cards of {self.address}, and a script was given for {table}")
        self._script(deck, table_id=table)

    def mark(self, driver: Driver) -> object:
        """Return the leaves of the driver's round but the REVEAL, which may follow at any time."""
        return [one for one in types_of(self.log, driver) if one != "REVEAL"]

    def leaves(self, driver: Driver) -> list[str]:
        """Return the types of the round's leaves."""
        return types_of(self.log, driver)


def types_of(log: Any, driver: Driver) -> list[str]:  # noqa: ANN401 - a stub
    """Return the types of a round's leaves in order, such as OPEN; none where the table has no such round."""
    if not driver.number:
        return []
    name = {"table_id": driver.table, "round_number": driver.number}
    leaves = log.GetTableRound(log_pb2.GetTableRoundRequest(round=name)).leaves
    types = [Envelope.parse(one.leaf).payload_type for one in leaves]
    return [one.removeprefix("application/vnd.referee.").partition(".")[0].upper() for one in types]


@contextmanager
def serve_scripted(catalogue: Catalogue | None = None) -> Iterator[Served]:
    """Run a harness whose clock does not run."""
    clock = Clock(is_running=False)
    with Harness(clock=clock, catalogue=catalogue) as harness:
        served = Served(harness.grpc, clock, harness.script)
        yield served
        served.channel.close()


@contextmanager
def serve_dealing() -> Iterator[Served]:
    """Run a server that deals by itself, with a clock that does not run and an empty log."""
    clock = Clock(is_running=False)
    with tempfile.TemporaryDirectory(prefix="referee-harness-") as folder:
        configuration = Configuration(
            serve=ServeSettings(listen="127.0.0.1:0", drain_lead=0.0),
            log=LogSettings(data=str(Path(folder) / "data"), origin=ORIGIN),
        )
        options = ServerOptions(
            configuration=configuration, catalogue=load_builtin(), clock=clock, advise=advise_in_process
        )
        application = Application(options).start()
        served = Served(f"127.0.0.1:{application.port}", clock)
        try:
            yield served
        finally:
            served.channel.close()
            application.close()


def may_set_back(case: Case) -> bool:
    """Whether the clock goes back, which that of these servers never does."""
    return any(str(step.get("at", "")).startswith("now-") for step in case.steps)


def by_calls(world: Any, caller: Caller | None = None) -> Callable[[Case, str], WireRound]:  # noqa: ANN401 - a World with a channel
    """Return what plays a case on a server by calls, over its channel unless another caller is given."""
    return lambda case, table: WireRound(case, table, caller or Channel(world.channel), now=world.now)


def audit_of(server: Served) -> Report:
    """Audit the log of a server by its own keys."""
    row = log_of(server)
    log = MemoryLog(checkpoint=row["checkpoint"].encode(), entries=tuple(leaf.encode() for leaf in row["leaves"]))
    terms = AuditTerms(origin=row["origin"], catalogue=load_builtin())
    keys = TrustedKeys(log=row["log_key"], root=row["root_key"], named_root="")
    return audit_log(log, terms, keys, AuditTime(now=row["now"], as_of=row["now"]))


def log_of(server: Served) -> dict[str, Any]:
    """Return a server's log, its keys and the time, as a verifier reads them."""
    keys = server.log.GetKeys(log_pb2.GetKeysRequest())
    checkpoint = server.log.GetCheckpoint(log_pb2.GetCheckpointRequest()).checkpoint
    size, leaves = int(checkpoint.splitlines()[1]), list[bytes]()
    while len(leaves) < size:
        leaves += server.log.ListEntries(log_pb2.ListEntriesRequest(start=len(leaves))).leaves
    return {
        "origin": keys.origin,
        "log_key": keys.log_key,
        "root_key": keys.root_key,
        "checkpoint": checkpoint,
        "leaves": [leaf.decode() for leaf in leaves[:size]],
        "now": server.now(),
    }
