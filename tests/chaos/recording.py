"""Real requests of every method, as frontends and seats send them, recorded while rounds are played in process."""

import random
from typing import Any, Final

from referee.v1 import (
    advice_pb2,
    advice_pb2_grpc,
    log_pb2,
    mau_binh_pb2,
    ruleset_pb2,
    seating_pb2,
    shuffler_pb2,
    tien_len_pb2,
    ultimate_texas_pb2,
)
from tests.chaos.frontend import Frontend
from tests.chaos.in_process import Called, Channel
from tests.chaos.ledger import Ledger
from tests.driver.messages import GAMES, request_of
from tests.driver.player import Player
from tests.service.stubs import Stubs, stub_of
from tests.service.table import Table

Recorded = dict[str, list[bytes]]
"""Requests by method, in the order they were sent."""

_ASKED: Final = 6
"""How many accepted events of a game the questions are asked about."""


class _Room(Stubs):
    """What a table of players needs of a server."""

    def __init__(self, channel: Any, clock: Any) -> None:  # noqa: ANN401 - a channel in process, a clock of the caller's
        super().__init__(channel)
        self.clock = clock
        self._tables = iter(range(1, 10_000))


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
    _ask_in_batches(room, found)
    _ask_the_rest(room)
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
    table.reveal()
    texas = Table(room, "ultimate_texas", sealed=True).play()
    for seat in range(2):
        texas.open_hand(seat)
        texas.accept(seat, decision=ultimate_texas_pb2.DECISION_CHECK)
    texas.open_section()
    texas.preview()
    kept = Table(room, "tien_len").open()
    kept.contribute(0)
    lost = Table(room, "tien_len").open()
    lost.abort(shuffler_pb2.ABORT_REASON_OPERATOR)


def _ask_about_mau_binh(channel: Any, found: Recorded) -> None:  # noqa: ANN401 - a channel in process
    """Ask the questions that play leaves out, about settled rounds before their first event."""
    stub, adviser = stub_of("mau_binh", channel), advice_pb2_grpc.AdviceServiceStub(channel)
    for played in [one.round for one in _sent(found, "mau_binh", "SettleRound") if one.round.events]:
        begun = mau_binh_pb2.MauBinhRound(header=played.header, certificates=played.certificates)
        checks = [
            mau_binh_pb2.CheckArrangementRequest(round=begun, seat=event.seat, arrangement=event.arrange)
            for event in played.events
        ]
        stub.CheckArrangement(checks[0])
        stub.CheckArrangements(mau_binh_pb2.CheckArrangementsRequest(requests=checks))
        dealt = advice_pb2.DealtHand(round=begun, seat=0)
        adviser.SuggestArrangement(advice_pb2.SuggestArrangementRequest(dealt=dealt, count=2))


def _ask_about_tien_len(channel: Any, found: Recorded) -> None:  # noqa: ANN401 - a channel in process
    """Ask the same questions at several events of the rounds."""
    stub = stub_of("tien_len", channel)
    for before in _sent(found, "tien_len", "AcceptEvent")[:_ASKED]:
        check = tien_len_pb2.CheckPlayRequest(round=before.round, event=before.event)
        stub.CheckPlay(check)
        stub.CheckPlays(tien_len_pb2.CheckPlaysRequest(requests=[check, check]))
        stub.ListPlays(tien_len_pb2.ListPlaysRequest(round=before.round, grouped=True))
        stub.PreviewRound(request_of("tien_len", "PreviewRound", round=before.round))


def _ask_about_ultimate_texas(channel: Any, found: Recorded) -> None:  # noqa: ANN401 - a channel in process
    """Ask the same questions."""
    stub, adviser = stub_of("ultimate_texas", channel), advice_pb2_grpc.AdviceServiceStub(channel)
    settled = [one.round.header for one in _sent(found, "ultimate_texas", "SettleRound")]
    accepted = _sent(found, "ultimate_texas", "AcceptEvent")
    for before in [one for one in accepted if one.round.header in settled][:_ASKED]:
        check = ultimate_texas_pb2.CheckDecisionRequest(round=before.round, event=before.event)
        stub.CheckDecision(check)
        stub.CheckDecisions(ultimate_texas_pb2.CheckDecisionsRequest(requests=[check, check]))
        adviser.SuggestDecision(advice_pb2.SuggestDecisionRequest(round=before.round, seat=before.event.seat))


def _ask_in_batches(room: _Room, found: Recorded) -> None:
    """Settle all rounds again; open, deal, reveal and accept the first of each again, its section too, in batches."""
    stub, channel = room.shuffler, room.channel
    opened, dealt, section, revealed = (
        found[f"/referee.v1.ShufflerService/{name}"][0]
        for name in ("OpenRound", "DealRound", "OpenSection", "RevealRound")
    )
    stub.OpenRounds(shuffler_pb2.OpenRoundsRequest(requests=[shuffler_pb2.OpenRoundRequest.FromString(opened)]))
    stub.DealRounds(shuffler_pb2.DealRoundsRequest(requests=[shuffler_pb2.DealRoundRequest.FromString(dealt)]))
    stub.OpenSections(shuffler_pb2.OpenSectionsRequest(requests=[shuffler_pb2.OpenSectionRequest.FromString(section)]))
    stub.RevealRounds(shuffler_pb2.RevealRoundsRequest(requests=[shuffler_pb2.RevealRoundRequest.FromString(revealed)]))
    for game in GAMES:
        accepted, settled = _sent(found, game, "AcceptEvent")[:1], _sent(found, game, "SettleRound")
        stub_of(game, channel).AcceptEvents(request_of(game, "AcceptEvents", requests=accepted))
        stub_of(game, channel).SettleRounds(request_of(game, "SettleRounds", requests=settled))


def _ask_the_rest(room: _Room) -> None:
    room.rulesets.ListRulesets(ruleset_pb2.ListRulesetsRequest())
    room.rulesets.GetRuleset(ruleset_pb2.GetRulesetRequest(ruleset_id="mau_binh.classic"))
    person = seating_pb2.Person(person_id="an", came_time=1, seated_time=2, ready_time=3)
    room.seating.DecideSeating(
        seating_pb2.DecideSeatingRequest(ruleset_id="mau_binh.classic", persons=[person], now_time=room.clock.now)
    )
    origin = room.log.GetKeys(log_pb2.GetKeysRequest()).origin
    room.log.ListEntries(log_pb2.ListEntriesRequest(start=1, page_size=5))
    room.log.ListRounds(log_pb2.ListRoundsRequest(table_prefix="r", page_size=5))
    room.log.ListSeatRounds(Player("listed", 0).list_request(origin=origin, now=room.clock.now))
    room.log.GetInclusionProof(log_pb2.GetInclusionProofRequest(leaf_index=3, tree_size=9))
    room.log.GetConsistencyProof(log_pb2.GetConsistencyProofRequest(first_size=3, second_size=9))
    room.log.ListCosignedCheckpoints(log_pb2.ListCosignedCheckpointsRequest(start_size=1, page_size=3))
    room.log.GetStatus(log_pb2.GetStatusRequest())


def _sent(found: Recorded, game: str, method: str) -> list[Any]:
    """Return the requests of a method that were sent, each once."""
    kind = type(request_of(game, method))
    service = kind.__name__.removesuffix(f"{method}Request")
    return [kind.FromString(one) for one in dict.fromkeys(found[f"/referee.v1.{service}/{method}"])]
