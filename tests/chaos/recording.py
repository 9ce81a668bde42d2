"""Real requests of every method, as frontends and seats send them, recorded while rounds are played in process."""

import random
from typing import Any, Final

from referee.v1 import (
    log_pb2,
    log_pb2_grpc,
    mau_binh_pb2,
    mau_binh_pb2_grpc,
    ruleset_pb2,
    ruleset_pb2_grpc,
    seating_pb2,
    seating_pb2_grpc,
    shuffler_pb2,
    shuffler_pb2_grpc,
    tien_len_pb2,
    tien_len_pb2_grpc,
    ultimate_texas_pb2,
    ultimate_texas_pb2_grpc,
)
from tests.chaos.frontend import Frontend
from tests.chaos.in_process import Called, Channel
from tests.chaos.ledger import Ledger
from tests.driver.table import Player, Table
from tests.vectors.dealing.dealing_derivation import number, tagged

Recorded = dict[str, list[bytes]]
"""Requests by method, in the order they were sent."""

_ASKED: Final = 6
"""How many accepted events of a game the questions are asked about."""


class _Room:
    """What a table of players needs of a server."""

    def __init__(self, channel: Any, clock: Any) -> None:  # noqa: ANN401 - a channel in process, a clock of the caller's
        self.channel, self.clock = channel, clock
        self.shuffler = shuffler_pb2_grpc.ShufflerServiceStub(channel)
        self.log = log_pb2_grpc.LogServiceStub(channel)
        self._tables = iter(range(1, 10_000))

    def terms(self, table: str, **changes: Any) -> shuffler_pb2.RoundTerms:  # noqa: ANN401 - any field
        """Terms for a table."""
        fields: dict[str, Any] = {"seat_count": 2, "currency": "VND", "stake_minor": 1000}
        return shuffler_pb2.RoundTerms(table_id=table, **fields | changes)


def record(server: Called, clock: Any, *, seed: int) -> Recorded:  # noqa: ANN401 - a clock with its time in ``now``
    """Record requests of every method of the server; raise AssertionError for one that was never sent."""
    found: Recorded = {}

    def keep(method: str, data: bytes) -> None:
        found.setdefault(method, []).append(data)

    channel: Any = Channel(server, keep)
    frontend = Frontend(channel, Ledger(), name="recorded", luck=random.Random(seed))  # noqa: S311 - what is played
    for ruleset in ("mau_binh.classic", "mau_binh.chi_2020", "tien_len.mien_nam", "ultimate_texas.casino"):
        frontend.play(ruleset)
        frontend.play(ruleset)
    while "/referee.v1.TienLenService/AcceptEvent" not in found:  # every round was won at the deal
        frontend.play("tien_len.mien_nam")
    room = _Room(channel, clock)
    _play_sealed(room)
    _ask_about_mau_binh(channel, found)
    _ask_about_tien_len(channel, found)
    _ask_about_ultimate_texas(channel, found)
    _ask_in_batches(channel, found)
    _ask_the_rest(channel, room)
    missing = set(server.methods) - set(found)
    assert not missing, missing
    return found


def _play_sealed(room: _Room) -> None:
    """Play a sealed Mậu Binh round with keys, an Ultimate Texas round and an aborted one; reveal their seeds."""
    table = Table(room, sealed=True).play()
    for seat in range(2):
        hand = table.open_hand(seat)
        if not table.dealt.hands:  # no hand has won at the deal
            table.commit(seat, list(hand.hand.cards))
    if not table.dealt.hands:
        opened = table.open_section()
        for one in opened.hands:
            table.accept(one.seat, **table.arrangement(one.seat, list(one.cards)))
    table.settle()
    room.shuffler.RevealRound(shuffler_pb2.RevealRoundRequest(**table.slot))
    texas = Table(room, "ultimate_texas", sealed=True).play()
    for seat in range(2):
        texas.open_hand(seat)
        texas.accept(seat, decision=ultimate_texas_pb2.DECISION_CHECK)
    texas.open_section()
    texas.preview()
    kept = Table(room, "tien_len").open()
    kept.contribute(0)
    lost = Table(room, "tien_len").open()
    room.shuffler.AbortRound(shuffler_pb2.AbortRoundRequest(**lost.slot, reason=shuffler_pb2.ABORT_REASON_OPERATOR))


def _ask_about_mau_binh(channel: Any, found: Recorded) -> None:  # noqa: ANN401 - a channel in process
    """Ask the questions that play leaves out, about settled rounds before their first event."""
    stub = mau_binh_pb2_grpc.MauBinhServiceStub(channel)
    asked = [mau_binh_pb2.MauBinhServiceSettleRoundRequest.FromString(one) for one in _settled(found, "MauBinh")]
    stub.SettleRounds(mau_binh_pb2.MauBinhServiceSettleRoundsRequest(requests=asked))
    for one in asked:
        events = list(one.round.events)
        for name in ("events", "receipt", "signatures"):
            one.round.ClearField(name)
        checks = [
            mau_binh_pb2.CheckArrangementRequest(round=one.round, seat=event.seat, arrangement=event.arrange)
            for event in events
        ]
        if checks:
            stub.CheckArrangement(checks[0])
            stub.CheckArrangements(mau_binh_pb2.CheckArrangementsRequest(requests=checks))
            dealt = mau_binh_pb2.DealtHand(round=one.round, seat=0)
            stub.SuggestArrangement(mau_binh_pb2.SuggestArrangementRequest(dealt=dealt, count=2))


def _ask_about_tien_len(channel: Any, found: Recorded) -> None:  # noqa: ANN401 - a channel in process
    """Ask the same questions at several events of the rounds."""
    stub = tien_len_pb2_grpc.TienLenServiceStub(channel)
    asked = [tien_len_pb2.TienLenServiceSettleRoundRequest.FromString(one) for one in _settled(found, "TienLen")]
    stub.SettleRounds(tien_len_pb2.TienLenServiceSettleRoundsRequest(requests=asked))
    accept = tien_len_pb2.TienLenServiceAcceptEventRequest
    for before in [accept.FromString(one) for one in _accepted(found, "TienLen")][:_ASKED]:
        check = tien_len_pb2.CheckPlayRequest(round=before.round, event=before.event)
        stub.CheckPlay(check)
        stub.CheckPlays(tien_len_pb2.CheckPlaysRequest(requests=[check, check]))
        stub.ListPlays(tien_len_pb2.ListPlaysRequest(round=before.round, grouped=True))
        stub.PreviewRound(tien_len_pb2.TienLenServicePreviewRoundRequest(round=before.round))


def _ask_about_ultimate_texas(channel: Any, found: Recorded) -> None:  # noqa: ANN401 - a channel in process
    """Ask the same questions."""
    stub = ultimate_texas_pb2_grpc.UltimateTexasServiceStub(channel)
    settle = ultimate_texas_pb2.UltimateTexasServiceSettleRoundRequest
    asked = [settle.FromString(one) for one in _settled(found, "UltimateTexas")]
    stub.SettleRounds(ultimate_texas_pb2.UltimateTexasServiceSettleRoundsRequest(requests=asked))
    accept = ultimate_texas_pb2.UltimateTexasServiceAcceptEventRequest
    settled = [one.round.header for one in asked]
    accepted = [accept.FromString(one) for one in _accepted(found, "UltimateTexas")]
    for before in [one for one in accepted if one.round.header in settled][:_ASKED]:
        check = ultimate_texas_pb2.CheckDecisionRequest(round=before.round, event=before.event)
        stub.CheckDecision(check)
        stub.CheckDecisions(ultimate_texas_pb2.CheckDecisionsRequest(requests=[check, check]))
        stub.Advise(ultimate_texas_pb2.AdviseRequest(round=before.round, seat=before.event.seat))


def _ask_in_batches(channel: Any, found: Recorded) -> None:  # noqa: ANN401 - a channel in process
    """Open, deal and reveal rounds again and accept their first event again, each in a batch of its own."""
    stub = shuffler_pb2_grpc.ShufflerServiceStub(channel)
    opened, dealt, revealed = (
        found[f"/referee.v1.ShufflerService/{name}"][0] for name in ("OpenRound", "DealRound", "RevealRound")
    )
    stub.OpenRounds(shuffler_pb2.OpenRoundsRequest(requests=[shuffler_pb2.OpenRoundRequest.FromString(opened)]))
    stub.DealRounds(shuffler_pb2.DealRoundsRequest(requests=[shuffler_pb2.DealRoundRequest.FromString(dealt)]))
    stub.RevealRounds(shuffler_pb2.RevealRoundsRequest(requests=[shuffler_pb2.RevealRoundRequest.FromString(revealed)]))
    for game, stub_of, batch in (
        ("MauBinh", mau_binh_pb2_grpc.MauBinhServiceStub, mau_binh_pb2.MauBinhServiceAcceptEventsRequest),
        ("TienLen", tien_len_pb2_grpc.TienLenServiceStub, tien_len_pb2.TienLenServiceAcceptEventsRequest),
        (
            "UltimateTexas",
            ultimate_texas_pb2_grpc.UltimateTexasServiceStub,
            ultimate_texas_pb2.UltimateTexasServiceAcceptEventsRequest,
        ),
    ):
        request: Any = batch()
        request.requests.add().MergeFromString(_accepted(found, game)[0])
        stub_of(channel).AcceptEvents(request)


def _ask_the_rest(channel: Any, room: _Room) -> None:  # noqa: ANN401 - a channel in process
    rulesets = ruleset_pb2_grpc.RulesetServiceStub(channel)
    rulesets.ListRulesets(ruleset_pb2.ListRulesetsRequest())
    rulesets.GetRuleset(ruleset_pb2.GetRulesetRequest(ruleset_id="mau_binh.classic"))
    person = seating_pb2.Person(person_id="an", came_time=1, seated_time=2, ready_time=3)
    seating_pb2_grpc.SeatingServiceStub(channel).DecideSeating(
        seating_pb2.DecideSeatingRequest(ruleset_id="mau_binh.classic", persons=[person], now_time=room.clock.now)
    )
    origin = room.log.GetKeys(log_pb2.GetKeysRequest()).origin.encode()
    room.log.ListEntries(log_pb2.ListEntriesRequest(start=1, count=5))
    room.log.ListRounds(log_pb2.ListRoundsRequest(table_prefix="r", page_size=5))
    player = Player("listed", 0)
    signed = tagged("list-rounds", origin, player.public_key, bytes(8), bytes(8), number(room.clock.now, 8))
    room.log.ListSeatRounds(
        log_pb2.ListSeatRoundsRequest(
            seat_key=player.public_key, signed_time=room.clock.now, signature=player.key.sign(signed)
        )
    )
    room.log.GetInclusionProof(log_pb2.GetInclusionProofRequest(leaf_index=3, tree_size=9))
    room.log.GetConsistencyProof(log_pb2.GetConsistencyProofRequest(first_size=3, second_size=9))
    room.log.ListCosignedCheckpoints(log_pb2.ListCosignedCheckpointsRequest(start_size=1, count=3))


def _accepted(found: Recorded, game: str) -> list[bytes]:
    return list(dict.fromkeys(found.get(f"/referee.v1.{game}Service/AcceptEvent", [])))


def _settled(found: Recorded, game: str) -> list[bytes]:
    return list(dict.fromkeys(found[f"/referee.v1.{game}Service/SettleRound"]))
