"""TienLenService: rounds of Tiến Lên, plays checked and listed."""

from typing import Final

import grpc

from referee.games.tien_len import Combination, Event, Play, legal_plays, may_pass, read_combination, set_of
from referee.games.tien_len.game import GAME
from referee.games.tien_len.grouping import group_plays, whole_plays
from referee.service.batching import answer_each
from referee.service.game_service import GameService
from referee.service.round_service import RoundService
from referee.v1 import tien_len_pb2, tien_len_pb2_grpc
from referee.wire.tien_len import (
    MESSAGES,
    write_combination,
    write_group,
)
from referee.wire.values import write_violations


class TienLenService(RoundService, tien_len_pb2_grpc.TienLenServiceServicer):
    """Servicer of Tiến Lên."""

    def CheckPlay(
        self, request: tien_len_pb2.CheckPlayRequest, context: grpc.ServicerContext
    ) -> tien_len_pb2.CheckPlayResponse:
        """Return all faults of an event, and the combination that its cards make, absent if they make none."""
        return self._check(request)

    def CheckPlays(
        self, request: tien_len_pb2.CheckPlaysRequest, context: grpc.ServicerContext
    ) -> tien_len_pb2.CheckPlaysResponse:
        """Check many events, each independently."""
        responses = answer_each(
            request.requests, self._check, refused=lambda status: tien_len_pb2.CheckPlayResponse(refused=status)
        )
        return tien_len_pb2.CheckPlaysResponse(responses=responses)

    def ListPlays(
        self, request: tien_len_pb2.ListPlaysRequest, context: grpc.ServicerContext
    ) -> tien_len_pb2.ListPlaysResponse:
        """List all combinations that the seat on turn may play, and whether it may pass."""
        played = self._reader.read(request.round)
        ruleset, state = played.ruleset, played.state
        response = tien_len_pb2.ListPlaysResponse(
            violations=write_violations(played.violations, self._texts, ruleset),
            refused_event_number=played.refused_event,
            ruleset_digest=ruleset.digest,
        )
        if played.violations:
            return response
        plays = legal_plays(state)
        if not state.is_over:
            response.turn = state.turn
        response.plays.extend([write_combination(play, ruleset) for play in plays])
        response.may_pass = may_pass(state)
        if request.grouped:
            stake = played.header.stake
            response.groups.extend([write_group(group, ruleset, stake=stake) for group in group_plays(state, plays)])
            response.whole_plays.extend(whole_plays(state, plays))
        return response

    def _check(self, request: tien_len_pb2.CheckPlayRequest) -> tien_len_pb2.CheckPlayResponse:
        played = self._reader.read(request.round)
        ruleset, state = played.ruleset, played.state
        event = self._reader.read_next(played, request.event, time=max(self._settlements.clock(), state.last_time))
        combination = _combination_of(event)
        return tien_len_pb2.CheckPlayResponse(
            violations=write_violations(played.violations or GAME.check(state, event), self._texts, ruleset),
            combination=None if combination is None else write_combination(combination, ruleset),
            ruleset_digest=ruleset.digest,
            refused_event_number=played.refused_event,
        )


def _combination_of(event: Event) -> Combination | None:
    """Return the combination that the cards of a play make.

    None if they make none, if a card is there twice, or if the event is no play.
    """
    if not isinstance(event, Play):
        return None
    card_set = set_of(event.cards)
    return read_combination(card_set) if card_set.bit_count() == len(event.cards) else None


SERVICE: Final = GameService(
    messages=MESSAGES,
    servicer=TienLenService,
    add_to_server=tien_len_pb2_grpc.add_TienLenServiceServicer_to_server,
)
"""Tiến Lên as it is served."""
