"""MauBinhService: rounds of Mậu Binh, arrangements checked."""

from typing import Final

import grpc

from referee.games.game import refusals
from referee.games.mau_binh.arrangement import check_arrangement, chi_values
from referee.games.mau_binh.game import GAME
from referee.games.mau_binh.instant_win import instant_win_of
from referee.games.mau_binh.showdown import showdown
from referee.service.batching import answer_each
from referee.service.game_service import GameService
from referee.service.round_service import RoundService
from referee.service.verifying import hand_of
from referee.transcript.round import Round
from referee.v1 import mau_binh_pb2, mau_binh_pb2_grpc
from referee.wire.mau_binh import MESSAGES, read_arrangement, write_showdown
from referee.wire.values import write_value, write_violations


class MauBinhService(RoundService, mau_binh_pb2_grpc.MauBinhServiceServicer):
    """Servicer of Mậu Binh."""

    def CheckArrangement(
        self, request: mau_binh_pb2.CheckArrangementRequest, context: grpc.ServicerContext
    ) -> mau_binh_pb2.CheckArrangementResponse:
        """Return all faults of an arrangement, and the names of its three chi if it is acceptable."""
        return self._check(request)

    def CheckArrangements(
        self, request: mau_binh_pb2.CheckArrangementsRequest, context: grpc.ServicerContext
    ) -> mau_binh_pb2.CheckArrangementsResponse:
        """Check many arrangements, each independently."""
        responses = answer_each(
            request.requests, self._check, refused=lambda status: mau_binh_pb2.CheckArrangementResponse(refused=status)
        )
        return mau_binh_pb2.CheckArrangementsResponse(responses=responses)

    def _fill_preview(self, response: mau_binh_pb2.MauBinhServicePreviewRoundResponse, played: Round) -> None:
        """Fill in showdown and outcome, or the violations that keep the round from being settled now."""
        ruleset, violations = played.ruleset, GAME.check_closing(played.state, self._settlements.clock())
        if violations:
            response.violations.extend(write_violations(violations, self._texts, ruleset))
            return
        written, outcome = self._write_outcome(played), played.outcome
        shown = showdown(played.state.rules, outcome, stake=played.header.stake, names=ruleset.names)
        response.showdown.CopyFrom(
            write_showdown(
                shown,
                start_time=played.deal.dealt_time if outcome.showdown_time is None else outcome.showdown_time,
                seconds=played.state.rules.clocks.showdown_chi.seconds,
            )
        )
        response.outcome.MergeFromString(written)

    def _check(self, request: mau_binh_pb2.CheckArrangementRequest) -> mau_binh_pb2.CheckArrangementResponse:
        dealt = self._verifier.verify(request.round.header, request.round.certificates, field="round")
        ruleset = dealt.ruleset
        rules = SERVICE.rules_of(ruleset, field="round.header.ruleset_id")
        hand = hand_of(dealt, request.seat, seat_field="seat", field="round")
        arrangement = read_arrangement(request.arrangement, field="arrangement")
        violations = check_arrangement(rules, hand, arrangement)
        acceptable = not refusals(GAME, violations)
        win = instant_win_of(rules, hand)
        return mau_binh_pb2.CheckArrangementResponse(
            violations=write_violations(violations, self._texts, ruleset),
            acceptable=acceptable,
            values=[
                write_value(value, ruleset) for value in (chi_values(rules, arrangement.chi) if acceptable else ())
            ],
            instant_win=win.pattern if win else None,
            ruleset_digest=ruleset.digest,
        )


SERVICE: Final = GameService(
    messages=MESSAGES,
    servicer=MauBinhService,
    add_to_server=mau_binh_pb2_grpc.add_MauBinhServiceServicer_to_server,
    ready_limit=lambda rules: rules.clocks.ready_limit,
    seat_methods={
        "CheckArrangement": ("seat",),
        "CheckArrangements": ("requests", "seat"),
    },
)
"""Mậu Binh as it is served."""
