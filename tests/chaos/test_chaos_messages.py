"""Malformed messages: what comes back is an answer or a documented refusal, and nothing else. Finds became vectors.

Allowed are OK and every reason of ``error_reason.proto`` with its own status code, but for those that blame the server.
At the end a round can be played, and the log that the messages left audits clean. The work for one message is counted
in calls of functions, not in time, so that a busy machine finds nothing more.
"""

import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final
from unittest import mock

import grpc
import pytest
from hypothesis import HealthCheck, Phase, find, given, settings

from referee.log.slot import LAST_TIME
from referee.server.settings.advice import AdviceSettings
from referee.service.interceptor import CallInterceptor
from referee.service.status import CODES
from referee.v1 import round_pb2, shuffler_pb2, tien_len_pb2
from referee.v1.error_reason_pb2 import ErrorReason
from tests.budget import examples, sample
from tests.chaos.ledger import HANG_SECONDS, status_of
from tests.chaos.malformed import MANY, Request, parse, requests, serialize
from tests.chaos.recording import Recorded, record
from tests.chaos.report import SHARE, Report
from tests.driver.driver import settle
from tests.driver.messages import GAMES, METHODS
from tests.driver.running import Running
from tests.vectors.reading import each

OURS: Final = frozenset({"INTERNAL", "LOG_DAMAGED", "LOG_BUSY", "OVERLOADED", "SIGNER_UNAVAILABLE"})
"""Reasons that no message may bring about."""
EVERY: Final = {ErrorReason.Name(one).removeprefix("ERROR_REASON_"): code for one, code in CODES.items()}
"""The code of each reason."""
MOST_CALLS: Final = 1_000_000
"""Limit of function calls for one message of at most a megabyte."""
MESSAGES: Final = 100_000
"""How many a run of everything sends."""


class Served(Running):
    """A server whose methods are called with bytes, one after the other; ``calls`` counts those of functions in it."""

    calls = 0

    def __init__(self, folder: Path) -> None:
        threading.setprofile(self._count)  # of each thread that starts from now on
        super().__init__(folder, advice=AdviceSettings(seconds=300))
        self.recorded: Recorded = {}
        self._line: Any = grpc.insecure_channel(f"127.0.0.1:{self.app.port}", [("grpc.max_send_message_length", -1)])

    def _count(self, _frame: object, event: str, _argument: object) -> None:
        self.calls += event in {"call", "c_call"}

    def outcome_of(self, method: str, data: bytes) -> tuple[str, str]:
        """Return how a call ends, ``OK`` or code and reason; and what is wrong with that, empty for nothing."""
        self.calls, status, wrong = 0, "OK", ""
        try:
            self._line.unary_unary(method)(data, timeout=HANG_SECONDS)
        except grpc.RpcError as error:
            status = status_of(error)
            code, _, reason = status.partition("/")
            is_known = reason in EVERY and reason not in OURS and EVERY[reason] == grpc.StatusCode[code].value[0]
            wrong = "" if is_known else str(error)
        if self.calls > MOST_CALLS:
            wrong += f"{self.calls:,} calls of functions for {len(data)} bytes"
        return status, wrong

    def close(self) -> None:
        """Stop the server."""
        threading.setprofile(None)
        self._line.close()
        super().close()


@contextmanager
def served(folder: Path) -> Iterator[Served]:
    server = Served(folder)
    try:
        yield server
    finally:
        server.close()


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory, quiet_calls: None) -> Iterator[Served]:  # noqa: ARG001 - no lines of calls
    """One server for the tests of this module, and real requests of all its methods."""
    with served(tmp_path_factory.mktemp("messages")) as server:
        server.recorded = record(server.channel, server.clock.now)
        yield server


@pytest.fixture(scope="module")
def unplayed(tmp_path_factory: pytest.TempPathFactory, quiet_calls: None) -> Iterator[Served]:  # noqa: ARG001 - no lines of calls
    """Start a server on which no round was played."""
    with served(tmp_path_factory.mktemp("unplayed")) as server:
        yield server


@pytest.mark.smaller(f"some thousand messages; `make chaos` sends {MESSAGES:,}")
@pytest.mark.timeout(3600)
def test_malformed_messages_are_answered_or_refused_with_a_reason(tmp_path: Path, chaos_report: Report) -> None:
    """Rounds can be played afterwards, and the log that is left audits clean."""
    count, statuses, most = round(MESSAGES * SHARE) or examples(1_000), Counter[str](), [0]
    with served(tmp_path / "data") as server:
        recorded = record(server.channel, server.clock.now)

        @given(requests(recorded))
        @settings(max_examples=count, database=None, suppress_health_check=list(HealthCheck))
        def send(request: Request) -> None:
            status, wrong = server.outcome_of(*request)
            statuses[status] += 1
            most[0] = max(most[0], server.calls)
            assert wrong == ""

        send()
        for game in GAMES:
            settle(server.driver.play("after", game))
        assert server.audit().is_clean
        size = server.size
    said = ", ".join(f"{number:,} x {status}" for status, number in statuses.most_common())
    lines = [f"messages: {said}", f"most calls of functions for one: {most[0]:,}", f"leaves in the log: {size}"]
    chaos_report.add("Malformed messages", ["## Malformed messages", "", *[f"- {line}" for line in lines], ""])
    assert 0 < statuses["OK"] < count / 2
    assert len(statuses) > sample(10, whole=12)


def fail(_: bytes, _context: grpc.ServicerContext) -> bytes:
    raise KeyError("broken on purpose")


def refuse(_: bytes, context: grpc.ServicerContext) -> bytes:
    context.abort(grpc.StatusCode.UNKNOWN, "no reason")
    return b""


def work(data: bytes, _context: grpc.ServicerContext) -> bytes:
    for _ in range(MOST_CALLS):
        len(data)
    return b""


@pytest.mark.parametrize(
    ("answer", "words"),
    [(fail, "broken on purpose"), (refuse, "no reason"), (work, "calls of functions")],
)
@pytest.mark.usefixtures("quiet_calls")
def test_server_that_fails_is_caught(tmp_path: Path, answer: Callable[..., bytes], words: str) -> None:
    """A method that raises, one that refuses without a reason, and one that works without end."""
    with mock.patch.object(CallInterceptor, "_wrap", return_value=answer), served(tmp_path) as server:
        _, wrong = server.outcome_of("/referee.v1.LogService/GetKeys", b"")
    assert words in wrong


def test_every_method_is_recorded_and_answered(recording: Served) -> None:
    """What is changed is lawful: of each method a recorded request is answered once more."""
    assert sorted(recording.recorded) == sorted(METHODS)
    for method, sent in recording.recorded.items():
        assert any(recording.outcome_of(method, one) == ("OK", "") for one in sent), method


def test_parsed_messages_serialize_to_themselves(recording: Served) -> None:
    """The wire format as it is written in the tests, against the one that real requests have."""
    for sent in recording.recorded.values():
        for data in sent:
            assert serialize(parse(data)) == data


def test_drawn_lists_reach_a_hundred_thousand_entries(recording: Served) -> None:
    shrinking = settings(max_examples=20_000, database=None, phases=[Phase.generate])
    _, data = find(requests(recording.recorded), lambda one: len(one.data) >= MANY, settings=shrinking)
    assert len(data) >= MANY


def refused(recording: Served, method: str, message: Any) -> str:  # noqa: ANN401 - a request of any method
    """Return how a message is refused."""
    status, wrong = recording.outcome_of(f"/referee.v1.{method}", message.SerializeToString())
    assert wrong == ""
    return status


def sent(recording: Served, method: str) -> bytes:
    return recording.recorded[f"/referee.v1.{method}"][0]


def test_event_at_a_time_beyond_all_clocks_is_an_invalid_field(recording: Served) -> None:
    """Its neighbour's time is compared with it, and no number of the answer could say it."""
    settled = sent(recording, "TienLenService/SettleRound")
    request = tien_len_pb2.TienLenServiceSettleRoundRequest.FromString(settled)
    for late in (LAST_TIME + 1, 2**63, 2**64 - 1):
        request.round.events[0].time = late
        assert refused(recording, "TienLenService/SettleRound", request) == "INVALID_ARGUMENT/INVALID_FIELD"


def test_header_with_more_seats_than_a_deck_serves_is_an_invalid_header(recording: Served) -> None:
    previewed = sent(recording, "TienLenService/PreviewRound")
    request = tien_len_pb2.TienLenServicePreviewRoundRequest.FromString(previewed)
    request.round.header.seat_keys.extend([bytes(32)] * 3)
    assert refused(recording, "TienLenService/PreviewRound", request) == "INVALID_ARGUMENT/INVALID_HEADER"


def test_abort_of_an_aborted_round_is_answered_for_its_own_reason_alone(recording: Served) -> None:
    request = shuffler_pb2.AbortRoundRequest.FromString(sent(recording, "ShufflerService/AbortRound"))
    assert refused(recording, "ShufflerService/AbortRound", request) == "OK"
    request.reason = shuffler_pb2.ABORT_REASON_DEADLINE
    assert refused(recording, "ShufflerService/AbortRound", request) == "FAILED_PRECONDITION/ABORTED"


@pytest.mark.parametrize(
    ("method", "request_"),
    [
        ("ShufflerService/OpenRound", {"header": round_pb2.RoundHeader(seat_keys=[b""] * MANY)}),
        ("ShufflerService/PrepareRound", {"terms": shuffler_pb2.RoundTerms(seat_keys=[b""] * MANY, table_id="t")}),
        ("TienLenService/CheckPlays", {"requests": [tien_len_pb2.CheckPlayRequest()] * MANY}),
    ],
)
def test_work_for_a_hundred_thousand_entries_is_bounded(
    recording: Served, method: str, request_: dict[str, Any]
) -> None:
    """A megabyte of seats, of keys or of requests is refused before it is looked at one by one."""
    kinds = (shuffler_pb2.OpenRoundRequest, shuffler_pb2.PrepareRoundRequest, tien_len_pb2.CheckPlaysRequest)
    kind: Any = next(one for one in kinds if one.__name__.removesuffix("Request") in method)
    refused(recording, method, kind(**request_))
    assert recording.calls < 10_000


@each("malformed/requests")
def test_malformed_request_is_answered_as_the_vectors_say(unplayed: Served, row: dict[str, Any]) -> None:
    """The server's log holds nothing but its keys."""
    data = b"".join(bytes.fromhex(part["hex"]) * part["times"] for part in row["parts"])
    status, wrong = unplayed.outcome_of(f"/referee.v1.{row['method']}", data)
    assert (status, wrong) == ("OK" if row["code"] == "OK" else f"{row['code']}/{row['reason']}", "")


def test_reasons_that_blame_the_server_are_reasons_of_the_proto() -> None:
    assert EVERY.keys() > OURS
