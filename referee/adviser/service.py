"""The servicer of AdviceService, a question of each game."""

import grpc

from referee.adviser.mau_binh import ArrangementAdvice
from referee.adviser.parts import AdviserParts
from referee.adviser.tien_len import PlayAdvice
from referee.adviser.ultimate_texas import DecisionAdvice
from referee.v1 import advice_pb2, advice_pb2_grpc


class AdviceService(advice_pb2_grpc.AdviceServiceServicer):
    """Servicer of the advice for the built-in games."""

    def __init__(self, parts: AdviserParts) -> None:
        self._arrangements = ArrangementAdvice(parts)
        self._plays = PlayAdvice(parts)
        self._decisions = DecisionAdvice(parts)

    def SuggestArrangement(
        self, request: advice_pb2.SuggestArrangementRequest, context: grpc.ServicerContext
    ) -> advice_pb2.SuggestArrangementResponse:
        """Return the arrangements of a hand with the highest expectation; no other seat's cards are used."""
        return self._arrangements.suggest(request)

    def SuggestPlay(
        self, request: advice_pb2.SuggestPlayRequest, context: grpc.ServicerContext
    ) -> advice_pb2.SuggestPlayResponse:
        """Return the best plays of the seat on turn, with reasons; none once the round is over."""
        return self._plays.suggest(request)

    def SuggestDecision(
        self, request: advice_pb2.SuggestDecisionRequest, context: grpc.ServicerContext
    ) -> advice_pb2.SuggestDecisionResponse:
        """Return the expectation of each decision of a seat, from its own cards and the open board only."""
        return self._decisions.suggest(request)
