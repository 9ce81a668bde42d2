"""Rounds of each game, opened, dealt and played on a server by lawful random choices, every event with a receipt."""

import random
from dataclasses import dataclass
from typing import Any, Final

import grpc

from referee.v1 import mau_binh_pb2, money_pb2, shuffler_pb2, shuffler_pb2_grpc, tien_len_pb2, ultimate_texas_pb2
from referee.v1.ultimate_texas_pb2 import Decision
from tests.driver.messages import request_of, round_of
from tests.service.advised import open_cards
from tests.service.courses import take
from tests.service.house import as_dealt
from tests.service.opening import deal_round, open_round
from tests.service.stubs import stub_of

TERMS: Final[dict[str, dict[str, Any]]] = {
    "mau_binh": {"ruleset_id": "mau_binh.chi_2020", "seat_count": 4, "stake_minor": 100},
    "tien_len": {"ruleset_id": "tien_len.mien_nam", "seat_count": 4, "stake_minor": 100},
    "ultimate_texas": {
        "ruleset_id": "ultimate_texas.casino",
        "seat_count": 6,
        "stake_minor": 2,
        "seat_stakes": [money_pb2.SeatStake(bet_minor=10, side_bet_minor=5)] * 6,
    },
}


@dataclass
class PlayedRound:
    """A round at a table of its own, and the calls that bring it on. ``message`` is the round as reported so far."""

    game: str
    table: str
    opened: Any = None
    dealt: Any = None
    message: Any = None

    def open(self, channel: grpc.Channel) -> None:
        """Open the round."""
        terms = shuffler_pb2.RoundTerms(table_id=self.table, currency="CHIP", **TERMS[self.game])
        self.opened = open_round(shuffler_pb2_grpc.ShufflerServiceStub(channel), terms)

    def deal(self, channel: grpc.Channel) -> None:
        """Deal the round; seeds come with the call."""
        self.dealt = deal_round(shuffler_pb2_grpc.ShufflerServiceStub(channel), self.opened)
        self.message = round_of(self.game, header=self.opened.header, certificates=[self.dealt.certificate])

    def play(self, channel: grpc.Channel, adviser: grpc.Channel) -> bool:
        """Play to the end; ``adviser`` answers what the players ask for themselves. Return False for an instant win."""
        _PLAYS[self.game](self, channel, adviser)
        return bool(self.message.events)

    def accept(self, referee: Any, event: Any) -> Any:  # noqa: ANN401 - messages of the game
        """Have an event accepted and return the answer."""
        accepted = referee.AcceptEvent(request_of(self.game, "AcceptEvent", round=self.message, event=event))
        if accepted.event_number:
            take(self.message, accepted.event, receipt=accepted.receipt)
        return accepted

    def report(self) -> None:
        """Make the events the frontend's own report, without a receipt."""
        for event in self.message.events:
            event.received = False
        self.message.ClearField("receipt")

    @property
    def settlement(self) -> Any:  # noqa: ANN401 - a message of the game
        """The request that settles the round."""
        return request_of(self.game, "SettleRound", round=self.message)

    @property
    def begun(self) -> Any:  # noqa: ANN401 - a message of the game
        """The round with its certificates and without its events."""
        return round_of(self.game, header=self.message.header, certificates=self.message.certificates)


def played_round(game: str, table: str, channel: grpc.Channel) -> PlayedRound:
    """Open, deal and play a round that no instant win ended at the deal, at a table whose name begins so."""
    for number in range(100):
        played = PlayedRound(game, f"{table}-{number}")
        played.open(channel)
        played.deal(channel)
        if played.play(channel, channel):
            return played
    raise RuntimeError("every round was won at the deal")


def _play_mau_binh(played: PlayedRound, channel: grpc.Channel, _adviser: grpc.Channel) -> None:
    referee = stub_of(played.game, channel)
    for hand in played.dealt.hands:
        event = mau_binh_pb2.MauBinhEvent(seat=hand.seat, arrange=as_dealt(sorted(hand.cards, reverse=True)))
        if not played.accept(referee, event).event_number:
            return


def _play_tien_len(played: PlayedRound, channel: grpc.Channel, adviser: grpc.Channel) -> None:
    luck = random.Random(played.table)  # noqa: S311 - the players' taste
    referee, adviser_stub = stub_of(played.game, channel), stub_of(played.game, adviser)
    while True:
        listed = adviser_stub.ListPlays(tien_len_pb2.ListPlaysRequest(round=played.message))
        if not listed.HasField("turn"):
            return
        event = tien_len_pb2.TienLenEvent(seat=listed.turn)
        if listed.plays and (not listed.may_pass or luck.random() < 0.6):
            event.play.cards.extend(luck.choice(listed.plays).cards)
        else:
            event.pass_turn.SetInParent()
        played.accept(referee, event)


def _play_ultimate_texas(played: PlayedRound, channel: grpc.Channel, adviser: grpc.Channel) -> None:
    luck = random.Random(played.table)  # noqa: S311 - the players' taste
    referee, shuffler = stub_of(played.game, channel), shuffler_pb2_grpc.ShufflerServiceStub(channel)
    preview = request_of(played.game, "PreviewRound", round=played.message)
    state = stub_of(played.game, adviser).PreviewRound(preview).state
    while state.HasField("turn"):
        ends = (Decision.DECISION_FOLD, Decision.DECISION_LEAVE)
        decisions = [choice for choice in state.seats[state.turn].legal_decisions if choice not in ends]
        checks = Decision.DECISION_CHECK in decisions
        decision = Decision.DECISION_CHECK if checks and luck.random() < 0.6 else luck.choice(decisions)
        event = ultimate_texas_pb2.UltimateTexasEvent(seat=state.turn, decision=decision)
        accepted = played.accept(referee, event)
        state = accepted.state
        if accepted.HasField("opens_section"):
            open_cards(shuffler, played.message)


_PLAYS: Final = {"mau_binh": _play_mau_binh, "tien_len": _play_tien_len, "ultimate_texas": _play_ultimate_texas}
