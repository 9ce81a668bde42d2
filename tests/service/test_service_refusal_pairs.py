"""Each method, refused for each reason again and again over one connection, which then still answers.

The table beside this file says how each reason is produced, and of which methods. The connection takes fewer calls at
once than are refused, and no garbage is collected: a refusal that is kept, of whichever method, would use up a call.

``python -m tests.service.test_service_refusal_pairs`` writes the table anew.
"""

import gc
import json
import logging
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter, itemgetter
from pathlib import Path
from typing import Any, Final
from unittest import mock

import grpc
import pytest
import structlog
from google.protobuf.message import DecodeError

from referee.evidence.ed25519 import SignerUnavailableError
from referee.server.access import roles
from referee.server.settings.caller_role import CallerRole
from referee.server.settings.limits import LimitSettings
from referee.service.interceptor import CallInterceptor
from referee.storage import ClockError, DataLossError, QueueFullError
from referee.v1 import log_pb2, mau_binh_pb2
from referee.v1.error_reason_pb2 import ErrorReason
from tests.cases.all_cases import REFUSALS
from tests.chaos.ledger import status_of
from tests.chaos.recording import Recorded, record
from tests.driver.messages import METHODS as DESCRIPTORS
from tests.driver.messages import request_type
from tests.narrow_connection import FEWER, STREAMS, TIMES
from tests.service.house import House
from tests.service.refusal_ways import WAYS, Way
from tests.service.refused_callers import CASES, bearing
from tests.status_details import reason_and_field

TABLE: Final = Path(__file__).parent / "refusal_pairs.jsonl"
pytestmark = pytest.mark.usefixtures("quiet_calls")  # a line and a traceback a refusal take longer than the calls
METHODS: Final = sorted(DESCRIPTORS)
KEYS: Final = "/referee.v1.LogService/GetKeys"
FAULTS: Final[Mapping[str, tuple[str, Callable[[], Exception]]]] = {
    "INTERNAL": ("a defect is injected into the method", lambda: ZeroDivisionError("injected")),
    "LOG_DAMAGED": ("a log that contradicts itself is injected", lambda: DataLossError("injected")),
    "LOG_BUSY": ("a full queue of the log is injected", lambda: QueueFullError("injected")),
    "CLOCK_BEHIND": ("a clock that was set back is injected", lambda: ClockError("injected")),
    "SIGNER_UNAVAILABLE": ("a signer that does not answer is injected", lambda: SignerUnavailableError("injected")),
}
"""Faults of the server by reason: how each is produced, and the error."""
NO_LOG: Final = ("RulesetService", "SeatingService")
"""Services that neither read the log nor sign: of these faults they know INTERNAL alone."""
TABLELESS: Final = tuple(f"/referee.v1.{name}" for name in ("LogService/", "RulesetService/", "SeatingService/"))
"""Methods that name no table, but for GetTableRound, whose request was recorded of a table of the test's own."""
ONCE: Final = frozenset({"ADVICE_LOST", "ADVICE_BUSY", "ADVICE_TOO_LONG", "TOO_MANY_CALLS"})
"""Reasons whose prepared state ends with the refusal: each restarts a process or holds another call."""
LASTING: Final = [case for case in CASES if case.reason not in ONCE]
"""Refusals whose prepared state outlasts them."""
Requests = Mapping[str, bytes]
Metadata = Sequence[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Pair:
    """A method, the reason for which it is refused, and how that is produced."""

    method: str
    reason: str
    how: str


def pairs_of(requests: Requests, reason: str, how: str) -> Iterator[tuple[Pair, bytes]]:
    """Yield the pair of each method with its request."""
    for method, data in requests.items():
        yield Pair(method.removeprefix("/referee.v1."), reason, how), data


def changed(recorded: Recorded, way: Way) -> Requests:
    """Return the requests that a way makes of recorded ones, of the methods that it concerns."""
    made = {}
    for method in METHODS:
        message = request_type(method).FromString(recorded[method][0])
        if way.change(message):
            made[method] = message.SerializeToString()
    return made


def injecting(error: Callable[[], Exception]) -> Any:  # noqa: ANN401 - a patch
    """Have every method raise an error that its frame keeps, as a careless method would."""

    def wrap(*_: object) -> Callable[..., bytes]:
        def answer(*call: object) -> bytes:
            kept = [error(), call]
            raise kept[0]  # type: ignore[misc] # an error

        return answer

    return mock.patch.object(CallInterceptor, "_wrap_codec", wrap)


class Line:
    """One connection to a server, on which calls are refused."""

    def __init__(self, house: House, *, metadata: Metadata = ()) -> None:
        self._channel = grpc.insecure_channel(
            f"127.0.0.1:{house.app.port}",
            [("grpc.use_local_subchannel_pool", 1), ("grpc.max_send_message_length", -1), ("grpc.enable_retries", 0)],
        )
        self._metadata = list(metadata)

    def refuse(self, pairs: Iterator[tuple[Pair, bytes]], *, times: int) -> Iterator[tuple[Pair, Counter[str]]]:
        """Make each pair's call so often; yield how the calls ended."""
        gc.collect()
        gc.disable()
        try:
            for pair, data in pairs:
                call: Any = self._channel.unary_unary(f"/referee.v1.{pair.method}")
                yield pair, Counter(self._end_of(call, data) for _ in range(times))
        finally:
            gc.enable()
            self._channel.close()

    def _end_of(self, call: Any, data: bytes) -> str:  # noqa: ANN401 - a method of gRPC
        try:
            answer: bytes = call(data, metadata=self._metadata, timeout=60)
        except grpc.RpcError as error:
            return status_of(error).partition("/")[2] or f"{error.code()}: {error.details()}"
        return reason_in_batch(answer) or "OK"


def reason_in_batch(answer: bytes) -> str:
    """Return the reason for which an answer of SettleRounds refuses its rounds; empty for none."""
    try:
        responses = mau_binh_pb2.MauBinhServiceSettleRoundsResponse.FromString(answer).responses  # as in every game
    except DecodeError:  # an answer of another method
        return ""
    return reason_and_field(responses[0].refused)[0] if responses else ""


@contextmanager
def open_house(folder: Path, **settings: Any) -> Iterator[House]:  # noqa: ANN401 - what ServerOptions takes
    """Start a server whose connections take few calls at once."""
    house = House(folder, streams=STREAMS, **settings)
    try:
        yield house
    finally:
        house.close()


def refused(folder: Path, *, times: int) -> Iterator[tuple[Pair, Counter[str]]]:
    """Have every method refused in every way; yield how the calls of each pair ended."""
    with open_house(folder / "data") as house:
        with grpc.insecure_channel(f"127.0.0.1:{house.app.port}") as channel:
            recorded = record(channel, house.clock.now)
        whole = {method: recorded[method][0] for method in METHODS}
        for way in WAYS:
            yield from Line(house).refuse(pairs_of(changed(recorded, way), way.reason, way.how), times=times)
        bad = dict.fromkeys(METHODS, b"\xff")
        yield from Line(house).refuse(pairs_of(bad, "MALFORMED", "the bytes are no message"), times=times)
        large = dict.fromkeys(METHODS, bytes(1024 * 1024 + 1))
        how = "the message has a byte more than a megabyte"
        yield from Line(house).refuse(pairs_of(large, "MESSAGE_TOO_LARGE", how), times=times)
        room, house.app.pool.queue = house.app.pool.queue, 0
        yield from Line(house).refuse(pairs_of(whole, "OVERLOADED", "no call may wait"), times=times)
        house.app.pool.queue = room
    for reason, (how, error) in FAULTS.items():
        concerned = {
            name: data
            for name, data in whole.items()
            if reason == "INTERNAL" or not name.split("/")[1].endswith(NO_LOG)
        }
        with injecting(error), open_house(folder / "data") as house:
            yield from Line(house).refuse(pairs_of(concerned, reason, how), times=times)
    with open_house(folder / "limited", limits=LimitSettings(calls_at_once=1)) as house:
        admission = house.app.admission
        assert admission is not None
        assert admission.begin("127.0.0.1")
        how = "the caller's one call is under way"
        yield from Line(house).refuse(pairs_of(whole, "TOO_MANY_CALLS", how), times=times)
    yield from _refused_callers(folder, whole, times=times)


def _refused_callers(folder: Path, whole: Requests, *, times: int) -> Iterator[tuple[Pair, Counter[str]]]:
    """Have every method refused by access control."""
    with open_house(folder / "access") as house:
        shown = bearing(house, "auditor")
        guarded = {name: data for name, data in whole.items() if CallerRole.ANYONE not in roles.TABLE[name].roles}
        yield from Line(house).refuse(pairs_of(guarded, "CREDENTIALS_MISSING", "no header"), times=times)
        broken = [("authorization", "Bearer e30.AA")]
        how = "a token that no issuer signed"
        yield from Line(house, metadata=broken).refuse(pairs_of(whole, "CREDENTIALS_INVALID", how), times=times)
        forbidden = {name: data for name, data in whole.items() if CallerRole.AUDITOR not in roles.TABLE[name].roles}
        how = "an auditor asks what is for others"
        yield from Line(house, metadata=shown).refuse(pairs_of(forbidden, "ROLE_FORBIDDEN", how), times=times)
        house.clock.now += 90_000
        other = bearing(house, "frontend")
        theirs = {name: data for name, data in whole.items() if CallerRole.FRONTEND in roles.TABLE[name].roles}
        theirs = {name: data for name, data in theirs.items() if not name.startswith(TABLELESS)}
        how = "a frontend asks about another tenant's table"
        yield from Line(house, metadata=other).refuse(pairs_of(theirs, "TABLE_FORBIDDEN", how), times=times)
        how = "the token's minute is over"
        yield from Line(house, metadata=shown).refuse(pairs_of(whole, "CREDENTIALS_EXPIRED", how), times=times)
        stolen = bearing(house, "auditor", id="stolen")
        how = "the token is in the file of revoked ones"
        yield from Line(house, metadata=stolen).refuse(pairs_of(whole, "CREDENTIALS_REVOKED", how), times=times)
    with open_house(folder / "rate", limits=LimitSettings(calls_per_second=0.001, burst=1)) as house:
        house.log.GetKeys(log_pb2.GetKeysRequest())
        how = "the caller's one call of a quarter of an hour is used up"
        yield from Line(house).refuse(pairs_of(whole, "RATE_LIMITED", how), times=times)


def rows() -> list[Pair]:
    """Return the pairs of the committed table, whose lines have the methods of a reason by their services."""
    return [
        Pair(f"{service}/{name}", row["reason"], row["how"])
        for row in map(json.loads, TABLE.read_text(encoding="utf-8").splitlines())
        for service, names in row["methods"].items()
        for name in names.split()
    ]


def lines_of(pairs: Sequence[Pair]) -> Iterator[str]:
    """Yield the lines of the table of these pairs."""
    for (reason, how), grouped in groupby(pairs, key=attrgetter("reason", "how")):
        methods = groupby((pair.method.split("/") for pair in grouped), key=itemgetter(0))
        named = {service: " ".join(name for _, name in group) for service, group in methods}
        yield json.dumps({"reason": reason, "how": how, "methods": named})


@pytest.mark.slow("calls every method some hundred times")
@FEWER
def test_every_pair_of_a_method_and_a_reason_leaves_its_connection_whole(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """More refusals than streams, all for the pair's reason, and none of them cut off for want of a stream."""
    found = list(refused(tmp_path, times=TIMES))
    assert {pair: dict(ends) for pair, ends in found} == {pair: {pair.reason: TIMES} for pair in rows()}
    with capsys.disabled():
        sys.stdout.write(f"\n{len(found)} pairs of a method and a reason, {TIMES * len(found):,} refusals\n")


@pytest.mark.slow("prepares each refusal of the list")
@FEWER
@pytest.mark.parametrize("case", LASTING, ids=lambda case: f"{case.reason}-{case.prepare.__name__}")
def test_refusal_of_a_prepared_round_leaves_its_connection_whole(tmp_path: Path, case: Any) -> None:  # noqa: ANN401
    """What only one state of a round or of the server brings about, more often than there are streams."""
    with open_house(tmp_path / "data") as house:
        call = case.prepare(house)
        gc.collect()
        gc.disable()
        try:
            assert {house.refusal_of(call).reason for _ in range(TIMES)} == {case.reason}
        finally:
            gc.enable()


def test_table_has_every_method_and_with_the_prepared_rounds_every_reason() -> None:
    table = rows()
    assert list(lines_of(table)) == TABLE.read_text(encoding="utf-8").splitlines()
    assert len(set(table)) == len(table)
    assert {f"/referee.v1.{pair.method}" for pair in table} == set(METHODS)
    named = {pair.reason for pair in table} | {case.reason for case in CASES} | set(REFUSALS)
    assert named == {name.removeprefix("ERROR_REASON_") for name in ErrorReason.keys()} - {"UNSPECIFIED"}  # noqa: SIM118 - no dict


def main() -> None:
    """Write the table from one refusal of each pair; end with the pairs that are refused for another reason."""
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))
    with tempfile.TemporaryDirectory() as folder:
        found = list(refused(Path(folder), times=1))
    wrong = [(pair, dict(ends)) for pair, ends in found if set(ends) != {pair.reason}]
    TABLE.write_text("\n".join([*lines_of([pair for pair, _ in found]), ""]), encoding="utf-8")
    for pair, ends in wrong:
        sys.stdout.write(f"{pair.method} {pair.reason}: {ends}\n")
    sys.stdout.write(f"{len(found)} pairs\n")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
