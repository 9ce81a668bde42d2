"""UltimateTexasService: checks, accepts, previews and settles rounds of Ultimate Texas Hold'em.

The hands are known from the deal on, on a sealed table with the house's; board and house are not, and no question but
settling needs any card. The receipt of the event that closes a street is what opens the next cards, so a frontend that
tells its own events asks at least for those to be accepted; a round whose house was never opened is refused at
settlement for its missing section.

Nothing is remembered, so nothing here keeps a frontend from asking for receipts of a history that it then drops, and so
from seeing cards early. It then holds two receipts with one number, and they prove it to anybody who has both.
"""

from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Final

import grpc

from referee.cards import Card, Seat
from referee.dealing.header import Header
from referee.dealing.layout import layout_of
from referee.games.ultimate_texas import (
    MAX_EVENTS,
    Decision,
    Event,
    StakesError,
    State,
    UltimateTexasRules,
    UnlawfulEventError,
    check_decision,
)
from referee.rulesets import Ruleset, load_texts
from referee.service.batch import batched, settle_each
from referee.service.rounds import RoundVerifier, VerifiedRound
from referee.service.settling import Received, Settler, first_chain
from referee.service.standing import Standings, deal_of
from referee.service.ultimate_texas_reading import Reading, Standing
from referee.storage import Append
from referee.transcript.ultimate_texas import GAME, Played, begin, encode_event, play_on, step
from referee.v1 import ultimate_texas_pb2, ultimate_texas_pb2_grpc
from referee.v1.error_reason_pb2 import ErrorReason
from referee.wire.refusal import RefusedError
from referee.wire.ruleset import ultimate_texas_rules
from referee.wire.ultimate_texas import read_event, stakes_refusal, write_state
from referee.wire.violation import write_violations

if TYPE_CHECKING:
    from referee.service.ultimate_texas_advice import Advice

MAX_BATCH: Final = 256


class UltimateTexasService(ultimate_texas_pb2_grpc.UltimateTexasServiceServicer):
    """Judges by the rulesets that the verifier knows; signs and logs through the settler."""

    def __init__(self, verifier: RoundVerifier, settler: Settler, *, tables: Path | None = None) -> None:
        self._verifier = verifier
        self._table_folder = tables
        self._settler = settler
        self._texts = load_texts(GAME)
        self._standings: Standings[Standing] = Standings()

    def CheckDecision(
        self, request: ultimate_texas_pb2.CheckDecisionRequest, context: grpc.ServicerContext
    ) -> ultimate_texas_pb2.CheckDecisionResponse:
        """Everything wrong with a decision, and where the round stands."""
        del context
        return self._check(request)

    def CheckDecisions(
        self, request: ultimate_texas_pb2.CheckDecisionsRequest, context: grpc.ServicerContext
    ) -> ultimate_texas_pb2.CheckDecisionsResponse:
        """Many decisions; a bad question among them refuses the call, naming it."""
        del context
        return ultimate_texas_pb2.CheckDecisionsResponse(
            responses=batched(request.requests, self._check, limit=MAX_BATCH)
        )

    def Advise(
        self, request: ultimate_texas_pb2.AdviseRequest, context: grpc.ServicerContext
    ) -> ultimate_texas_pb2.AdviseResponse:
        """What each decision is worth to a seat, from its own cards and the open board alone."""
        del context
        told, seat = request.round, Seat(request.seat)
        verified = self._verifier.verify(told.header, told.certificates, field="round")
        header, ruleset = verified.header, verified.ruleset
        if seat >= header.seat_count:
            raise RefusedError(
                ErrorReason.ERROR_REASON_INVALID_SEAT,
                f"the round has {header.seat_count} seats, counted from 0",
                field="seat",
                found=seat,
            )
        played = _play(told, header, ruleset, dealt_time=verified.dealt_time, field="round")
        state = played.state
        response = ultimate_texas_pb2.AdviseResponse(
            violations=write_violations(played.violations, self._texts),
            refused_event_number=_refused_event(played),
            state=write_state(state),
            ruleset_digest=ruleset.digest,
        )
        if not played.violations and seat in state.may_decide:
            hole, board = _seen(verified, state, seat, field="round")
            self._advice.fill(response, ruleset, stake=state.stakes[seat], hole=hole, board=board)
        return response

    @cached_property
    def _advice(self) -> "Advice":
        from referee.service.ultimate_texas_advice import Advice  # noqa: PLC0415 - the first question waits for numpy

        return Advice(self._table_folder)

    def AcceptEvent(
        self, request: ultimate_texas_pb2.UltimateTexasServiceAcceptEventRequest, context: grpc.ServicerContext
    ) -> ultimate_texas_pb2.UltimateTexasServiceAcceptEventResponse:
        """The next event judged at the referee's clock, with its receipt, which names the section that it opens."""
        del context
        if request.event.time or request.event.receipt:
            raise RefusedError(
                ErrorReason.ERROR_REASON_INVALID_FIELD, "the referee's clock decides; leave the time 0", field="event"
            )
        reading = self._read(request.round, self._verifier.verify, field="round")
        now = self._settler.clock()
        event = read_event(request.event, time=now, field="event")
        verified, standing = reading.verified, reading.standing
        before = standing.state
        violations = standing.violations or check_decision(before, event)
        if violations:
            return ultimate_texas_pb2.UltimateTexasServiceAcceptEventResponse(
                violations=write_violations(violations, self._texts),
                state=write_state(before),
                refused_event_number=reading.refused_event,
            )
        after, opening = step(before, event)
        receipt, chain = self._settler.accept(
            verified, standing.chain, _received(event, request.event, opening), field="event"
        )
        response = ultimate_texas_pb2.UltimateTexasServiceAcceptEventResponse(
            event=ultimate_texas_pb2.UltimateTexasEvent(
                time=now,
                seat=request.event.seat,
                decision=request.event.decision,
                receipt=receipt,
                signature=request.event.signature,
            ),
            event_number=after.event_count,
            state=write_state(after),
            opens_section=opening,
        )
        events = (*standing.events, response.event.SerializeToString(deterministic=True))
        self._standings.put(Standing(deal=standing.deal, events=events, state=after, chain=chain))
        return response

    def PreviewRound(
        self, request: ultimate_texas_pb2.UltimateTexasServicePreviewRoundRequest, context: grpc.ServicerContext
    ) -> ultimate_texas_pb2.UltimateTexasServicePreviewRoundResponse:
        """Where the round stands, and its outcome where the cards for it are open."""
        del context
        reading = self._read(request.round, self._verifier.verify, field="round")
        standing = reading.standing
        if standing.violations:
            return ultimate_texas_pb2.UltimateTexasServicePreviewRoundResponse(
                violations=write_violations(standing.violations, self._texts),
                refused_event_number=reading.refused_event,
            )
        response = ultimate_texas_pb2.UltimateTexasServicePreviewRoundResponse(state=write_state(standing.state))
        if standing.state.is_over and reading.is_open:
            response.outcome.MergeFromString(reading.shown)
        return response

    def SettleRound(
        self, request: ultimate_texas_pb2.UltimateTexasServiceSettleRoundRequest, context: grpc.ServicerContext
    ) -> ultimate_texas_pb2.UltimateTexasServiceSettleRoundResponse:
        """The round settled, signed and durable."""
        del context
        response = ultimate_texas_pb2.UltimateTexasServiceSettleRoundResponse()
        reading = self._read(request.round, self._verifier.verify_ended, field="round")
        response.refused_event_number = reading.refused_event
        self._settler.answer(reading, response, self._texts)
        return response

    def SettleRounds(
        self, request: ultimate_texas_pb2.UltimateTexasServiceSettleRoundsRequest, context: grpc.ServicerContext
    ) -> ultimate_texas_pb2.UltimateTexasServiceSettleRoundsResponse:
        """Many rounds settled, each on its own."""
        del context
        response = ultimate_texas_pb2.UltimateTexasServiceSettleRoundsResponse()
        settle_each(request.requests, response.rounds, self._close, self._settler.log, limit=MAX_BATCH)
        return response

    def _check(self, request: ultimate_texas_pb2.CheckDecisionRequest) -> ultimate_texas_pb2.CheckDecisionResponse:
        told = request.round
        if told.certificates:
            verified = self._verifier.verify(told.header, told.certificates, field="round")
            header, ruleset, dealt_time = verified.header, verified.ruleset, verified.dealt_time
        else:
            header, ruleset = self._verifier.read_terms(told.header, field="round.header")
            dealt_time = 0
        played = _play(told, header, ruleset, dealt_time=dealt_time, field="round")
        state = played.state
        event = read_event(request.event, time=state.last_time, field="event")
        violations = played.violations or check_decision(state, event)
        return ultimate_texas_pb2.CheckDecisionResponse(
            violations=write_violations(violations, self._texts),
            state=write_state(state),
            ruleset_digest=ruleset.digest,
            refused_event_number=_refused_event(played),
        )

    def _read(
        self, message: ultimate_texas_pb2.UltimateTexasRound, verify: Callable[..., VerifiedRound], *, field: str
    ) -> Reading:
        verified = verify(message.header, message.certificates, field=field)
        rules = _rules_of(message, verified.ruleset, field=field)
        deal, events = deal_of(verified), tuple([one.SerializeToString(deterministic=True) for one in message.events])
        standing = self._standings.find(deal, events)
        if standing is None or len(standing.events) < len(events):
            if standing is None:
                state = _start(rules, verified.header, verified.ruleset, dealt_time=verified.dealt_time, field=field)
                standing = Standing(deal=deal, events=(), state=state, chain=first_chain(verified))
            standing = self._gone_on(verified, standing, events, message, field=field)
            self._standings.put(standing)
        return Reading(verified=verified, standing=standing)

    def _gone_on(
        self,
        verified: VerifiedRound,
        known: Standing,
        events: tuple[bytes, ...],
        message: ultimate_texas_pb2.UltimateTexasRound,
        *,
        field: str,
    ) -> Standing:
        """What a standing comes to with the events after its own."""
        state, violations = known.state, known.violations
        received: list[Received] = []
        count = len(known.events)
        for index, one in enumerate(message.events[count:], start=count):
            event, opening = read_event(one, time=one.time, field=f"{field}.events[{index}]"), None
            if not violations:
                try:
                    state, opening = step(state, event)
                except UnlawfulEventError as error:
                    violations = error.violations
            received.append(_received(event, one, opening))
        chain = self._settler.extended(verified, known.chain, received, field=field)
        return Standing(deal=known.deal, events=events, state=state, chain=chain, violations=violations)

    def _close(
        self,
        request: ultimate_texas_pb2.UltimateTexasServiceSettleRoundRequest,
        response: ultimate_texas_pb2.UltimateTexasServiceSettleRoundResponse,
    ) -> Append | None:
        """What to log of a round; the empty answer is filled but for its receipt."""
        reading = self._read(request.round, self._verifier.verify_ended, field="round")
        response.refused_event_number = reading.refused_event
        return self._settler.close(reading, response, self._texts)


def _received(event: Event, message: ultimate_texas_pb2.UltimateTexasEvent, opening: int | None) -> Received:
    return Received(
        event=encode_event(event),
        time=event.time,
        seat=event.seat,
        receipt=message.receipt,
        signature=message.signature,
        opens_section=opening,
        is_imposed=event.decision is Decision.TIMEOUT,
    )


def _play(
    message: ultimate_texas_pb2.UltimateTexasRound, header: Header, ruleset: Ruleset, *, dealt_time: int, field: str
) -> Played:
    """What the events come to; refuses too many, or a header whose bets no round can start with."""
    state = _start(_rules_of(message, ruleset, field=field), header, ruleset, dealt_time=dealt_time, field=field)
    return play_on(
        state,
        [read_event(one, time=one.time, field=f"{field}.events[{index}]") for index, one in enumerate(message.events)],
    )


def _rules_of(message: ultimate_texas_pb2.UltimateTexasRound, ruleset: Ruleset, *, field: str) -> UltimateTexasRules:
    """The rules of a round that has not too many events."""
    rules = ultimate_texas_rules(ruleset, field=f"{field}.header.ruleset_id")
    if len(message.events) > MAX_EVENTS:
        raise RefusedError(
            ErrorReason.ERROR_REASON_TOO_MANY_EVENTS,
            f"a round has at most {MAX_EVENTS} events",
            field=f"{field}.events",
            limit=MAX_EVENTS,
            found=len(message.events),
        )
    return rules


def _start(rules: UltimateTexasRules, header: Header, ruleset: Ruleset, *, dealt_time: int, field: str) -> State:
    """The round as dealt; refuses a header whose bets no round can start with."""
    try:
        return begin(rules, header.seat_stakes, bet_unit=ruleset.bet_unit, dealt_time=dealt_time)
    except StakesError as error:
        raise stakes_refusal(error.violations, field=f"{field}.header") from None


def _seen(
    verified: VerifiedRound, state: State, seat: Seat, *, field: str
) -> tuple[tuple[Card, ...], tuple[Card, ...]]:
    """A seat's hole cards and the board as far as the round has opened it; refuses a round that does not show them."""
    layout = layout_of(GAME, seat_count=verified.header.seat_count)
    (hole,) = verified.hands([seat], field=field)
    board: list[Card] = []
    for section in state.open_sections:
        name = section.lower()
        board += verified.section(layout.board(name), f"the section {name}", field=field)
    return hole, tuple(board)


def _refused_event(played: Played) -> int:
    return played.state.event_count + 1 if played.violations else 0
