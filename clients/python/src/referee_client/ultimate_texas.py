"""Ultimate Texas Hold'em: each seat decides against the house; the end of a street opens the next cards."""

from referee.v1 import advice_pb2, ultimate_texas_pb2
from referee.v1.ultimate_texas_pb2 import Decision
from referee_client.resuming import ResumableRound


class AsyncUltimateTexasRound(
    ResumableRound[ultimate_texas_pb2.UltimateTexasRound, ultimate_texas_pb2.UltimateTexasOutcome]
):
    """A round of Ultimate Texas Hold'em, for asyncio. A ``decide`` that ends a street also opens the next cards."""

    async def check(self, seat: int, decision: Decision | str) -> ultimate_texas_pb2.CheckDecisionResponse:
        """Check a decision without making it: its ``violations``, empty for a legal one, and the round's state."""
        event = ultimate_texas_pb2.UltimateTexasEvent(seat=seat, decision=read_decision(decision))
        request = ultimate_texas_pb2.CheckDecisionRequest(round=self.message, event=event)
        return await self._ask("CheckDecision", request, ultimate_texas_pb2.CheckDecisionResponse)

    async def suggest(self, seat: int) -> advice_pb2.SuggestDecisionResponse:
        """Return the exact value of each decision of a seat, from its own hand and the open board alone.

        On a sealed table call ``open_hand`` for the seat first.
        """
        given = ultimate_texas_pb2.UltimateTexasRound()
        given.CopyFrom(self.message)
        if seat in self.state.private:
            given.certificates.append(self.state.private[seat][0])
        request = advice_pb2.SuggestDecisionRequest(round=given, seat=seat)
        return await self._advise("SuggestDecision", request, advice_pb2.SuggestDecisionResponse)

    async def decide(
        self, seat: int, decision: Decision | str
    ) -> ultimate_texas_pb2.UltimateTexasServiceAcceptEventResponse:
        """Submit a decision, by its value or its name: ``"CHECK"``, ``"PLAY_4X"``, ``"PLAY_1X"``, ``"FOLD"`` and so on.

        The answer of the last decision of a street comes once the next cards are in ``board``. Raise ValueError if no
        decision has the name.
        """
        event = ultimate_texas_pb2.UltimateTexasEvent(seat=seat, decision=read_decision(decision))
        answer: ultimate_texas_pb2.UltimateTexasServiceAcceptEventResponse = await self.accept_event(event)
        return answer


def read_decision(decision: Decision | str) -> Decision:
    """Read a decision by its value or name: CHECK, PLAY_4X, PLAY_3X, PLAY_2X, PLAY_1X, FOLD, TIMEOUT, LEAVE.

    Raise ValueError if no decision has the name.
    """
    if not isinstance(decision, str):
        return decision
    return Decision.Value(f"DECISION_{decision}")  # type: ignore[return-value] # a message's enum is the number itself
