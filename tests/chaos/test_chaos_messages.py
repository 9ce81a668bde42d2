"""Malformed messages: some thousands in the ordinary suite, every find of the long runs, and a server that fails."""

import random
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import grpc
import pytest
import structlog
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from referee.log.slot import LAST_TIME
from referee.server.clock import system_clock
from referee.server.settings.advice import AdviceSettings
from referee.service.status import CODES
from referee.v1 import round_pb2, shuffler_pb2, tien_len_pb2
from referee.v1.error_reason_pb2 import ErrorReason
from tests.budget import examples
from tests.chaos.fault_messages import (
    MOST_CALLS,
    OURS,
    REFUSED,
    Fuzzed,
    counted,
    fuzz,
    fuzz_over_socket,
    messages,
    outcome_of,
    room_for,
)
from tests.chaos.in_process import EndedError, InProcess, running
from tests.chaos.mutation import MANY, Mutator, parse, serialize
from tests.chaos.recording import Recorded, record
from tests.chaos.shapes import messages_of
from tests.driver.messages import METHODS
from tests.driver.running import Clock
from tests.server.options import server_options
from tests.vectors.reading import each


@dataclass(frozen=True)
class Recording:
    """A server in process, with real requests of all its methods."""

    server: InProcess
    requests: Recorded


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory, quiet_calls: None) -> Iterator[Recording]:  # noqa: ARG001 - no lines of calls
    """One server for the tests of this module."""
    clock = Clock(system_clock())
    made = server_options(
        data=tmp_path_factory.mktemp("messages"),
        listen="127.0.0.1:0",
        clock=clock,
        entropy=chance(7).randbytes,
        advice=AdviceSettings(seconds=300),
    )
    with running(made) as server:
        yield Recording(server, record(server, clock, seed=7))


@pytest.fixture(scope="module")
def unplayed(tmp_path_factory: pytest.TempPathFactory, quiet_calls: None) -> Iterator[InProcess]:  # noqa: ARG001 - no lines of calls
    """Start a server on which no round was played."""
    with running(server_options(data=tmp_path_factory.mktemp("unplayed"))) as server:
        yield server
    structlog.reset_defaults()


def chance(seed: int) -> random.Random:
    """Record requests that are the same in every run."""
    return random.Random(seed)  # noqa: S311 - keys of tests, and what is sent


def clean(fuzzed: Fuzzed, *, count: int) -> None:
    """So many messages, most of them refused, and nothing found."""
    assert [(one.method, one.what, one.data[:200].hex()) for one in fuzzed.finds] == []
    assert fuzzed.sent == count
    assert 0 < fuzzed.statuses["OK"] < count / 2
    assert len(fuzzed.statuses) > 12


@pytest.mark.timeout(600)
def test_malformed_messages_are_answered_or_refused_with_a_reason(tmp_path: Path) -> None:
    """A round can be played afterwards, and the log that is left audits clean."""
    room, count = room_for(tmp_path, "data"), examples(1_000)
    try:
        clean(fuzz(room, count=count, seed=20_261_121), count=count)
    finally:
        shutil.rmtree(room, ignore_errors=True)


@pytest.mark.timeout(600)
def test_malformed_messages_over_a_socket_get_an_answer_or_a_reason(tmp_path: Path) -> None:
    count = examples(200)
    clean(fuzz_over_socket(tmp_path, count=count, seed=1), count=count)


@pytest.mark.slow("sends tens of thousands of malformed messages")
@pytest.mark.timeout(1500)
@pytest.mark.parametrize("seed", [1, 2])
def test_many_malformed_messages_are_answered_or_refused_with_a_reason(tmp_path: Path, seed: int) -> None:
    room = room_for(tmp_path, "data")
    try:
        clean(fuzz(room, count=60_000, seed=seed), count=60_000)
    finally:
        shutil.rmtree(room, ignore_errors=True)


def test_server_that_fails_on_some_messages_is_caught(tmp_path: Path) -> None:
    """The same run finds a method that raises, one that refuses without a reason, and one that works without end."""

    def spoil(server: InProcess) -> None:
        really, endless = server.call, [None]

        def call(method: str, data: bytes) -> bytes:
            if method.endswith("GetKeys") and len(data) > 3:
                raise KeyError(method)
            if method.endswith("ListEntries") and len(data) > 8:
                raise EndedError(grpc.StatusCode.UNKNOWN, "no reason", "")
            if sys.getprofile() is not None and endless:
                endless.clear()
                for _ in range(MOST_CALLS):
                    len(data)
            return really(method, data)

        server.call = call  # type: ignore[method-assign] # broken on purpose

    room = room_for(tmp_path, "data")
    try:
        found = {
            one.what.partition("(")[0].partition(" ")[0] for one in fuzz(room, count=1_500, seed=3, broken=spoil).finds
        }
    finally:
        shutil.rmtree(room, ignore_errors=True)
    assert {"KeyError", "UNKNOWN/:"} <= found
    assert any(one.replace(",", "").isdigit() for one in found)


def test_every_method_is_recorded_and_answered(recording: Recording) -> None:
    """What mutation starts from is lawful: each recorded request is answered once more, or says why not."""
    assert sorted(recording.requests) == sorted(METHODS) == recording.server.methods
    for method, sent in recording.requests.items():
        assert any(outcome_of(recording.server, method, one) == ("OK", "") for one in sent), method


def test_mutation_repeats_itself_by_its_seed_and_changes_most_messages(recording: Recording) -> None:
    """A find can be made again from the seed that is printed; and little of what is sent is a lawful message."""
    made = [messages(recording.requests, chance(4)) for _ in range(2)]
    once, again = ([next(one) for _ in range(500)] for one in made)
    assert once == again
    known = {(method, data) for method, sent in recording.requests.items() for data in sent}
    assert sum(one in known for one in once) < 50
    largest = max(len(data) for _, data in once)
    assert largest > 1000


def test_parsed_messages_serialize_to_themselves(recording: Recording) -> None:
    """The wire format as it is written in the tests, against the one that real requests have."""
    for sent in recording.requests.values():
        for data in sent:
            fields = parse(data)
            assert fields is not None
            assert serialize(fields) == data


def test_mutated_lists_reach_a_hundred_thousand_entries(recording: Recording) -> None:
    corpus = [one for sent in recording.requests.values() for one in sent]
    mutator, found = Mutator(corpus, chance(9)), 0
    for number in range(20_000):
        found = max(found, len(mutator.mutate(corpus[number % len(corpus)])))
        if found >= MANY:
            break
    assert found >= MANY


@given(st.data())
@settings(max_examples=examples(40), suppress_health_check=list(HealthCheck))
def test_messages_of_the_right_shape_are_answered_or_refused_with_a_reason(
    recording: Recording, data: st.DataObject
) -> None:
    """Any fields of any values, down to messages within messages."""
    method = data.draw(st.sampled_from(sorted(METHODS)))
    message = data.draw(messages_of(METHODS[method].input_type))
    assert outcome_of(recording.server, method, message.SerializeToString())[1] == ""


def refused(recording: Recording, method: str, message: Any) -> str:  # noqa: ANN401 - a request of any method
    """How a message is refused."""
    status, wrong = outcome_of(recording.server, f"/referee.v1.{method}", message.SerializeToString())
    assert wrong == ""
    return status


def test_event_at_a_time_beyond_all_clocks_is_an_invalid_field(recording: Recording) -> None:
    """Its neighbour's time is compared with it, and no number of the answer could say it."""
    sent = recording.requests["/referee.v1.TienLenService/SettleRound"]
    settled = map(tien_len_pb2.TienLenServiceSettleRoundRequest.FromString, sent)
    request = next(one for one in settled if one.round.events)  # not won at the deal
    for late in (LAST_TIME + 1, 2**63, 2**64 - 1):
        request.round.events[0].time = late
        assert refused(recording, "TienLenService/SettleRound", request) == "INVALID_ARGUMENT/INVALID_FIELD"
    request.round.events[0].time = LAST_TIME
    assert refused(recording, "TienLenService/SettleRound", request) == "OK", "it is unlawful, which is an answer"


def test_header_with_more_seats_than_a_deck_serves_is_an_invalid_header(recording: Recording) -> None:
    sent = recording.requests["/referee.v1.TienLenService/PreviewRound"]
    request = tien_len_pb2.TienLenServicePreviewRoundRequest.FromString(sent[0])
    request.round.header.seat_keys.extend([bytes(32)] * 3)
    assert refused(recording, "TienLenService/PreviewRound", request) == "INVALID_ARGUMENT/INVALID_HEADER"


def test_abort_of_an_aborted_round_is_answered_for_its_own_reason_alone(recording: Recording) -> None:
    (sent,) = recording.requests["/referee.v1.ShufflerService/AbortRound"]
    request = shuffler_pb2.AbortRoundRequest.FromString(sent)
    assert refused(recording, "ShufflerService/AbortRound", request) == "OK"
    request.reason = shuffler_pb2.ABORT_REASON_DEADLINE
    assert refused(recording, "ShufflerService/AbortRound", request) == "FAILED_PRECONDITION/ABORTED"


def test_work_for_a_hundred_thousand_entries_is_bounded(recording: Recording) -> None:
    """A megabyte of seats, of keys or of requests is refused before it is looked at one by one."""
    header = round_pb2.RoundHeader(seat_keys=[b""] * MANY)
    terms = shuffler_pb2.RoundTerms(seat_keys=[b""] * MANY, table_id="t")
    for method, request in (
        ("ShufflerService/OpenRound", shuffler_pb2.OpenRoundRequest(header=header)),
        ("ShufflerService/PrepareRound", shuffler_pb2.PrepareRoundRequest(terms=terms)),
        (
            "TienLenService/CheckPlays",
            tien_len_pb2.CheckPlaysRequest(requests=[tien_len_pb2.CheckPlayRequest()] * MANY),
        ),
    ):
        data = request.SerializeToString()
        calls = counted(lambda method=method, data=data: outcome_of(recording.server, f"/referee.v1.{method}", data))  # type: ignore[misc] # mypy cannot infer it
        assert calls < 10_000, method


@each("malformed/requests")
def test_malformed_request_is_answered_as_the_vectors_say(unplayed: InProcess, row: dict[str, Any]) -> None:
    """The server's log holds nothing but its keys."""
    data = b"".join(bytes.fromhex(part["hex"]) * part["times"] for part in row["parts"])
    status, wrong = outcome_of(unplayed, f"/referee.v1.{row['method']}", data)
    assert (status, wrong) == ("OK" if row["code"] == "OK" else f"{row['code']}/{row['reason']}", "")


def test_allowed_reasons_are_those_of_the_proto_that_blame_the_caller() -> None:
    """No reason is missing on either side, and what blames the server is named."""
    every = {ErrorReason.Name(one).removeprefix("ERROR_REASON_") for one in CODES}
    assert set(REFUSED) | OURS == every
    assert set(REFUSED) & OURS == set()
