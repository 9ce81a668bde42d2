"""UltimateTexasService: rounds of Ultimate Texas Hold'em, decisions checked.

The law of decisions depends on no card, only on the clock of a street, which runs from the time at which its cards were
opened. Cards are opened with the receipt of the event that closed the street before. So even a frontend that reports
events itself must have at least these events accepted.
"""

from typing import Final

import grpc

from referee.games.ultimate_texas.game import GAME
from referee.service.batching import answer_each
from referee.service.game_service import GameService
from referee.service.round_service import RoundService
from referee.v1 import ultimate_texas_pb2, ultimate_texas_pb2_grpc
from referee.wire.ultimate_texas import MESSAGES, write_state
from referee.wire.values import write_violations


class UltimateTexasService(RoundService, ultimate_texas_pb2_grpc.UltimateTexasServiceServicer):
    """Servicer of Ultimate Texas Hold'em."""

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


SERVICE: Final = GameService(
    messages=MESSAGES,
    servicer=UltimateTexasService,
    add_to_server=ultimate_texas_pb2_grpc.add_UltimateTexasServiceServicer_to_server,
    seat_methods={
        "CheckDecision": ("event", "seat"),
        "CheckDecisions": ("requests", "event", "seat"),
    },
)
"""Ultimate Texas Hold'em as it is served."""
