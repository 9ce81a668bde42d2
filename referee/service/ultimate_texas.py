"""UltimateTexasService: rounds of Ultimate Texas Hold'em, decisions checked and advised.

The law of decisions depends on no card, only on the clock of a street, which runs from the time at which its cards were
opened. Cards are opened with the receipt of the event that closed the street before. So even a frontend that reports
events itself must have at least these events accepted.
"""

from typing import Final

import grpc

from referee.advice import NoAdviceError
from referee.advice.ultimate_texas.question import DecisionQuestion, value_options
from referee.cards import Card, Seat
from referee.games.ultimate_texas.game import GAME
from referee.service.batching import answer_each
from referee.service.game_service import GameService
from referee.service.round_service import RefereeParts, RoundService
from referee.service.verifying import hand_of, require, seat_refusal
from referee.transcript.round import Round
from referee.v1 import ultimate_texas_pb2, ultimate_texas_pb2_grpc
from referee.v1.error_reason_pb2 import ErrorReason
from referee.wire.refusal import RefusedError
from referee.wire.ultimate_texas import fill_options, read_event, write_outcome, write_state
from referee.wire.values import write_violations


class UltimateTexasService(RoundService, ultimate_texas_pb2_grpc.UltimateTexasServiceServicer):
    """Servicer of Ultimate Texas Hold'em."""

    def __init__(self, service: GameService, parts: RefereeParts) -> None:
        super().__init__(service, parts)
        self._folder = parts.populations

    def CheckDecision(
        self, request: ultimate_texas_pb2.CheckDecisionRequest, context: grpc.ServicerContext
    ) -> ultimate_texas_pb2.CheckDecisionResponse:
        """Return all faults of a decision, and the state of the round."""
        return self._check(request)

    def CheckDecisions(
        self, request: ultimate_texas_pb2.CheckDecisionsRequest, context: grpc.ServicerContext
    ) -> ultimate_texas_pb2.CheckDecisionsResponse:
        """Check many decisions, each independently."""
        responses = answer_each(
            request.requests,
            self._check,
            refused=lambda status: ultimate_texas_pb2.CheckDecisionResponse(refused=status),
        )
        return ultimate_texas_pb2.CheckDecisionsResponse(responses=responses)

    def Advise(
        self, request: ultimate_texas_pb2.AdviseRequest, context: grpc.ServicerContext
    ) -> ultimate_texas_pb2.AdviseResponse:
        """Return the expectation of each decision of a seat, from its own cards and the open board only.

        The answer has no expectations if the seat has nothing to decide now.
        """
        seat = Seat(request.seat)
        played = self._reader.read_whole(request.round)
        state, ruleset = played.state, played.ruleset
        if seat >= played.header.seat_count:
            raise seat_refusal(played.header, seat, field="seat")
        response = ultimate_texas_pb2.AdviseResponse(
            violations=write_violations(played.violations, self._texts, ruleset),
            refused_event_number=played.refused_event,
            state=write_state(state, ruleset),
            ruleset_digest=ruleset.digest,
        )
        if not played.violations and seat in state.may_decide:
            stake, hole = state.stakes[seat], hand_of(played, seat, seat_field="seat", field="round")
            question = DecisionQuestion(state.rules, stake, hole, _open_board(played), self._folder)
            try:
                answer = self._advice.compute(value_options, question)
            except NoAdviceError as error:
                message = f"{ruleset.id}: {error}"
                raise RefusedError(ErrorReason.ERROR_REASON_NO_ADVICE, message, ruleset_id=ruleset.id) from None
            fill_options(response, answer, stake=stake)
        return response

    def _check(self, request: ultimate_texas_pb2.CheckDecisionRequest) -> ultimate_texas_pb2.CheckDecisionResponse:
        played = self._reader.read(request.round)
        ruleset, state = played.ruleset, played.state
        event = self._reader.read_next(played, request.event, time=max(self._settlements.clock(), state.last_time))
        return ultimate_texas_pb2.CheckDecisionResponse(
            violations=write_violations(played.violations or GAME.check(state, event), self._texts, ruleset),
            state=write_state(state, ruleset),
            ruleset_digest=ruleset.digest,
            refused_event_number=played.refused_event,
        )


def _open_board(played: Round) -> tuple[Card, ...]:
    """Return the board cards that the round has opened so far, in order; refuse if the certificates lack some."""
    layout = GAME.layout(played.header.seat_count)
    sections = [layout.board(section.lower()) for section in played.state.open_sections]
    require(played, sections, field="round")
    return tuple([card for section in sections for card in played.deal.sections[section] or ()])


SERVICE: Final = GameService(
    game=GAME,
    descriptor=ultimate_texas_pb2.DESCRIPTOR.services_by_name["UltimateTexasService"],
    servicer=UltimateTexasService,
    add_to_server=ultimate_texas_pb2_grpc.add_UltimateTexasServiceServicer_to_server,
    read_event=read_event,
    write_outcome=write_outcome,
    write_state=write_state,
    seat_methods={
        "CheckDecision": ("event", "seat"),
        "CheckDecisions": ("requests", "event", "seat"),
        "Advise": ("seat",),
    },
)
"""Ultimate Texas Hold'em as it is served."""
