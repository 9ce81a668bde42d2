"""What a client does when answers are late, lost or refused, and what it says then."""

import contextlib
import time
from collections.abc import Callable
from typing import Any

import grpc
import pytest
from referee_client import (
    AsyncClient,
    BadRequestError,
    Client,
    ConflictError,
    DataLossError,
    DeniedError,
    NotFoundError,
    NotReadyError,
    RefereeError,
    SeatSecrets,
    TimedOutError,
    UnavailableError,
    open_channel,
    tls_credentials,
)
from referee_client.messages import log_pb2, log_pb2_grpc, shuffler_pb2
from referee_harness import Harness

from tests.clients_python.playing import as_dealt, bet, binh, dealt


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("method", ["PrepareRound", "OpenRound", "DealRound", "SettleRound", "RevealRound"])
def test_an_idempotent_call_survives_faults_on_either_side(
    harness: Harness, client: Client, table: str, method: str, when: str
):
    """Four of five tries fail, carried out or not; the round is whole all the same."""
    harness.fault(kind="refuse", method=method, when=when, times=4)
    game = client.mau_binh(binh(table))
    game.open()
    for seat, hand in game.deal().items():
        game.arrange(seat, as_dealt(hand))
    assert game.settle().is_replayed
    game.reveal()
    assert harness.waiting["faults"] == []


@pytest.mark.parametrize("method", ["OpenRound", "DealRound", "SettleRound"])
def test_a_broken_connection_is_made_again(harness: Harness, client: Client, table: str, method: str):
    harness.fault(kind="drop", method=method, when="after")
    game = client.mau_binh(binh(table))
    game.open()
    for seat, hand in game.deal().items():
        game.arrange(seat, as_dealt(hand))
    assert game.settle().is_replayed


def test_a_server_that_is_started_again_is_found_again(harness: Harness, client: Client, table: str):
    game = client.mau_binh(binh(table))
    game.open()
    harness.restart()
    assert len(persistent(game.deal)) == 2


def persistent(call: Callable[[], Any]) -> Any:  # noqa: ANN401 - any answer
    """Return the answer, retried until connections are restored."""
    ends = time.monotonic() + 120
    while time.monotonic() < ends:
        with contextlib.suppress(UnavailableError):
            return call()
        time.sleep(0.1)
    return call()


@pytest.mark.parametrize("when", ["before", "after"])
def test_an_event_without_an_answer_is_sent_again(harness: Harness, client: Client, table: str, when: str):
    """A receipt that was lost was given all the same; the one that is answered counts, and the course has one event."""
    game = dealt(client.mau_binh(binh(table)))
    hands = game.hands
    harness.fault(kind="refuse", method="AcceptEvent", when=when, times=3)
    assert game.arrange(0, as_dealt(hands[0])).event_number == 1
    assert len(game.message.events) == 1
    assert harness.waiting["faults"] == []
    for seat in range(1, len(hands)):
        game.arrange(seat, as_dealt(hands[seat]))
    assert game.settle().is_replayed


ATTEMPTS = 7
"""More attempts than a call makes by itself, so that the round has to repeat the call."""


@pytest.mark.parametrize("when", ["before", "after"])
def test_an_opening_that_fails_for_long_is_repeated_without_its_event(
    harness: Harness, client: Client, table: str, when: str
):
    game = dealt(client.ultimate_texas(bet(table)))
    harness.fault(kind="refuse", method="OpenSection", when=when, times=ATTEMPTS)
    assert game.decide(0, "CHECK").event_number == 1
    assert harness.waiting["faults"] == []
    assert (len(game.board["flop"]), len(game.message.events)) == (3, 1)


def test_cards_that_stay_closed_open_before_the_next_event(harness: Harness, client: Client, table: str):
    """The same call again is the same event; another one is sent after the opening."""
    game = dealt(client.ultimate_texas(bet(table)))
    harness.fault(kind="refuse", method="AcceptEvent", when="after", times=2)
    harness.fault(kind="refuse", method="OpenSection", status="DEADLINE_EXCEEDED", times=ATTEMPTS)
    client._session.timeout = 0.01  # noqa: SLF001 - the steps before have as long as they need
    with pytest.raises((TimedOutError, UnavailableError)):
        game.decide(0, "CHECK")
    client._session.timeout = 60  # noqa: SLF001 - as above
    answers = [game.decide(0, "CHECK") for _ in range(2)]
    assert [one.event_number for one in answers] == [1, 2]
    assert harness.waiting["faults"] == []
    harness.fault(kind="refuse", method="OpenSection", status="DEADLINE_EXCEEDED")
    assert game.decide(0, "PLAY_1X").event_number == 3
    assert game.settle().is_replayed


def test_a_server_that_is_gone_is_unavailable(harness: Harness, table: str):
    address = harness.grpc
    with Harness() as gone:
        address = gone.grpc
    with Client(address, timeout=30) as client, pytest.raises(UnavailableError) as caught:
        client.mau_binh(binh(table)).open()
    assert caught.value.reason == ""


def test_a_late_answer_is_not_waited_for_beyond_the_timeout(harness: Harness, table: str):
    harness.reset()
    harness.fault(kind="delay", method="OpenRound", when="after", delay_ms=9_000)
    with Client(harness.grpc, timeout=6) as client:
        game = client.mau_binh(binh(table))
        game.prepare()
        with pytest.raises(TimedOutError):
            game.open()
    with Client(harness.grpc, timeout=60) as client:
        again = client.mau_binh(game.state.terms, secrets=list(game.secrets.values()))
        again.join()
        assert again.header == game.header


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        ("INVALID_ARGUMENT", BadRequestError),
        ("OUT_OF_RANGE", BadRequestError),
        ("NOT_FOUND", NotFoundError),
        ("PERMISSION_DENIED", DeniedError),
        ("UNAUTHENTICATED", DeniedError),
        ("ALREADY_EXISTS", ConflictError),
        ("FAILED_PRECONDITION", NotReadyError),
        ("ABORTED", NotReadyError),
        ("RESOURCE_EXHAUSTED", UnavailableError),
        ("DEADLINE_EXCEEDED", TimedOutError),
        ("DATA_LOSS", DataLossError),
        ("INTERNAL", RefereeError),
        ("UNKNOWN", RefereeError),
    ],
)
def test_every_status_has_its_error(harness: Harness, client: Client, status: str, kind: type[RefereeError]):
    harness.fault(kind="refuse", method="ListRulesets", status=status)
    with pytest.raises(RefereeError) as caught:
        client.rulesets()
    assert type(caught.value) is kind
    assert caught.value.code is grpc.StatusCode[status]
    assert (caught.value.reason, caught.value.field, dict(caught.value.facts)) == ("", "", {})


def test_a_refusal_says_why_and_where(client: Client, table: str):
    with pytest.raises(BadRequestError) as caught:
        client.mau_binh(binh(table, seats=9)).open()
    assert (caught.value.reason, caught.value.field) == ("INVALID_FIELD", "terms.seat_count")
    assert caught.value.facts["found"] == "9"
    with pytest.raises(NotFoundError) as missing:
        client.mau_binh(binh(table, ruleset="mau_binh.nothing")).open()
    assert missing.value.reason == "UNKNOWN_RULESET"
    assert "mau_binh.nothing" in str(missing.value)


def test_other_seeds_for_a_dealt_round_are_a_conflict(client: Client, table: str):
    game = client.mau_binh(binh(table), secrets=[])
    game.open()
    game.deal(seeds=[b"a" * 32, b"b" * 32])
    with pytest.raises(ConflictError) as caught:
        game.deal(seeds=[b"a" * 32, b"c" * 32])
    assert caught.value.reason == "ALREADY_DEALT"


def test_a_wrong_token_is_denied(client: Client, table: str):
    seats = [SeatSecrets.make(seat) for seat in range(2)]
    dealt(client.mau_binh(binh(table), secrets=seats), sealed=True)
    stranger = SeatSecrets.make(0)
    request = shuffler_pb2.OpenHandRequest(round={"table_id": table, "round_number": 1}, seat=0, token=stranger.token)
    with pytest.raises(DeniedError) as caught:
        client.channel.unary_unary(
            "/referee.v1.ShufflerService/OpenHand", shuffler_pb2.OpenHandRequest.SerializeToString
        )(request)
    assert caught.value.reason == "WRONG_TOKEN"


def test_generated_stubs_raise_the_same_errors(harness: Harness):
    harness.reset()
    with open_channel(harness.grpc) as channel, pytest.raises(BadRequestError) as caught:
        log_pb2_grpc.LogServiceStub(channel).GetInclusionProof(log_pb2.GetInclusionProofRequest(leaf_index=10**6))
    assert caught.value.reason


async def test_the_asyncio_client_repeats_and_refuses_alike(harness: Harness, table: str):
    harness.reset()
    async with AsyncClient(harness.grpc, timeout=60) as client:
        harness.fault(kind="refuse", method="OpenRound", when="after", times=4)
        game = client.mau_binh(binh(table))
        await game.open()
        assert len(await game.deal()) == 2
        with pytest.raises(BadRequestError) as caught:
            await client.mau_binh(binh(f"{table}-2", seats=9)).open()
        assert (caught.value.reason, caught.value.field) == ("INVALID_FIELD", "terms.seat_count")
        harness.fault(kind="refuse", method="ListRulesets", status="DATA_LOSS")
        with pytest.raises(DataLossError):
            await client.rulesets()
    async with AsyncClient(harness.grpc, timeout=1) as client:
        harness.fault(kind="delay", method="ListRulesets", delay_ms=3_000)
        with pytest.raises(TimedOutError):
            await client.rulesets()


def test_a_token_goes_with_every_call(harness: Harness):
    """Seen by an interceptor in place of a server, since one without access control does not look."""
    seen: list[str] = []

    class Look(grpc.UnaryUnaryClientInterceptor):
        def intercept_unary_unary(self, continuation: Any, client_call_details: Any, request: Any) -> Any:  # noqa: ANN401 - as gRPC gives it
            seen.extend(value for name, value in client_call_details.metadata or () if name == "authorization")
            return continuation(client_call_details, request)

    harness.reset()
    with grpc.insecure_channel(harness.grpc) as plain:
        from referee_client.channel import _Caller  # noqa: PLC0415 - looked into

        channel = grpc.intercept_channel(grpc.intercept_channel(plain, Look()), _Caller(10.0, "secret", harness.grpc))
        log_pb2_grpc.LogServiceStub(channel).GetKeys(log_pb2.GetKeysRequest())
    assert seen == ["Bearer secret"]


@pytest.mark.parametrize(("given", "missing"), [("certificate", "key"), ("key", "certificate")])
def test_one_of_certificate_and_key_alone_is_refused_with_what_to_give(given: str, missing: str) -> None:
    with pytest.raises(ValueError, match=f"give {missing} too, or neither"):
        tls_credentials(**{given: b"PEM"})
